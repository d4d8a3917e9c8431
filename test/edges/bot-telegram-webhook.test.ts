import { afterEach, beforeEach, expect, test } from "vitest";
import type { MessengerEdge } from "../../src/bot/edge.ts";
import { createTelegramBot } from "../../src/bot/telegram/bot.ts";
import { Backstage, DELIVERY_SECRET, until } from "../support/bot-played-messengers.ts";
import { type EdgeServer, openEdgeServer } from "../support/edge-server.ts";
import { openTelegramWorld, type TelegramWorld } from "../support/telegram-world.ts";

const ELSEWHERE = "https://crm.example/hook?key=canary-of-another-tool";

let world: TelegramWorld;
let server: EdgeServer;
let behind: Backstage;
let edge: MessengerEdge | undefined;

beforeEach(async () => {
  world = await openTelegramWorld();
  server = await openEdgeServer();
  behind = new Backstage();
});
afterEach(async () => {
  await edge?.stop();
  edge = undefined;
  await world.stop();
  await server.close();
});

async function start({ byWebhook = true, secret = DELIVERY_SECRET } = {}): Promise<MessengerEdge> {
  const webhook = { url: server.address, secret: async () => secret, checkEveryMs: 20 };
  const made = createTelegramBot({
    ...behind.options(),
    token: world.env.TELEGRAM_BOT_TOKEN ?? "",
    apiRoot: world.env.TELEGRAM_API_ROOT ?? "",
    ...(byWebhook ? { webhook } : {}),
  });
  edge = made;
  server.serve(made);
  made.start();
  await until(() => made.status().ok || undefined);
  return made;
}

async function webhookInfo() {
  const { body } = await world.call("getWebhookInfo");
  return body.result as { url: string; allowed_updates?: string[] };
}

const write = (text: string) =>
  world.play("telegram/messages", { chat_id: 1001, user_id: 1001, text });
const textsOf = () => behind.events.map((event) => event.kind === "message" && event.text);

test("the webhook asks for reactions, which come only on request", async () => {
  await start();
  const info = await webhookInfo();
  expect(info.url).toBe(server.address);
  expect(info.allowed_updates).toEqual(
    expect.arrayContaining(["message", "edited_message", "callback_query", "message_reaction"]),
  );
});

test("what came before the webhook was set comes in, in order", async () => {
  for (const text of ["one", "two", "three"]) await write(text);
  await start();
  await behind.reach(3);
  expect(textsOf()).toEqual(["one", "two", "three"]);
});

test("a bot that polls again takes the webhook away and loses nothing", async () => {
  await world.call("setWebhook", { url: "http://127.0.0.1:9/nobody" });
  await write("while nobody listened");
  await start({ byWebhook: false });
  await behind.reach(1);
  expect(textsOf()).toEqual(["while nobody listened"]);
  expect((await webhookInfo()).url).toBe("");
});

test("another secret after a restart is told to Telegram", async () => {
  const first = await start({ secret: "the-first-secret" });
  await first.stop();
  await start({ secret: "the-second-secret" });
  await write("hello");
  await behind.reach(1);
});

test("the same edge takes events in again after a stop", async () => {
  const made = await start();
  await made.stop();
  await write("in between");
  made.start();
  await behind.reach(1);
  expect(textsOf()).toEqual(["in between"]);
});

test("a webhook that another program set is reported with the next step, until it is ours again", async () => {
  const made = await start();
  await world.call("setWebhook", { url: ELSEWHERE });
  await until(() => !made.status().ok || undefined);
  expect(made.status().detail).toMatch(/another program .* crm\.example.*@BotFather.*restart/);
  expect(made.status().detail).not.toContain("canary");
  const ours = { url: server.address, secret_token: DELIVERY_SECRET };
  await world.call("setWebhook", {
    ...ours,
    allowed_updates: (await webhookInfo()).allowed_updates,
  });
  await until(() => made.status().ok || undefined);
});

test("a webhook that another program removed is reported", async () => {
  const made = await start();
  await world.call("deleteWebhook");
  await until(() => !made.status().ok || undefined);
  expect(made.status().detail).toMatch(/removed this bot's webhook/);
});

test("reactions that another program switched off are asked for again", async () => {
  await start();
  const ours = { url: server.address, secret_token: DELIVERY_SECRET };
  await world.call("setWebhook", { ...ours, allowed_updates: ["message"] });
  await until(async () => (await webhookInfo()).allowed_updates?.includes("message_reaction"));
});

test("an address that Telegram refuses is reported with what it wants", async () => {
  const made = createTelegramBot({
    ...behind.options(),
    token: world.env.TELEGRAM_BOT_TOKEN ?? "",
    apiRoot: world.env.TELEGRAM_API_ROOT ?? "",
    webhook: { url: "https://bot.example:3000/hook", secret: async () => "a-secret" },
  });
  edge = made;
  made.start();
  const refused = () => /PUBLIC_URL must be an https address/.test(made.status().detail);
  await until(() => refused() || undefined);
});

test("three deliveries of one click, under three update ids, are one", async () => {
  await start();
  const from = { id: 2001, is_bot: false, first_name: "Alice" };
  const message = { message_id: 5, date: 1, chat: { id: -1002000000001, type: "supergroup" } };
  const click = { id: "77", from, message, chat_instance: "1", data: "approve:a-1" };
  await world.play(
    "telegram/updates",
    [1, 2, 3].map(() => ({ callback_query: click })),
  );
  await until(async () => (await world.get("/sandbox/api/idle?timeout_ms=0")).status === 200);
  expect(behind.events).toMatchObject([{ kind: "click", value: "a-1" }]);
});
