import { afterEach, describe, expect, test } from "vitest";
import type { MessengerEdge } from "../../src/bot/edge.ts";
import { createSlackBot } from "../../src/bot/slack/bot.ts";
import { createTelegramBot } from "../../src/bot/telegram/bot.ts";
import { Backstage, delivery, until } from "../support/bot-played-messengers.ts";
import { openWorkspace } from "../support/slack-workspace.ts";
import { openTelegramWorld, type TelegramWorld } from "../support/telegram-world.ts";

const OPERATORS = -1002000000001;
const signal = new AbortController().signal;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
}, 20_000);

async function openTelegram(behind: Backstage): Promise<{
  world: TelegramWorld;
  edge: MessengerEdge;
}> {
  const world = await openTelegramWorld();
  const edge = createTelegramBot({
    ...behind.options(),
    token: world.env.TELEGRAM_BOT_TOKEN ?? "",
    apiRoot: world.env.TELEGRAM_API_ROOT ?? "",
  });
  closing.push(
    () => world.stop(),
    () => edge.stop(),
  );
  return { world, edge };
}

describe("Telegram", () => {
  const buttons = [{ label: "Approve", action: "approve", value: "a-1" }];
  const card = { title: "Payout", facts: [], footer: [], buttons };

  test("a slow desk does not hold up the toast; the answer comes below the card", async () => {
    const behind = new Backstage();
    const { world, edge } = await openTelegram(behind);
    let finish: () => void = () => {};
    const options = behind.options();
    options.desk.handle = () =>
      new Promise((resolve) => {
        finish = () => resolve({ text: "done at last" });
      });
    const slow = createTelegramBot({
      ...options,
      token: world.env.TELEGRAM_BOT_TOKEN ?? "",
      apiRoot: world.env.TELEGRAM_API_ROOT ?? "",
    });
    closing.push(() => slow.stop());
    slow.start();
    const sent = delivery(String(OPERATORS), { kind: "card", card });
    await edge.messenger.deliver(sent, signal);
    const press = { chat_id: OPERATORS, user_id: 2001, message_id: Number(sent.parts[0]) };
    const { body } = await world.play("telegram/buttons", { ...press, label: "Approve" });
    expect(body.answer).not.toBeNull();
    finish();
    const answers = await until(async () => {
      const shown = await world.chat(OPERATORS);
      return shown.length > 1 ? shown : undefined;
    });
    expect(answers.at(-1)?.text).toBe("done at last");
  });

  test("a group that became a supergroup tells its new id", async () => {
    const { world, edge } = await openTelegram(new Backstage());
    await world.play("telegram/messages", { chat_id: -4001, user_id: 2001, text: "hi" });
    await world.play("telegram/migrate", { chat_id: -4001 });
    const result = await edge.messenger.deliver(delivery("-4001", { kind: "card", card }), signal);
    expect(result).toEqual({ kind: "moved", chatId: expect.stringMatching(/^-100\d+$/) });
  });

  test("a server that is not there means: try again", async () => {
    const options = new Backstage().options();
    const edge = createTelegramBot({ ...options, token: "1:t", apiRoot: "http://127.0.0.1:1" });
    const hello = delivery("1001", { kind: "text", text: "hello", protect: false });
    expect(await edge.messenger.deliver(hello, signal)).toMatchObject({ kind: "retry" });
    await expect(edge.check()).rejects.toThrow(/^TELEGRAM_API_ROOT: /);
  });

  test("a second program on the same bot is told in the status, and polling goes on", async () => {
    const behind = new Backstage();
    const { world, edge } = await openTelegram(behind);
    edge.start();
    await until(() => edge.status().ok || undefined);
    const other = world.call("getUpdates", { timeout: 1 });
    await until(() => /another program/.test(edge.status().detail) || undefined);
    await other;
    await world.play("telegram/messages", { chat_id: 1001, user_id: 1001, text: "still there?" });
    expect(await behind.reach(1)).toMatchObject([{ text: "still there?" }]);
  }, 20_000);

  test("a made-up kind of message is stored, and what follows is not blocked", async () => {
    const behind = new Backstage();
    const { world, edge } = await openTelegram(behind);
    edge.start();
    const chat = { id: 1001, type: "private", first_name: "Lena" };
    const from = { id: 1001, is_bot: false, first_name: "Lena" };
    const base = { date: 1_790_000_000, chat, from };
    await world.play("telegram/updates", [
      { update_id: 900, message: { ...base, message_id: 901, future_thing: { a: 1 } } },
      { update_id: 901, message: { broken: true } },
      { update_id: 902, message: { ...base, message_id: 902, text: "after" } },
    ]);
    expect(await behind.reach(2)).toMatchObject([
      { media: [{ kind: "other" }] },
      { text: "after" },
    ]);
  });
});

describe("Slack", () => {
  async function open(behind: Backstage) {
    const workspace = await openWorkspace();
    const env = workspace.sandbox.env();
    const make = (appToken = env.SLACK_APP_TOKEN ?? "") =>
      createSlackBot({
        ...behind.options(),
        botToken: env.SLACK_BOT_TOKEN ?? "",
        way: { kind: "socket", appToken },
        apiUrl: env.SLACK_API_URL ?? "",
      });
    const edge = make();
    closing.push(
      () => workspace.close(),
      () => edge.stop(),
    );
    return { workspace, edge, make };
  }

  test("a form with a mistake stays open and says what is wrong", async () => {
    const behind = new Backstage();
    const { workspace, edge } = await open(behind);
    edge.start();
    const field = { label: "Reason", multiline: true, optional: false, maxLength: 500 };
    const fields = [{ name: "reason", ...field }];
    behind.form = { form: "f", subject: "a-1", title: "Reject", submitLabel: "Send", fields };
    behind.formErrors = { reason: "say more" };
    const buttons = [{ label: "Reject", action: "reject", value: "a-1" }];
    const card = { title: "Payout", facts: [], footer: [], buttons };
    const sent = delivery("C0OPERATORS", { kind: "card", card });
    await edge.messenger.deliver(sent, signal);
    const press = { channel: "C0OPERATORS", user: "U0ALICE", ts: sent.parts[0], label: "Reject" };
    await workspace.control("slack/buttons", press);
    const [view] = await workspace.control("slack/views");
    const values = { Reason: "no" };
    const answer = await workspace.control(`slack/views/${view.id}/submit`, {
      ...{ user: "U0ALICE", values },
    });
    expect(JSON.stringify(answer)).toContain("say more");
    expect(behind.events.map((event) => event.kind)).toEqual(["click"]);
  });

  test("an app token that Slack refuses stops the start and is named", async () => {
    const { make } = await open(new Backstage());
    await expect(make("xapp-wrong").check()).rejects.toThrow(/^SLACK_APP_TOKEN: /);
  });

  test("a refreshed socket is replaced and nothing is lost", async () => {
    const behind = new Backstage();
    const { workspace, edge } = await open(behind);
    edge.start();
    await until(() => edge.status().ok || undefined);
    await workspace.control("slack/disconnect", {});
    const text = "after the refresh";
    await workspace.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", text });
    expect(await behind.reach(1)).toMatchObject([{ text }]);
  });
});
