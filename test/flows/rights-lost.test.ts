import { afterAll, beforeAll, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import { type Desk, OPERATORS_GROUP } from "../support/desk-people.ts";
import { embeddedEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk(embeddedEngine);
});
afterAll(() => desk.close());

async function ready(): Promise<{ status: number; parts: Played }> {
  const answer = await fetch(`${desk.origin()}/readyz`);
  return { status: answer.status, parts: await answer.json() };
}
async function gauge(name: string, messenger: string): Promise<number> {
  const text = await (await fetch(`${desk.origin()}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{messenger="${messenger}"\\} (\\d+)$`, "m").exec(text)?.[1]);
}
/** A client's words are mirrored, and a person is asked for: both messengers' chats get something. */
const somethingHappens = () => desk.lead().says("I want to talk to a person");

test("a revoked installation is not ready, until the messenger takes the bot again", async () => {
  await desk.until(async () => (await ready()).status === 200);
  await desk.world.post("slack/installation", { revoked: true });
  await somethingHappens();
  await desk.until(async () => (await ready()).status === 503);
  const { parts } = await ready();
  expect(parts.slack.ok).toBe(false);
  expect(parts.slack.detail).toMatch(
    /^Slack refused SLACK_BOT_TOKEN \(\w+\) – copy .*; npm run doctor looks at all of it \(/,
  );
  expect(parts.telegram.ok).toBe(true);
  expect(await gauge("countersign_messenger_ok", "slack")).toBe(0);
  expect(await gauge("countersign_messenger_problems", "slack")).toBe(1);

  await desk.world.post("slack/installation", { revoked: false });
  await desk.advance(90); // what waits is sent
  await desk.until(async () => (await ready()).status === 200);
  expect(await gauge("countersign_messenger_ok", "slack")).toBe(1);
});

test("a staff chat that put the bot out is a line of it, and the rest goes on", async () => {
  await desk.world.post("telegram/rights", {
    chat_id: OPERATORS_GROUP,
    admin: false,
    inside: false,
  });
  await somethingHappens();
  await desk.until(async () => /the bot is not in it/.test((await ready()).parts.telegram.detail));
  const { status, parts } = await ready();
  expect(status).toBe(200);
  expect(parts.telegram.detail).toMatch(
    /^polling; seen: chat -1002000000001 .*the bot is not in it – add @\w+ to the group/,
  );
  expect(await gauge("countersign_messenger_problems", "telegram")).toBe(1);
});
