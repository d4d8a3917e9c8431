import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import {
  type Desk,
  type Lead,
  OPERATORS_CHANNEL,
  OPERATORS_GROUP,
  type SlackMessage,
} from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const CODE = "900000111122";

forEachEngine((engine) => {
  describe("cash that the gateway has paid out", () => {
    let desk: Desk;
    let lead: Lead;
    beforeAll(async () => {
      desk = await openDesk(engine);
      lead = desk.lead();
      await lead.reachesPayout({ words: "сниму баты в банкомате без карты" });
      await desk.world.post("payout/next", { status: "completed", code: CODE });
      await desk.operator("U0ALICE").presses("Approve", await lead.card());
    });
    afterAll(() => desk.close());

    const isAbout = ({ text }: { text: string }) =>
      /^See that the client gets the money/.test(text) &&
      new RegExp(`\\bLead ${lead.id}\\b`).test(text);
    async function card(): Promise<SlackMessage> {
      const [found, ...others] = (await desk.slackCards()).filter(isAbout);
      if (!found || others.length > 0) throw new Error(`${others.length} other cards`);
      return found;
    }
    const presses = async (ts: string) => {
      const press = { channel: OPERATORS_CHANNEL, user: "U0BOB", ts, label: "Handed over" };
      const { answer } = await desk.world.post("slack/buttons", press);
      await desk.idle();
      return answer.text as string;
    };

    test("is one card in each operator chat, with one button", async () => {
      expect((await card()).buttons.map(({ label }) => label)).toEqual(["Handed over"]);
      expect((await desk.groupCards()).filter(isAbout)).toHaveLength(1);
      expect((await card()).text).not.toContain(CODE);
    });

    test("stands among what waits for people", async () => {
      const command = { chat_id: OPERATORS_GROUP, user_id: 2002, text: "/pending" };
      await desk.world.post("telegram/messages", command);
      await desk.until(async () =>
        (await desk.groupCards()).some(
          ({ text }) => /^See that the client gets the money: /m.test(text) && /EX-\d+/.test(text),
        ),
      );
    });

    test("spreads no code that the client quotes back", async () => {
      await lead.says(`Банкомат не принимает ${CODE}`);
      await lead.says("9000 0011 1122 вводил трижды");
      const spread = {
        model: JSON.stringify(await desk.modelRequests()),
        log: desk.logged.join(),
        trace: JSON.stringify(await lead.trace()),
        staff: JSON.stringify([await desk.slackCards(), await desk.groupCards()]),
      };
      for (const [place, text] of Object.entries(spread)) {
        expect(text, place).not.toContain(CODE);
        expect(text, place).not.toContain("9000 0011 1122");
      }
      expect(await desk.databaseHolds(CODE)).toBe(false);
      expect(await desk.databaseHolds("9000 0011 1122")).toBe(false);
      expect(await desk.databaseHolds("••22 вводил трижды")).toBe(true); // the look is real
    });

    test("is completed by Handed over, once, and the card ends", async () => {
      const { ts } = await card();
      expect(await presses(ts)).toMatch(/^Handed over: Bob/);
      const { orders, handoffs } = await lead.trace();
      expect(orders.at(-1)).toMatchObject({ status: "completed" });
      const asked = handoffs.filter(({ reason }: Played) => reason === "payout_handover");
      expect(asked.map(({ status }: Played) => status)).toEqual(["closed"]);
      expect((await card()).buttons).toEqual([]);
      expect((await card()).text).toMatch(/Handed over: Bob, \d{4}-/);
      expect(await presses(ts).catch(() => "no such button")).toMatch(
        /Already done|no such button/,
      );
      const done = (await lead.trace()).audit.filter(
        ({ event_type: type }: Played) => type === "order.completed",
      );
      expect(done).toHaveLength(1);
    });
  });
});
