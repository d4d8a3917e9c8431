import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { type App, type GivenParts, startApp } from "../../src/app.ts";
import { loadConfig } from "../../src/config.ts";
import type { Log } from "../../src/lib/log.ts";
import { handCommand } from "../../src/store/folder-lock.ts";
import { type Canary, canariesOf, canary, refuseLeaks } from "./canary.ts";
import { createLead } from "./desk-lead.ts";
import { createGroupOperator, createOperator } from "./desk-operator.ts";
import { type Desk, OPERATORS_CHANNEL, OPERATORS_GROUP } from "./desk-people.ts";
import { createSlackLead } from "./desk-slack-lead.ts";
import type { Engine } from "./engines.ts";
import { createPlayedWorld, type Played } from "./played-world.ts";
import { freePort } from "./process.ts";

export const SETUP_TOKEN = "setup-token-of-the-flows";

/** Messages that come within `coalesceMs` of each other are answered together. */
export async function openDesk(
  engine: Engine,
  { coalesceMs = 30, ...given }: GivenParts & { coalesceMs?: number } = {},
): Promise<Desk> {
  const database = await engine.open();
  const dataDir = mkdtempSync(join(tmpdir(), "countersign-flows-"));
  const logged: string[] = [];
  const config = loadConfig({
    // the same after a restart: the played world is at the same address
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    COALESCE_MS: String(coalesceMs),
    ADMIN_TOKEN: SETUP_TOKEN,
    ...(database.url ? { DATABASE_URL: database.url } : {}),
  });
  let app = await startApp(config, collectingLog(logged), given);
  const world = createPlayedWorld(app.origin);
  const token = await createPersonalToken(app, dataDir);
  const desk: Desk = {
    world,
    dataDir,
    origin: () => app.origin,
    logged,
    databaseHolds: (text) => database.holds(text, dataDir),
    lead: (userId = nextUserId()) => createLead(desk, userId),
    slackLead: () => createSlackLead(desk),
    operator: (slackUser) => createOperator(desk, slackUser),
    groupOperator: (userId) => createGroupOperator(desk, userId),
    admin: (method, path, body) => send(app.origin, token, method, path, body),
    async adminAs(own, method, path, body) {
      return (await request(app.origin, { token: own, method, path, body })).json();
    },
    script: (steps) => world.post("model/script", steps),
    fault: (fault) => world.post("faults", fault),
    async advance(seconds) {
      await world.post("clock", { advance_s: seconds });
      await world.idle();
    },
    idle: world.idle,
    async restart(meanwhile = async () => {}) {
      await app.stop();
      await meanwhile(database.url, dataDir);
      app = await startApp(config, collectingLog(logged), given);
    },
    slackCards: () => world.get(`slack/channels/${OPERATORS_CHANNEL}/messages`),
    groupCards: () => world.get(`telegram/chats/${OPERATORS_GROUP}/messages`),
    payouts: () => world.get("payouts"),
    async payoutsOf(lead) {
      const { orders } = await lead.trace();
      const names = orders.map(({ number }: Played) => `EX-${number}`);
      const all: Played[] = await desk.payouts();
      return all.filter(({ order_id }) => names.includes(order_id));
    },
    until: (condition) =>
      vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 30_000 }),
    modelRequests: () => world.get("model/requests"),
    async close() {
      const canaries = [
        ...canariesOf({
          ADMIN_TOKEN: SETUP_TOKEN,
          DATABASE_URL: database.url ?? "",
          DATA_DIR: dataDir,
        }),
        ...canary("a personal token", token),
        ...(await payoutCodes(app.origin, await desk.payouts())),
      ];
      const trail = await verifiedTrail(dataDir);
      await app.stop();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
      refuseLeaks("The log", logged.join("\n"), canaries);
      expect(trail).toEqual({ code: 0, lines: [expect.stringMatching(/^default: \d+ rows in/)] });
    },
  };
  return desk;
}

let lastUserId = 50_000;

function nextUserId(): number {
  lastUserId += 1;
  return lastUserId;
}

/** Keeps what a log at the lowest level would write. */
function collectingLog(lines: string[]): Log {
  const keep = (level: string) => (fields: object, text: string) => {
    const plain = (_: string, value: unknown) => (value instanceof Error ? value.stack : value);
    lines.push(JSON.stringify({ level, ...fields, text }, plain));
  };
  return { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
}

/** Reads with the set-up token, then asks for a personal one as a host's shell would. */
async function createPersonalToken({ origin }: App, dataDir: string): Promise<string> {
  const { items } = await send(origin, SETUP_TOKEN, "GET", "/staff");
  const { id } = items.find(({ role }: { role: string }) => role === "admin");
  const lines: string[] = [];
  const command = { command: "tokens", args: ["create", "--staff", id], cwd: dataDir };
  await handCommand(dataDir, command, (line) => lines.push(line));
  return lines[0] ?? "";
}

/** Whatever a flow does, its audit trail is whole and lacks nothing. */
async function verifiedTrail(dataDir: string) {
  const lines: string[] = [];
  const command = { command: "audit", args: ["verify"], cwd: dataDir };
  const code = await handCommand(dataDir, command, (line) => lines.push(line));
  return { code, lines };
}

/** Codes that pay out cash, as the played gateway knows them. */
async function payoutCodes(origin: string, payouts: Played[]): Promise<Canary[]> {
  const codes: Canary[] = [];
  for (const { key } of payouts) {
    // a fault that a test has left may take the answer
    const answer = await fetch(`${origin}/sandbox/payout/payouts/by-key/${key}`).catch(() => null);
    const { code = "" }: Played = answer?.ok ? await answer.json() : {};
    codes.push(...canary("a payout code", code));
  }
  return codes;
}

// biome-ignore lint/complexity/useMaxParams: the parts of one request
async function send(
  origin: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Played> {
  const answer = await request(origin, { token, method, path, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

function request(
  origin: string,
  { token, method, path, body }: { token: string; method: string; path: string; body?: unknown },
): Promise<Response> {
  return fetch(`${origin}/api/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
