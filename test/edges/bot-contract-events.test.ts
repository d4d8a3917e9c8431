import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MessengerEdge } from "../../src/bot/edge.ts";
import { LARGEST_FILE_BYTES, type MessageEvent } from "../../src/domain/inbound.ts";
import type { Card } from "../../src/domain/messenger.ts";
import {
  type PlayedEvents,
  playSlackEvents,
  playTelegramEvents,
} from "../support/bot-played-events.ts";
import { Backstage, delivery, until } from "../support/bot-played-messengers.ts";

const card: Card = { title: "A reply", facts: [], footer: [], buttons: [] };
const signal = new AbortController().signal;

describe.each([
  ["Telegram", playTelegramEvents],
  ["Slack", playSlackEvents],
])("%s", (_, play) => {
  let played: PlayedEvents;
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
    await edge.messenger.deliver(sent, signal);
    return sent.parts[0] ?? "";
  }

  /** All that came in until the lead's closing word, which is left out. */
  async function everything() {
    const closing = "that is all";
    await played.write(closing);
    const isClosing = (event: (typeof behind.events)[number]) =>
      event.kind === "message" && event.text === closing;
    await until(() => behind.events.some(isClosing) || undefined);
    await until(async () => (await played.waiting()).length === 0 || undefined);
    return behind.events.filter((event) => !isClosing(event));
  }

  const turns = async () =>
    (await everything()).filter((event): event is MessageEvent => event.kind === "message");

  test("an edit comes in with the message's id and the whole new text", async () => {
    const id = await played.say("I want to change 1500 USDT");
    await played.edit(id, "I want to change 2500 USDT & more");
    const [message, edit] = await behind.reach(2);
    expect(edit).toMatchObject({
      kind: "edit",
      externalId: id,
      chatId: played.leadChat,
      chatKind: "private",
      text: "I want to change 2500 USDT & more",
    });
    expect(edit?.kind === "edit" && edit.writtenAt).toBe(message?.sentAt);
  });

  test("an edited caption comes with the picture it stands at", async () => {
    const id = await played.sendPhoto("my passport");
    await played.edit(id, "my ID card");
    const [message, edit] = await behind.reach(2);
    expect(edit).toMatchObject({ kind: "edit", text: "my ID card", media: [{ kind: "photo" }] });
    expect(message).toMatchObject({ kind: "message", text: "my passport" });
  });

  test("two edits of a message are two events, in order", async () => {
    const id = await played.say("one");
    await played.edit(id, "two");
    await played.edit(id, "three");
    const events = await behind.reach(3);
    expect(
      events.map((event) => event.kind !== "message" && "text" in event && event.text),
    ).toEqual([false, "two", "three"]);
  });

  test("what the bot itself edits is no event", async () => {
    const id = await sendCard();
    const edit = { kind: "card_edit" as const, card: { ...card, outcome: "done" }, externalId: id };
    await edge.messenger.deliver(delivery(played.operatorsChat, edit), signal);
    expect(await everything()).toEqual([]);
  });

  test("a reaction that is set and taken back is two events with the messenger's emoji", async () => {
    const id = await sendCard();
    await played.react(id, "good", true);
    await played.react(id, "good", false);
    const about = { kind: "reaction", messageId: id, chatId: played.operatorsChat };
    const { good } = played.emoji;
    expect(await behind.reach(2)).toMatchObject([
      { ...about, added: [good], removed: [] },
      { ...about, added: [], removed: [good] },
    ]);
  });

  test("a second reaction beside the first is told alone", async () => {
    const id = await sendCard();
    await played.react(id, "good", true);
    await played.react(id, "wrong_tool", true);
    const events = await behind.reach(2);
    expect(events[1]).toMatchObject({ added: [played.emoji.wrong_tool], removed: [] });
  });

  test("the same reaction set again after it was taken back is a new event", async () => {
    const id = await sendCard();
    for (const isOn of [true, false, true]) await played.react(id, "good", isOn);
    const events = await behind.reach(3);
    expect(new Set(events.map((event) => event.eventKey)).size).toBe(3);
  });

  test("a reaction is handled by the desk and answered with nothing", async () => {
    const id = await sendCard();
    behind.answer = { text: "nobody must read this" };
    const before = await played.messages(played.operatorsChat);
    await played.react(id, "good", true);
    await until(() => behind.handled.length > 0 || undefined);
    await everything();
    expect(await played.messages(played.operatorsChat)).toEqual(before);
  });

  test("the bot's own reaction is no event", async () => {
    const id = await sendCard();
    await played.reactAsBot(id);
    expect(await everything()).toEqual([]);
  });

  test("three pictures sent together come in order, with the one caption", async () => {
    await played.album("both sides and my face");
    const messages = await turns();
    const media = messages.flatMap((message) => message.media);
    expect(media.map(({ kind }) => kind)).toEqual(["photo", "photo", "photo"]);
    expect(messages.map(({ text }) => text).filter(Boolean)).toEqual(["both sides and my face"]);
    expect(new Set(media.map(({ album }) => album)).size).toBe(1);
  });

  test("a forwarded text says whose it is", async () => {
    await played.forward("my wallet is Txyz");
    expect(await turns()).toMatchObject([
      {
        text: "my wallet is Txyz",
        media: [{ kind: "forward", forwarded: true, forwardedFrom: { kind: "user", name: "Ann" } }],
      },
    ]);
  });

  test("a file that is too big to be fetched comes in with its name and size", async () => {
    await played.sendHugeFile("scan.pdf");
    expect(await turns()).toMatchObject([
      { media: [{ kind: "document", fileName: "scan.pdf", sizeBytes: LARGEST_FILE_BYTES + 1 }] },
    ]);
  });

  test("five thousand characters come in whole", async () => {
    const text = Array.from({ length: 1000 }, (_, at) => String(at).padStart(4, "0")).join(" ");
    await played.write(text);
    expect((await turns()).map((message) => message.text).join("")).toBe(text);
  });

  test("what has no words is a turn without text, and what is none breaks nothing", async () => {
    const count = await played.sendOddities();
    const messages = await turns();
    expect(messages).toHaveLength(count);
    for (const { text, media } of messages) {
      expect(text).toBe("");
      expect(media).toHaveLength(1);
    }
  });
});
