import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MessengerEdge } from "../../src/bot/edge.ts";
import type { MessageEvent } from "../../src/domain/inbound.ts";
import { Backstage, type PlayedMessenger, playSlack } from "../support/bot-played-messengers.ts";

const FILE = { name: "passport.png", mimetype: "image/png" };

describe("what Slack's leads wrote while nobody took events in", () => {
  let slack: PlayedMessenger;
  let behind: Backstage;
  let edge: MessengerEdge;
  beforeEach(async () => {
    slack = await playSlack();
    behind = new Backstage();
    edge = slack.create(behind.options());
    await edge.check();
  });
  afterEach(async () => {
    await edge.stop();
    await slack.close();
  });

  const says = (channel: string, user: string, content: object) =>
    slack.play("slack/messages", { channel, user, ...content });
  const catchesUp = (chatIds: string[], sinceMs = Date.now()) =>
    edge.catchUp?.({ chatIds, sinceMs, signal: AbortSignal.timeout(20_000) });
  const messages = () =>
    behind.events.filter((event): event is MessageEvent => event.kind === "message");

  test("is read from the chats' histories, oldest first, with its files and its own time", async () => {
    await says("D0LEAD", "U0LEAD", { text: "I have paid & wait" });
    await says("D0LEAD", "U0LEAD", { text: "here", files: [FILE] });
    expect(await catchesUp(["D0LEAD"])).toBe(2);
    expect(messages()).toMatchObject([
      { chatId: "D0LEAD", chatKind: "private", text: "I have paid & wait", media: [] },
      { chatId: "D0LEAD", text: "here", media: [{ kind: "photo", fileName: "passport.png" }] },
    ]);
    const [first] = messages();
    expect(Math.abs((first?.sentAt ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test("has the key that it has as an event, so that it is stored once", async () => {
    await says("D0LEAD", "U0LEAD", { text: "hello" });
    await catchesUp(["D0LEAD"]);
    const hearing = new Backstage();
    const listener = slack.create(hearing.options());
    listener.start();
    const [heard] = await hearing.reach(1);
    await listener.stop();
    const [read] = messages();
    expect(heard?.eventKey).toBe(read?.eventKey);
    expect(heard?.person).toMatchObject({ id: read?.person.id, teamId: read?.person.teamId });
  });

  test("is found also of somebody who wrote for the first time", async () => {
    await says("D0NEWCOMER", "U0NEWCOMER", { text: "is anybody there?" });
    expect(await catchesUp([])).toBe(1);
    expect(messages()).toMatchObject([{ chatId: "D0NEWCOMER", text: "is anybody there?" }]);
  });

  test("leaves out what the bot said, and what is older than the outage", async () => {
    await slack.call("chat.postMessage", { channel: "D0LEAD", text: "our answer" });
    await says("D0LEAD", "U0LEAD", { text: "long ago" });
    expect(await catchesUp(["D0LEAD"], Date.now() + 3_600_000)).toBe(0);
    expect(await catchesUp(["D0LEAD"])).toBe(1);
  });

  test("waits when Slack says that it is asked too often", async () => {
    await says("D0LEAD", "U0LEAD", { text: "hello" });
    await slack.fault("status", { status: 429, retry_after: 1, count: 1 });
    expect(await catchesUp(["D0LEAD"])).toBe(1);
  });

  test("of a chat that cannot be read costs no other chat its messages", async () => {
    await says("D0LEAD", "U0LEAD", { text: "hello" });
    expect(await catchesUp(["D0GONE", "D0LEAD"])).toBe(1);
  });
});
