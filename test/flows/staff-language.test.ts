import { afterAll, beforeAll, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import { type Desk, OPERATORS_CHANNEL } from "../support/desk-people.ts";
import { embeddedEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk(embeddedEngine);
});
afterAll(() => desk.close());

async function help(): Promise<string> {
  const typed = { channel: OPERATORS_CHANNEL, user: "U0BOB", command: "/help", text: "" };
  const { answer } = await desk.world.post("slack/commands", typed);
  return answer?.text ?? "";
}
async function cards(): Promise<string> {
  return JSON.stringify(await desk.slackCards());
}
async function newestPrompt(): Promise<string> {
  const requests: Played[] = await desk.modelRequests();
  return String(requests.findLast(({ body }) => body.tools)?.body.messages[0].content);
}

test("a changed name and language hold from the next message on, without a restart", async () => {
  expect(await help()).not.toMatch(/[а-я]/i);
  await desk.admin("PATCH", "/tenants/default", { name: "Моя контора", language: "ru" });
  expect(await help()).toMatch(/[а-я]{3}/i);
  const lead = desk.lead();
  await lead.says("hello");
  expect(await newestPrompt()).toContain("You answer clients of Моя контора in chat.");
  for (const file of [{ photo: {} }, { video_note: {} }])
    await desk.world.post("telegram/messages", { chat_id: 1002, user_id: 1002, ...file });
  await desk.idle();
  await desk.until(async () => (await cards()).includes("Одобрить"));
  expect(await cards()).not.toContain("Approve");
});

test("the page's language is the staff's, also after the desk was set up anew", async () => {
  await desk.world.post("language", { language: "ru" });
  expect(await help()).toMatch(/[а-я]{3}/i);
  const { items } = await desk.admin("GET", "/audit?limit=200");
  expect(items.map((line: Played) => line.event_type)).toContain("tenant.changed");
  await desk.world.post("reset", {});
  expect(await help()).not.toMatch(/[а-я]/i);
  await desk.world.post("language", { language: "ru" });
  expect(await help()).toMatch(/[а-я]{3}/i);
});
