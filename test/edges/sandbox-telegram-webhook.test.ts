import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Json, openTelegramWorld, type TelegramWorld } from "../support/telegram-world.ts";

const SECRET = "played_secret-1";

interface Delivered {
  update: Json;
  headers: IncomingHttpHeaders;
  /** Ends the request. */
  answer(status: number, headers?: Record<string, string>): void;
}

let world: TelegramWorld;
let server: Server;
let url: string;
let delivered: Delivered[];
/** What each delivery is answered at once; null: by hand. */
let reply: { status: number; headers?: Record<string, string> } | null;

beforeEach(async () => {
  world = await openTelegramWorld();
  delivered = [];
  reply = { status: 200 };
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const answer: Delivered["answer"] = (status, headers) =>
        void response.writeHead(status, headers).end();
      delivered.push({ update: JSON.parse(body), headers: request.headers, answer });
      if (reply) answer(reply.status, reply.headers);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterEach(async () => {
  await world.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const setWebhook = (more: Json = {}) =>
  world.call("setWebhook", { url, secret_token: SECRET, ...more });
const writes = (user_id: number, text: string) =>
  world.play("telegram/messages", { chat_id: user_id, user_id, text });
const advance = (seconds: number) => world.play("clock", { advance_s: seconds });
const info = async () => (await world.call("getWebhookInfo")).body.result as Json;
const texts = () => delivered.map(({ update }) => (update.message as Json | undefined)?.text);
const reached = (count: number) =>
  vi.waitFor(() => expect(delivered.length).toBe(count), { timeout: 5000, interval: 5 });
const idle = () => world.get("/sandbox/api/idle?timeout_ms=5000");
/** Time for what must not happen: the delivery looks for work at each entry of the journal. */
const look = () => advance(0);

describe("a delivery", () => {
  test("is the update as JSON with the secret, and is done with a good answer", async () => {
    await setWebhook();
    const { body } = await writes(1001, "hello");
    expect((await idle()).status).toBe(200);
    expect(delivered).toHaveLength(1);
    expect(delivered[0]?.update).toMatchObject({
      update_id: body.update_id,
      message: { text: "hello" },
    });
    expect(delivered[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "x-telegram-bot-api-secret-token": SECRET,
    });
  });

  test("without a secret has no such header", async () => {
    await world.call("setWebhook", { url });
    await writes(1001, "hello");
    await reached(1);
    expect(delivered[0]?.headers).not.toHaveProperty("x-telegram-bot-api-secret-token");
  });

  test("keeps the world busy until it is answered", async () => {
    reply = null;
    await setWebhook();
    const { body } = await writes(1001, "hello");
    await reached(1);
    const busy = await world.get("/sandbox/api/idle?timeout_ms=0");
    expect(busy.body.waiting).toEqual([`telegram update ${body.update_id} (message)`]);
    delivered[0]?.answer(200);
    expect((await idle()).status).toBe(200);
  });

  test("goes on after a restart of the world", async () => {
    reply = { status: 500 };
    await setWebhook();
    await writes(1001, "hello");
    await reached(2);
    reply = { status: 200 };
    await world.restart();
    expect((await idle()).status).toBe(200);
    expect(new Set(texts())).toEqual(new Set(["hello"]));
  });

  test("is lost once by a played fault and comes again", async () => {
    await setWebhook();
    await world.play("faults", { service: "telegram", kind: "lose_first", count: 1 });
    await writes(1001, "hello");
    expect((await idle()).status).toBe(200);
    expect(texts()).toEqual(["hello"]);
  });

  test("never leaves this machine", async () => {
    await world.call("setWebhook", { url: "https://bot.example/hook" });
    await writes(1001, "hello");
    await vi.waitFor(async () =>
      expect(await info()).toMatchObject({ last_error_message: expect.stringMatching(/machine/) }),
    );
  });
});

describe("the order", () => {
  beforeEach(() => {
    reply = null;
  });

  test("of a chat is kept: the next message waits for the answer to the former", async () => {
    await setWebhook();
    await writes(1001, "one");
    await writes(1001, "two");
    await reached(1);
    await look();
    expect(texts()).toEqual(["one"]);
    delivered[0]?.answer(200);
    await reached(2);
    expect(texts()).toEqual(["one", "two"]);
  });

  test("of a chat holds over the retries of the former message", async () => {
    await setWebhook();
    await writes(1001, "one");
    await writes(1001, "two");
    await reached(1);
    delivered[0]?.answer(500);
    await reached(2);
    expect(texts()).toEqual(["one", "one"]);
    delivered[1]?.answer(200);
    await reached(3);
    expect(texts()).toEqual(["one", "one", "two"]);
  });

  test("does not bind another chat, a click or a reaction", async () => {
    const group = Number(world.env.TELEGRAM_OPERATOR_CHAT_ID);
    const markup = { inline_keyboard: [[{ text: "Ok", callback_data: "ok" }]] };
    const sent = await world.call("sendMessage", {
      chat_id: group,
      text: "?",
      reply_markup: markup,
    });
    const { message_id } = sent.body.result as { message_id: number };
    await setWebhook({ allowed_updates: ["message", "callback_query", "message_reaction"] });
    const alice = { chat_id: group, user_id: 2001 };
    await world.play("telegram/messages", { ...alice, text: "in the group" });
    await writes(1001, "elsewhere");
    await world.play("telegram/reactions", { ...alice, message_id, emoji: ["👍"] });
    const pressed = world.play("telegram/buttons", { ...alice, message_id, label: "Ok" });
    await reached(4);
    const kinds = delivered.map(({ update }) => Object.keys(update)[1]).sort();
    expect(kinds).toEqual(["callback_query", "message", "message", "message_reaction"]);
    const clicks = delivered.flatMap(({ update }) => update.callback_query ?? []) as Json[];
    await world.call("answerCallbackQuery", { callback_query_id: clicks[0]?.id });
    await pressed;
  });

  test("lets no more through at once than the webhook's connections", async () => {
    await setWebhook({ max_connections: 1 });
    await writes(1001, "one");
    await writes(5001, "another chat");
    await reached(1);
    await look();
    expect(delivered).toHaveLength(1);
    delivered[0]?.answer(200);
    await reached(2);
  });
});

describe("a failed delivery", () => {
  test("comes again at once, then after 2, 4 and 8 seconds of played time", async () => {
    reply = { status: 502 };
    await setWebhook();
    await writes(1001, "hello");
    await reached(2);
    for (const [count, seconds] of [
      [3, 2],
      [4, 4],
      [5, 8],
    ] as const) {
      await advance(seconds - 1);
      expect(delivered).toHaveLength(count - 1);
      await advance(1);
      await reached(count);
    }
    expect(await info()).toMatchObject({
      pending_update_count: 1,
      last_error_message: "Wrong response from the webhook: 502 Bad Gateway",
    });
  });

  test("waits as long as the server asks", async () => {
    reply = { status: 503, headers: { "Retry-After": "600" } };
    await setWebhook();
    await writes(1001, "hello");
    await reached(1);
    await advance(590);
    expect(delivered).toHaveLength(1);
    reply = { status: 200 };
    await advance(10);
    await reached(2);
  });

  test("is given up when the update expires", async () => {
    reply = { status: 500 };
    await setWebhook();
    await writes(1001, "hello");
    await reached(2);
    await advance(86_400);
    expect((await idle()).status).toBe(200);
    expect(await info()).toMatchObject({ url, pending_update_count: 0 });
  });

  test("with 410 for 23 hours takes the webhook away", async () => {
    reply = { status: 410 };
    await setWebhook();
    await writes(1001, "hello");
    await reached(2);
    await advance(22 * 3600);
    await reached(3);
    expect(await info()).toMatchObject({ url });
    await advance(3600 + 60);
    await vi.waitFor(async () => expect(await info()).toMatchObject({ url: "" }));
  });

  test("to a server that is not there comes again when it is", async () => {
    await world.call("setWebhook", { url: "http://127.0.0.1:9/hook" });
    await writes(1001, "hello");
    await vi.waitFor(async () =>
      expect(await info()).toMatchObject({ last_error_message: "Connection refused" }),
    );
    await setWebhook();
    await advance(60);
    expect((await idle()).status).toBe(200);
    expect(texts()).toEqual(["hello"]);
  });
});

describe("setWebhook", () => {
  test.each([
    ["http to another machine", "http://bot.example/hook", /HTTPS URL must be provided/],
    ["a port that the service does not serve", "https://bot.example:3000/hook", /only on ports/],
    ["no address", "nonsense", /invalid webhook URL/],
  ])("refuses %s", async (_name, address, message) => {
    const { body } = await world.call("setWebhook", { url: address });
    expect(body).toMatchObject({ ok: false, error_code: 400 });
    expect(body.description).toMatch(message);
  });

  test("refuses a secret with other characters", async () => {
    const { body } = await world.call("setWebhook", { url, secret_token: "no spaces" });
    expect(body.description).toBe("Bad Request: secret token contains unallowed characters");
  });
});

test("a reaction in a channel names nobody: only how many there are", async () => {
  const channel = { id: -1005000000001, type: "channel" };
  const message = { message_id: 1, date: 1, chat: channel, text: "news" };
  await setWebhook({ allowed_updates: ["message", "message_reaction", "message_reaction_count"] });
  await world.play("telegram/updates", [{ message }]);
  await world.play("telegram/rights", { chat_id: channel.id, admin: true });
  const reaction = { chat_id: channel.id, message_id: 1, emoji: ["👍"] };
  await world.play("telegram/reactions", { ...reaction, user_id: 2001 });
  await world.play("telegram/reactions", { ...reaction, user_id: 2002 });
  expect((await idle()).status).toBe(200);
  const counts = delivered.flatMap(({ update }) => update.message_reaction_count ?? []) as Json[];
  expect(counts.map(({ reactions }) => reactions)).toEqual([
    [{ type: { type: "emoji", emoji: "👍" }, total_count: 1 }],
    [{ type: { type: "emoji", emoji: "👍" }, total_count: 2 }],
  ]);
  expect(JSON.stringify(counts)).not.toContain("2001");
});
