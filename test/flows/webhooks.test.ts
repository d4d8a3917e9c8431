import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type App, startApp } from "../../src/app.ts";
import { seed } from "../../src/cli/seed.ts";
import { loadConfig } from "../../src/config.ts";
import type { Log } from "../../src/lib/log.ts";
import { makeParts } from "../../src/sandbox/parts.ts";
import { type Standalone, startStandalone } from "../../src/sandbox/standalone.ts";
import { forEachEngine, type OwnDatabase } from "../support/engines.ts";
import { createPlayedWorld, type Played, type PlayedWorld } from "../support/played-world.ts";
import { freePort } from "../support/process.ts";

const SETUP_TOKEN = "setup-token-of-the-flows";
const QUESTION = "How much baht do I get for 1000 USDT on TRC20?";
const LIMIT = { timeout: 60_000, interval: 50 };

/** The bot apart from the played messengers, which deliver to it over HTTP. */
forEachEngine((engine) => {
  let folder: string;
  let database: OwnDatabase;
  let emulators: Standalone;
  let world: PlayedWorld;
  let bot: App;
  const logged: string[] = [];
  let lastUser = 7000;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "countersign-webhooks-"));
    database = await engine.open();
    const dataDir = join(folder, "world");
    emulators = await startStandalone({ port: 0, dataDir, parts: makeParts });
    world = createPlayedWorld(emulators.origin);
    bot = await startApp(loadConfig(await environment()), collecting(logged));
    await seed({ url: bot.origin, token: SETUP_TOKEN, write: () => {} });
    await world.post("slack/request-url", { url: `${bot.origin}/slack/events` });
  });
  afterAll(async () => {
    await bot?.stop();
    await emulators?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function environment(): Promise<Record<string, string>> {
    const { SLACK_APP_TOKEN: _socket, ...played } = emulators.env;
    const port = String(await freePort());
    return {
      ...played,
      ...{ SANDBOX: "off", PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}/` },
      ...{ DATA_DIR: join(folder, "bot"), COALESCE_MS: "30", ADMIN_TOKEN: SETUP_TOKEN },
      ...(database.url ? { DATABASE_URL: database.url } : {}),
    };
  }

  function newLead() {
    lastUser += 1;
    const who = { chat_id: lastUser, user_id: lastUser, first_name: "Lena" };
    const chat = () => world.get<Played[]>(`telegram/chats/${who.chat_id}/messages`);
    const answers = async () => (await chat()).filter(({ from_bot }) => from_bot);
    return {
      write: (content: object) => world.post("telegram/messages", { ...who, ...content }),
      edit: (message_id: number, text: string) =>
        world.post("telegram/edits", {
          chat_id: who.chat_id,
          user_id: who.user_id,
          message_id,
          text,
        }),
      answers,
      hears: (text: string) =>
        vi.waitFor(async () => {
          const found = (await answers()).find((answer) => answer.text.includes(text));
          expect(found).toBeDefined();
          return found;
        }, LIMIT),
    };
  }

  async function admin(path: string): Promise<Played> {
    const headers = { authorization: `Bearer ${SETUP_TOKEN}` };
    return (await fetch(`${bot.origin}/api/admin${path}`, { headers })).json();
  }
  const ready = async () => (await fetch(`${bot.origin}/readyz`)).json() as Promise<Played>;

  test("a lead writes, is answered once, and Telegram is rid of the message", async () => {
    const lena = newLead();
    await lena.write({ text: QUESTION });
    await lena.hears("31300");
    expect(await lena.answers()).toHaveLength(1);
    expect(await world.get("telegram/updates")).toEqual([]);
  });

  test("a sum that the lead changes in the message is answered anew", async () => {
    const lena = newLead();
    const { message_id } = await lena.write({ text: QUESTION });
    await lena.hears("31300");
    await lena.edit(message_id, QUESTION.replace("1000", "2000"));
    await lena.hears("62600");
    expect(await lena.answers()).toHaveLength(2);
  });

  test("a click in Slack decides, over HTTP, and its person is told", async () => {
    const lena = newLead();
    const open = async (besides?: string) =>
      vi.waitFor(async () => {
        const cards = await world.get<Played[]>("slack/channels/C0OPERATORS/messages");
        const found = cards.findLast(({ ts, buttons }) => buttons.length > 0 && ts !== besides);
        expect(found).toBeDefined();
        return found;
      }, LIMIT);
    await lena.write({ photo: {} });
    const early = await open();
    // the second document makes a newer card of both
    await lena.write({ video_note: {} });
    const card = await open(early?.ts);
    const pressed = { channel: "C0OPERATORS", user: "U0ALICE", ts: card?.ts, label: "Approve" };
    const { answer, responses } = await world.post("slack/buttons", pressed);
    expect(answer?.text ?? responses[0]?.text).toMatch(/A-\d+/);
    await lena.hears("verif");
  });

  test("a reaction to the mirrored reply is a label in the conversation's trace", async () => {
    const chat_id = -1002000000002;
    const mirrors = await world.get<Played[]>(`telegram/chats/${chat_id}/messages`);
    const mirror = mirrors.find(({ text }) => text.includes("31300"));
    const reaction = { chat_id, user_id: 2001, message_id: mirror?.message_id };
    const labels = async () => {
      const { items } = await admin("/conversations");
      const traces = await Promise.all(
        items.map(({ id }: Played) => admin(`/conversations/${id}`)),
      );
      return traces.flatMap(({ messages }) => messages.flatMap((one: Played) => one.labels ?? []));
    };
    await world.post("telegram/reactions", { ...reaction, emoji: ["🤔"] });
    await vi.waitFor(async () => expect(await labels()).toEqual(["wrong_tool"]), LIMIT);
    await world.post("telegram/reactions", { ...reaction, emoji: [] });
    await vi.waitFor(async () => expect(await labels()).toEqual([]), LIMIT);
  });

  test("both messengers are well, and say how events come in", async () => {
    const { telegram, slack } = await ready();
    expect(telegram).toMatchObject({ ok: true, detail: expect.stringContaining("webhook") });
    expect(slack).toMatchObject({ ok: true, detail: expect.stringContaining("/slack/events") });
  });

  test("a stranger's delivery is refused at every address", async () => {
    const post = async (path: string) =>
      (await fetch(bot.origin + path, { method: "POST", body: '{"update_id":1}' })).status;
    expect(await post("/telegram/webhook/telegram:default")).toBe(401);
    expect(await post("/telegram/webhook/telegram:other")).toBe(404);
    expect(await post("/telegram/webhook/slack:default")).toBe(404);
    expect(await post("/slack/events")).toBe(401);
  });

  test("the secret that was made for Telegram stands nowhere in the clear", async () => {
    const secret = emulatedSecret(join(folder, "world"));
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(await database.holds(secret, join(folder, "bot"))).toBe(false);
    expect(logged.join("\n")).not.toContain(secret);
  });
});

/** What the played Telegram was told to send with each delivery. */
function emulatedSecret(dataDir: string): string {
  const journal = readFileSync(join(dataDir, "sandbox", "journal.jsonl"), "utf8");
  const lines = journal.split("\n").filter((line) => line.includes('"telegram.webhook"'));
  return JSON.parse(lines.at(-1) ?? "{}").data.webhook.secretToken;
}

function collecting(lines: string[]): Log {
  const keep = (fields: object, text: string) =>
    void lines.push(JSON.stringify({ ...fields, text }));
  return { debug: keep, info: keep, warn: keep, error: keep };
}
