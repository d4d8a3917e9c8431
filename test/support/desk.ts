import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, startApp } from "../../src/app.ts";
import { loadConfig } from "../../src/config.ts";
import type { Log } from "../../src/lib/log.ts";
import type { Fault } from "../../src/sandbox/faults.ts";
import type { ScriptStep } from "../../src/sandbox/model/script.ts";
import { handCommand } from "../../src/store/folder-lock.ts";
import { createLead, type Lead } from "./desk-lead.ts";
import { createOperator, type Operator } from "./desk-operator.ts";
import type { Engine } from "./engines.ts";
import { createPlayedWorld, type Played, type PlayedWorld } from "./played-world.ts";

export const OPERATORS_CHANNEL = "C0OPERATORS";
const SETUP_TOKEN = "setup-token-of-the-flows";

/** The whole product in this process, with the example desk, and the people around it. */
export interface Desk {
  world: PlayedWorld;
  dataDir: string;
  databaseUrl: string | null;
  /** Everything that was logged, one line each. */
  logged: string[];
  /** A person nobody has seen before, unless an id is given. */
  lead(userId?: number): Lead;
  operator(slackUser: "U0ALICE" | "U0BOB" | "U0ADMIN" | "U0EVE"): Operator;
  /** The admin API with Admin's personal token. */
  admin(method: string, path: string, body?: unknown): Promise<Played>;
  /** Answers of the model before its own, in order. */
  script(steps: ScriptStep[]): Promise<void>;
  fault(fault: Fault): Promise<void>;
  /** Moves the clock and waits until what became due is done. */
  advance(seconds: number): Promise<void>;
  idle(): Promise<void>;
  slackCards(): Promise<SlackMessage[]>;
  payouts(): Promise<Played[]>;
  modelRequests(): Promise<{ body: Played; scripted: boolean }[]>;
  close(): Promise<void>;
}

export interface SlackMessage {
  ts: string;
  thread_ts?: string;
  user: string;
  text: string;
  buttons: { label: string }[];
  ephemeral_for?: string;
}

export async function openDesk(engine: Engine): Promise<Desk> {
  const database = await engine.open();
  const dataDir = mkdtempSync(join(tmpdir(), "countersign-flows-"));
  const logged: string[] = [];
  const config = loadConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    COALESCE_MS: "30",
    ADMIN_TOKEN: SETUP_TOKEN,
    ...(database.url ? { DATABASE_URL: database.url } : {}),
  });
  const app = await startApp(config, collectingLog(logged));
  const world = createPlayedWorld(app.origin);
  const admin = await createAdminClient(app, dataDir);
  const desk: Desk = {
    world,
    dataDir,
    databaseUrl: database.url,
    logged,
    lead: (userId = nextUserId()) => createLead(desk, userId),
    operator: (slackUser) => createOperator(desk, slackUser),
    admin,
    script: (steps) => world.post("model/script", steps),
    fault: (fault) => world.post("faults", fault),
    async advance(seconds) {
      await world.post("clock", { advance_s: seconds });
      await world.idle();
    },
    idle: world.idle,
    slackCards: () => world.get(`slack/channels/${OPERATORS_CHANNEL}/messages`),
    payouts: () => world.get("payouts"),
    modelRequests: () => world.get("model/requests"),
    async close() {
      await app.stop();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
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
    lines.push(JSON.stringify({ level, ...fields, error: errorText(fields), text }));
  };
  return { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
}

function errorText(fields: object): string | undefined {
  const error = Object.values(fields).find((value) => value instanceof Error);
  return error instanceof Error ? (error.stack ?? error.message) : undefined;
}

/** Reads with the set-up token, then asks for a personal one as a host's shell would. */
async function createAdminClient({ origin }: App, dataDir: string): Promise<Desk["admin"]> {
  const { items } = await send(origin, SETUP_TOKEN, "GET", "/staff");
  const { id } = items.find(({ role }: { role: string }) => role === "admin");
  const lines: string[] = [];
  const command = { command: "tokens", args: ["create", "--staff", id], cwd: dataDir };
  await handCommand(dataDir, command, (line) => lines.push(line));
  return (method, path, body) => send(origin, lines[0] ?? "", method, path, body);
}

// biome-ignore lint/complexity/useMaxParams: the parts of one request
async function send(
  origin: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Played> {
  const answer = await fetch(`${origin}/api/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}
