import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MessengerEdge } from "../../src/bot/edge.ts";
import type { FormRequest } from "../../src/domain/desk.ts";
import type { Card } from "../../src/domain/messenger.ts";
import {
  Backstage,
  delivery,
  type PlayedMessenger,
  playSlack,
  playTelegram,
  until,
} from "../support/bot-played-messengers.ts";

const card: Card = {
  title: "Payout A-17",
  facts: [
    { label: "Amount", value: "1 250.00 EUR" },
    { label: "To", value: "Ann <b>& Co</b> <!channel>" },
  ],
  clientSays: { label: "Client says", text: "hurry @boss\nAmount: 9 999 https://evil.example" },
  footer: ["A-17", "digest 3f9a"],
  buttons: [
    { label: "Approve", action: "approve", value: "a-1", style: "primary" },
    { label: "Reject", action: "reject", value: "a-1", style: "danger" },
  ],
};

const reason: FormRequest = {
  form: "reject_reason",
  subject: "a-1",
  title: "Reject A-17",
  submitLabel: "Reject",
  fields: [{ name: "reason", label: "Reason", multiline: true, optional: false, maxLength: 500 }],
};

const signal = new AbortController().signal;

describe.each([
  ["Telegram", playTelegram],
  ["Slack", playSlack],
])("%s", (_, play) => {
  let played: PlayedMessenger;
  let behind: Backstage;
  let edge: MessengerEdge;

  beforeEach(async () => {
    played = await play();
    behind = new Backstage();
    edge = played.create(behind.options());
    await edge.check();
    edge.start();
    await until(() => edge.status().ok || undefined);
  }, 20_000);

  afterEach(async () => {
    await edge.stop();
    await played.close();
  }, 20_000);

  async function sendCard(): Promise<string> {
    const sent = delivery(played.operatorsChat, { kind: "card", card });
    expect(await edge.messenger.deliver(sent, signal)).toEqual({ kind: "sent" });
    expect(sent.parts).toHaveLength(1);
    return sent.parts[0] ?? "";
  }

  test("a lead's message comes in with chat, person and text as typed", async () => {
    await played.write("is 1 < 2 & 3 > 2?");
    const [event] = await behind.reach(1);
    expect(event).toMatchObject({
      kind: "message",
      chatId: played.leadChat,
      chatKind: "private",
      text: "is 1 < 2 & 3 > 2?",
    });
    expect(event?.person.name).toMatch(/lea|lena/i);
  });

  test("a message is not lost while the database does not take it", async () => {
    behind.storeFails = [new Error("connection closed")];
    await played.write("are you there?");
    const events = await behind.reach(1);
    expect(events).toMatchObject([{ text: "are you there?" }]);
  });

  test("a message that was not stored when the process stopped comes to the next", async () => {
    const away = Array.from({ length: 50 }, () => new Error("connection closed"));
    behind.storeFails = [...away];
    await played.write("do not forget me");
    await until(() => behind.storeFails.length < away.length || undefined);
    await edge.stop();
    expect(behind.events).toEqual([]);
    behind.storeFails = [];
    edge = played.create(behind.options());
    edge.start();
    expect(await behind.reach(1)).toMatchObject([{ text: "do not forget me" }]);
  });

  test("the same message twice comes in once", async () => {
    await played.write("only once");
    await behind.reach(1);
    await played.redeliver();
    await played.write("and another");
    expect((await behind.reach(2)).map((event) => event.kind === "message" && event.text)).toEqual([
      "only once",
      "and another",
    ]);
  });

  test("a token that the messenger refuses stops the start and is named", async () => {
    const stranger = played.create(behind.options(), { badToken: true });
    await expect(stranger.check()).rejects.toThrow(/^(TELEGRAM|SLACK)_BOT_TOKEN: /);
  });

  test("a message that can never be stored does not block the next", async () => {
    behind.storeFails = [new TypeError("cannot read it")];
    await played.write("poison");
    await played.write("fine");
    expect(await behind.reach(1)).toMatchObject([{ text: "fine" }]);
  });

  test("a card shows its facts and buttons", async () => {
    await sendCard();
    const [shown] = await played.messages(played.operatorsChat);
    expect(shown?.buttons).toEqual(["Approve", "Reject"]);
    expect(shown?.text).toContain("1 250.00 EUR");
  });

  test("a click comes in with action and value, and the person gets a private answer", async () => {
    const id = await sendCard();
    behind.answer = { text: "A-17 is approved" };
    expect(await played.press(id, "Approve")).toBe("A-17 is approved");
    expect(behind.events).toMatchObject([
      { kind: "click", action: "approve", value: "a-1", messageId: id, chatKind: "group" },
    ]);
  });

  test("a click on a card of an earlier process is answered by the next one", async () => {
    const id = await sendCard();
    await edge.stop();
    edge = played.create(behind.options());
    edge.start();
    behind.answer = { text: "after the restart" };
    expect(await played.press(id, "Approve")).toBe("after the restart");
  });

  test("a failing desk is said to the person and the click stays stored", async () => {
    const id = await sendCard();
    const options = behind.options();
    await edge.stop();
    const handle = async () => {
      throw new Error("no connection");
    };
    edge = played.create({ ...options, desk: { ...options.desk, handle } });
    edge.start();
    expect(await played.press(id, "Approve")).toMatch(/internal error/);
    expect(behind.events).toHaveLength(1);
  });

  test("a click that needs a reason opens a form, and its answer names the subject", async () => {
    const id = await sendCard();
    behind.form = reason;
    await played.press(id, "Reject");
    const prompts = async () => (await played.messages(played.operatorsChat)).length;
    await until(async () => played.leadChat === "D0LEAD" || (await prompts()) > 1 || undefined);
    await played.fillIn("wrong amount");
    const events = await behind.reach(2);
    expect(events[1]).toMatchObject({
      kind: "submission",
      form: "reject_reason",
      subject: "a-1",
      values: { reason: "wrong amount" },
      chatId: played.operatorsChat,
    });
  });

  test("a staff command comes in by name and arguments", async () => {
    await played.command("/pending all of them");
    expect(await behind.reach(1)).toMatchObject([
      { kind: "command", name: "pending", args: "all of them", chatId: played.operatorsChat },
    ]);
  });

  test("a decided card loses its buttons, and the same edit twice is fine", async () => {
    const id = await sendCard();
    const decided = { ...card, outcome: "Approved by Alice" };
    const edit = { kind: "card_edit" as const, card: decided, externalId: id };
    for (let turn = 0; turn < 2; turn += 1)
      expect(await edge.messenger.deliver(delivery(played.operatorsChat, edit), signal)).toEqual({
        kind: "sent",
      });
    const [shown] = await played.messages(played.operatorsChat);
    expect(shown?.buttons).toEqual([]);
    expect(shown?.text).toContain("Approved by Alice");
  });

  test("a long text goes out in parts, in order and without loss", async () => {
    const words = Array.from({ length: 1800 }, (_, at) => `word${at}`).join(" ");
    const sent = delivery(played.leadChat, { kind: "text", text: words, protect: false });
    expect(await edge.messenger.deliver(sent, signal)).toEqual({ kind: "sent" });
    const shown = await played.messages(played.leadChat);
    expect(sent.parts).toEqual(shown.map((message) => message.id));
    expect(sent.parts.length).toBeGreaterThan(2);
    expect(shown.map((message) => message.text).join(" ")).toBe(words);
  });

  test("a delivery goes on after the parts that were sent before", async () => {
    const text = `${"a".repeat(3000)}\n\n${"b".repeat(3000)}`;
    const sent = delivery(
      played.leadChat,
      { kind: "text", text, protect: false },
      { sentParts: ["1"] },
    );
    expect(await edge.messenger.deliver(sent, signal)).toEqual({ kind: "sent" });
    const shown = await played.messages(played.leadChat);
    expect(shown.map((message) => message.text)).toEqual(["b".repeat(3000)]);
  });

  test("too many requests says how long to wait", async () => {
    await played.fault("status", { status: 429, retry_after: 7 });
    const sent = delivery(played.leadChat, { kind: "text", text: "hello", protect: false });
    expect(await edge.messenger.deliver(sent, signal)).toMatchObject({
      kind: "retry",
      afterMs: 7000,
    });
  });

  test("a lost answer is uncertain, never sent again by the client", async () => {
    await played.fault("drop_response_after_effect");
    const sent = delivery(played.leadChat, { kind: "text", text: "hello", protect: false });
    expect(await edge.messenger.deliver(sent, signal)).toMatchObject({ kind: "uncertain" });
    expect(await played.messages(played.leadChat)).toHaveLength(1);
  });

  test("a text in which nobody would see anything is refused", async () => {
    const blank = delivery(played.leadChat, { kind: "text", text: " \u200b\n", protect: false });
    expect(await edge.messenger.deliver(blank, signal)).toMatchObject({ kind: "refused" });
  });

  test("an unknown chat is refused for good", async () => {
    const chatId = played.leadChat === "D0LEAD" ? "C0NOWHERE" : "777777";
    const sent = delivery(chatId, { kind: "text", text: "hello", protect: false });
    expect(await edge.messenger.deliver(sent, signal)).toMatchObject({ kind: "refused" });
  });
});
