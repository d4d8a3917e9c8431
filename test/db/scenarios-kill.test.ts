import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOn } from "../support/database.ts";
import { embeddedEngine } from "../support/engines.ts";
import { brokenRules } from "../support/invariants.ts";
import { type LiveOffice, OPERATORS, openLiveOffice, READERS } from "../support/live-office.ts";
import { type Life, makeMortal } from "../support/mortal-database.ts";
import { PAYOUT } from "../support/paying-office.ts";
import type { Played } from "../support/played-world.ts";

/** Longer than any lease. */
const DOWN_MS = 91_000;
/** Fewer boundaries than this: the kills did not fall where the work is. */
const FEWEST = 12;
const MOMENTS = ["before", "after"] as const;

describe("S3: killed at every commit from the proposal to the client's notice", () => {
  const life: Life = { isDead: false, commits: 0, diesAt: 0, moment: "before" };
  let live: LiveOffice;
  let chatId = 70_000;
  let updates = 9_000_000;
  beforeAll(async () => {
    live = await openLiveOffice(async (options) => {
      const database = await openOn(embeddedEngine, options);
      makeMortal(database, life);
      return database;
    });
  });
  afterAll(() => live?.close());

  it.each(MOMENTS)(
    "right %s the commit: one payout under one key, and one notice",
    async (moment) => {
      const wrong: string[] = [];
      let diesAt = 1;
      while (await dies({ moment, diesAt }, wrong)) diesAt += 1;
      expect(wrong).toEqual([]);
      expect(diesAt).toBeGreaterThan(FEWEST);
    },
    300_000,
  );

  /** Plays the deal with one kill in it; false: it was over before the kill. */
  async function dies(kill: Pick<Life, "moment" | "diesAt">, wrong: string[]): Promise<boolean> {
    chatId += 1;
    await says("Hello");
    await live.isPaid(chatId);
    await live.settles();
    Object.assign(life, { ...kill, commits: 0 });
    const wasKilled = [
      await survives(() => says("Please send me my money")),
      await survives(approves),
    ].includes(true);
    life.diesAt = 0;
    for (const what of await wrongAfterwards())
      wrong.push(`killed ${kill.moment} commit ${kill.diesAt}: ${what}`);
    return wasKilled;
  }

  /** Does it, waits until everything is done, and starts the process again when it was killed. */
  async function survives(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      await playsOn();
    } catch (error) {
      if (!life.isDead) throw error;
    }
    const wasKilled = life.isDead;
    if (wasKilled) {
      Object.assign(life, { isDead: false, diesAt: 0 });
      live.passes(DOWN_MS);
      await playsOn();
    }
    return wasKilled;
  }

  async function playsOn(): Promise<void> {
    await live.taken();
    const { candidates } = await live.trace(chatId);
    // a model that is asked again about the same words answers the same
    live.script.steps.length = 0;
    if (candidates.length === 0) live.script.steps.push({ calls: [{ name: PAYOUT, args: {} }] });
    expect(await live.settles()).toEqual([]);
  }

  async function says(text: string): Promise<void> {
    updates += 1;
    const from = { id: chatId, is_bot: false, first_name: `Client ${chatId}` };
    const chat = { id: chatId, type: "private", first_name: from.first_name };
    const message = { message_id: updates, date: Math.floor(Date.now() / 1000), chat, from, text };
    await live.delivers({ update_id: updates, message });
  }

  async function approves(): Promise<void> {
    const cards: Played[] = await live.messages(OPERATORS);
    const card = cards.findLast(({ text, buttons }) => text.includes(`EX-${chatId}`) && buttons[0]);
    updates += 1;
    const message = {
      ...{ message_id: card?.message_id, date: 1 },
      chat: { id: OPERATORS, type: "supergroup", title: "Operators" },
    };
    const from = { id: READERS.alice, is_bot: false, first_name: "Alice" };
    const { data } = card?.buttons[0][0] ?? {};
    const query = { id: `press-${updates}`, from, chat_instance: "1", message, data };
    await live.delivers({ update_id: updates, callback_query: query });
  }

  async function wrongAfterwards(): Promise<string[]> {
    const trace = await live.trace(chatId);
    const wrong = brokenRules(trace);
    const paid = live.office.payouts().filter(({ order }) => order.order_id === `EX-${chatId}`);
    if (paid.length !== 1) wrong.push(`the gateway paid under ${paid.length} keys`);
    const outcomes = trace.runs.filter(({ kind }: Played) => kind === "continuation");
    const told = trace.messages.filter(
      (one: Played) =>
        one.author === "bot" &&
        one.status === "kept" &&
        outcomes.some(({ id }: Played) => id === one.run_id),
    );
    if (told.length !== 1) wrong.push(`the client was told of the outcome ${told.length} times`);
    return wrong;
  }
});
