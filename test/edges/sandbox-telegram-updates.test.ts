import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createInbox,
  type Json,
  openTelegramWorld,
  runBot,
  type TelegramWorld,
} from "../support/telegram-world.ts";

const LEAD = { chat_id: 1001, user_id: 1001 };

let world: TelegramWorld;
beforeEach(async () => {
  world = await openTelegramWorld();
});
afterEach(() => world.stop());

describe("a real client that polls", () => {
  test("hears what a person writes and answers in the chat", async () => {
    const bot = world.makeBot();
    bot.on("message:text", (context) => context.reply(`You said ${context.message.text}`));
    const stop = await runBot(bot);
    const sent = await world.play("telegram/messages", { ...LEAD, text: "Hello 👋" });
    const idle = await world.get("/sandbox/api/idle?timeout_ms=5000");
    const chat = await world.chat(1001);
    await stop();
    expect(sent.body.update_id).toBeGreaterThan(0);
    expect(idle).toEqual({
      status: 200,
      body: { idle: true, next_due_at: null, scope: "world" },
    });
    expect(chat.map(({ from_bot, text }) => [from_bot, text])).toEqual([
      [false, "Hello 👋"],
      [true, "You said Hello 👋"],
    ]);
  });

  test("gets an update again when it died before it confirmed it", async () => {
    await world.play("telegram/messages", { ...LEAD, text: "one" });
    const first = await world.call("getUpdates", { timeout: 0 });
    const again = await world.call("getUpdates", { timeout: 0 });
    expect(again.body.result).toEqual(first.body.result);
    const [update] = first.body.result as { update_id: number }[];
    const next = await world.call("getUpdates", { offset: (update?.update_id ?? 0) + 1 });
    expect(next.body.result).toEqual([]);
  });

  test("gets what it did not confirm also after the sandbox was restarted", async () => {
    await world.play("telegram/messages", { ...LEAD, text: "before" });
    const before = await world.call("getUpdates");
    await world.restart();
    const after = await world.call("getUpdates");
    expect(after.body).toEqual(before.body);
    expect(await world.chat(1001)).toHaveLength(1);
  });

  test("is named as busy until the update is confirmed", async () => {
    const { body } = await world.play("telegram/messages", { ...LEAD, text: "hi" });
    const busy = await world.get("/sandbox/api/idle?timeout_ms=0");
    expect(busy).toEqual({
      status: 408,
      body: {
        idle: false,
        scope: "world",
        waiting: [`telegram update ${body.update_id} (message)`],
      },
    });
    await world.call("getUpdates");
    await world.call("getUpdates", { offset: Number(body.update_id) + 1 });
    expect((await world.get("/sandbox/api/idle?timeout_ms=0")).status).toBe(200);
  });

  test("is ended by a second poll, which then gets the update", async () => {
    const first = world.call("getUpdates", { timeout: 50 });
    const second = world.call("getUpdates", { timeout: 50 });
    const answer = await Promise.race([first, second]);
    expect(answer.body).toEqual({
      ok: false,
      error_code: 409,
      description:
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    await world.play("telegram/messages", { ...LEAD, text: "for the second" });
    const answers = await Promise.all([first, second]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("is refused while a webhook is set, and ended when one is set", async () => {
    const open = world.call("getUpdates", { timeout: 50, allowed_updates: ["message"] });
    await untilPollIsOpen();
    await world.call("setWebhook", { url: "https://bot.example/hook", secret_token: "abc" });
    expect((await open).body.description).toBe("Conflict: terminated by setWebhook request");
    const refused = await world.call("getUpdates");
    expect(refused.body).toMatchObject({
      error_code: 409,
      description:
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    });
    const info = await world.call("getWebhookInfo");
    expect(info.body.result).toMatchObject({ url: "https://bot.example/hook" });
    expect((await world.call("deleteWebhook")).body.description).toBe("Webhook was deleted");
  });
});

/** A poll that names its kinds is open as soon as they show. */
async function untilPollIsOpen(): Promise<void> {
  const { body } = await world.call("getWebhookInfo");
  if (!("allowed_updates" in (body.result as Json))) await untilPollIsOpen();
}

describe("updates", () => {
  test("of reactions come only when asked for by name and the bot is an administrator", async () => {
    const chat_id = Number(world.env.TELEGRAM_OPERATOR_CHAT_ID);
    const sent = await world.call("sendMessage", { chat_id, text: "Rate me" });
    const { message_id } = sent.body.result as { message_id: number };
    const react = (emoji: string[]) =>
      world.play("telegram/reactions", { chat_id, user_id: 2001, message_id, emoji });
    expect((await react(["👎"])).body).toEqual({ update_id: null });
    await world.call("getUpdates", { allowed_updates: ["message", "message_reaction"] });
    expect((await react(["👍"])).body.update_id).toBeGreaterThan(0);
    await world.play("telegram/rights", { chat_id, admin: false });
    expect((await react([])).body).toEqual({ update_id: null });
    const { body } = await world.call("getUpdates");
    expect(body.result).toMatchObject([
      {
        message_reaction: {
          message_id,
          user: { id: 2001 },
          old_reaction: [{ type: "emoji", emoji: "👎" }],
          new_reaction: [{ type: "emoji", emoji: "👍" }],
        },
      },
    ]);
    expect((await react(["✅"])).status).toBe(400);
  });

  test("keep the asked kinds over a restart and a reset, and lose them with an empty list", async () => {
    await world.call("getUpdates", { allowed_updates: ["message_reaction", "nonsense"] });
    await world.play("reset");
    await world.restart();
    const kept = await world.call("getWebhookInfo");
    expect(kept.body.result).toMatchObject({ allowed_updates: ["message_reaction"] });
    await world.call("getUpdates", { allowed_updates: [] });
    expect((await world.call("getWebhookInfo")).body.result).not.toHaveProperty("allowed_updates");
  });

  test("expire in played time: clicks after 150 seconds, messages after a day", async () => {
    const sent = await world.call("sendMessage", {
      chat_id: 1001,
      text: "Press",
      reply_markup: { inline_keyboard: [[{ text: "Ok", callback_data: "ok" }]] },
    });
    const { message_id } = sent.body.result as { message_id: number };
    const click = { id: "77", from: { id: 1001, is_bot: false, first_name: "L" }, data: "ok" };
    const message = { message_id, date: 1, chat: { id: 1001, type: "private" } };
    await world.play("telegram/updates", [{ callback_query: { ...click, message } }]);
    await world.play("telegram/messages", { ...LEAD, text: "hi" });
    await world.play("clock", { advance_s: 151 });
    const late = await world.call("getUpdates");
    expect((late.body.result as Json[]).map((update) => Object.keys(update)[1])).toEqual([
      "message",
    ]);
    await world.play("clock", { advance_s: 86_400 });
    expect((await world.call("getUpdates")).body.result).toEqual([]);
    expect((await world.get("/sandbox/api/idle?timeout_ms=0")).status).toBe(200);
  });

  test("with a negative offset leave only the newest", async () => {
    for (const text of ["a", "b", "c"]) await world.play("telegram/messages", { ...LEAD, text });
    const { body } = await world.call("getUpdates", { offset: -1 });
    expect(body.result).toMatchObject([{ message: { text: "c" } }]);
  });

  test("are delivered once more on demand, and injected ones with any id reach the client", async () => {
    const inbox = createInbox<number>();
    const bot = world.makeBot();
    bot.use((context) => inbox.push(context.update.update_id));
    const stop = await runBot(bot);
    const { body } = await world.play("telegram/messages", { ...LEAD, text: "hi" });
    await inbox.reach(1);
    await world.play("telegram/redeliver", { update_id: body.update_id });
    const low = { update_id: 7, message: { message_id: 900, date: 1, text: "low" } };
    const message = { ...low.message, chat: { id: 5005, type: "private", first_name: "New" } };
    await world.play("telegram/updates", [
      { ...low, message },
      { ...low, message },
    ]);
    const seen = await inbox.reach(4);
    await world.get("/sandbox/api/idle?timeout_ms=5000");
    await stop();
    expect(seen).toEqual([body.update_id, body.update_id, 7, 7]);
    expect(await world.chat(5005)).toMatchObject([{ message_id: 900, text: "low" }]);
  });

  test("lose their first attempt to a played fault and come at the next poll", async () => {
    await world.play("faults", { service: "telegram", kind: "lose_first", count: 1 });
    await world.play("telegram/messages", { ...LEAD, text: "hi" });
    expect((await world.call("getUpdates", { timeout: 5 })).body.result).toEqual([]);
    expect((await world.call("getUpdates", { timeout: 5 })).body.result).toHaveLength(1);
  });

  test("wake an open poll at once", async () => {
    const open = world.call("getUpdates", { timeout: 50, allowed_updates: ["message"] });
    await untilPollIsOpen();
    await world.play("telegram/messages", { ...LEAD, text: "wake" });
    expect((await open).body.result).toMatchObject([{ message: { text: "wake" } }]);
  });
});
