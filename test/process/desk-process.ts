import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Engine } from "../support/engines.ts";
import { createPlayedWorld, type Played, type PlayedWorld } from "../support/played-world.ts";
import {
  type Ended,
  freePort,
  type ProgramOptions,
  type Running,
  runProgram,
  startProgram,
} from "../support/process.ts";

const OPERATORS = "C0OPERATORS";
const LOOK_EVERY_MS = 20;
const HAPPENS_WITHIN_MS = 60_000;

/** The product in a process of its own, with the played world inside. */
export interface DeskProcess {
  world: PlayedWorld;
  dataDir: string;
  /** The process has ended, whoever ended it. */
  isGone(): boolean;
  /** The same folder, database and port as before; resolves when it is ready. */
  start(more?: Record<string, string>): Promise<void>;
  /** A command of the same host, with the same environment. */
  shell(args: string[], more?: Record<string, string>): Promise<Ended>;
  /** Of the process that runs now. */
  pid(): number;
  /** `kill -9` */
  kill(): Promise<void>;
  /** As an owner stops it. */
  stop(): Promise<void>;
  close(): Promise<void>;
  /** Slack's cards whose text fits, oldest first. */
  cards(look: RegExp): Promise<Card[]>;
  /** Alice presses Approve on the newest card that fits; her private answer. */
  approves(look: RegExp): Promise<string>;
  /** Resolves when the played world has written such an event since `mark()`. */
  happened(look: (event: Played) => boolean): Promise<void>;
  mark(): void;
  /** Waits until nothing is under way, leases of a dead process included. */
  settles(): Promise<void>;
  /** Asks the admin API with a personal token; with a body the method is POST unless it is named. */
  admin(path: string, body?: unknown, method?: string): Promise<Played>;
}

export interface Card {
  ts: string;
  text: string;
  buttons: { label: string }[];
  ephemeral_for?: string;
}

/** How the product is run: `preload` names modules that are loaded before it. */
export type DeskProcessOptions = Pick<ProgramOptions, "compiled" | "preload"> & {
  more?: Record<string, string>;
};

export async function openDeskProcess(
  engine: Engine,
  { more: always = {}, ...how }: DeskProcessOptions = {},
): Promise<DeskProcess> {
  const database = await engine.open();
  const dataDir = mkdtempSync(join(tmpdir(), "countersign-process-"));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const journal = join(dataDir, "sandbox", "journal.jsonl");
  const world = createPlayedWorld(origin);
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    COALESCE_MS: "30",
    ...always,
    ...(database.url ? { DATABASE_URL: database.url } : {}),
  };
  let running: Running | undefined;
  let isGone = true;
  let seen = 0;
  let token: string | undefined;
  const desk: DeskProcess = {
    world,
    dataDir,
    shell: (args, more = {}) =>
      runProgram("cli.ts", args, { ...how, env: { ...env, ...more }, cwd: dataDir }),
    async start(more = {}) {
      const options = { ...how, env: { ...env, ...more }, cwd: dataDir };
      running = startProgram("main.ts", [], options);
      isGone = false;
      void running.ended.finally(() => {
        isGone = true;
      });
      await running.says(/Countersign is ready/);
    },
    isGone: () => isGone,
    pid: () => running?.pid ?? 0,
    kill: async () => running?.kill(),
    stop: async () => void (await running?.terminate()),
    async close() {
      await running?.kill();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
    async cards(look) {
      const shown: Card[] = await world.get(`slack/channels/${OPERATORS}/messages`);
      return shown.filter((card) => !card.ephemeral_for && look.test(card.text));
    },
    async approves(look) {
      const ts = (await desk.cards(look)).at(-1)?.ts;
      const click = { channel: OPERATORS, user: "U0ALICE", ts, label: "Approve" };
      const { answer } = await world.post("slack/buttons", click);
      return answer?.text ?? "";
    },
    mark() {
      seen = readJournal(journal).length;
    },
    happened: (look) => waitForEvent(() => readJournal(journal).slice(seen), look),
    settles: () => settle(world),
    async admin(path, body, method = body === undefined ? "GET" : "POST") {
      token ??= await personalToken(desk);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${origin}/api/admin${path}`, { method, headers, ...sent });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
  };
  await desk.start();
  return desk;
}

/** The file is read as it stands: it is written before anybody is answered. */
function readJournal(file: string): Played[] {
  const whole = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line));
}

async function waitForEvent(read: () => Played[], look: (event: Played) => boolean): Promise<void> {
  const giveUpAt = Date.now() + HAPPENS_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    if (read().some(look)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error("what was waited for did not happen in the played world");
}

/** On a server a dead process's lease ends after at most 90 s; then the sweep finds the row. */
async function settle(world: PlayedWorld): Promise<void> {
  try {
    await world.idle();
  } catch {
    await world.get("idle?timeout_ms=90000");
  }
}

/** Made in the shell, as an owner would; the refusal of a wrong id lists the people. */
async function personalToken({ shell }: DeskProcess): Promise<string> {
  const create = (staff: string) => shell(["tokens", "create", "--staff", staff]);
  const listed = await create("nobody");
  const [, admin = ""] = /(\S+) {2}.*\(admin, active\)/.exec(listed.out + listed.err) ?? [];
  const made = await create(admin);
  return z.string().min(20).parse(made.out.split("\n")[0]);
}

const LEAD_WALLET = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf";
const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";

/** Somebody who writes to the bot in a private Telegram chat. */
export interface Client {
  name: string;
  writes(message: object): Promise<void>;
  /** Writes, and waits until everything is done. */
  says(text: string): Promise<void>;
  /** From the first word to the payment that was seen; the next word asks for the payout. */
  pays(): Promise<void>;
  /** What the bot wrote, oldest first. */
  heard(): Promise<string[]>;
}

export function createClient(desk: DeskProcess, id: number): Client {
  const { world } = desk;
  const client: Client = {
    name: `Client ${id}`,
    writes: async (message) =>
      void (await world.post("telegram/messages", {
        chat_id: id,
        user_id: id,
        first_name: client.name,
        ...message,
      })),
    async says(text) {
      await client.writes({ text });
      await world.idle();
    },
    async pays() {
      await client.writes({ photo: {} });
      await client.writes({ video_note: {} });
      await world.idle();
      await desk.approves(/^Identity documents/);
      await world.idle();
      await client.says("Есть 2000 USDT в сети TRC20, хочу забрать баты в вашем офисе");
      await client.says("Устраивает, оформляем");
      const hash = randomBytes(32).toString("hex");
      await world.post("chain/transfers", {
        network: "trc20",
        contract: "USDT",
        from: LEAD_WALLET,
        to: WALLET,
        amount: "2000",
        tx_hash: hash,
        confirmed: true,
      });
      await client.says(`Отправил: ${hash}`);
    },
    async heard() {
      const chat: Played[] = await world.get(`telegram/chats/${id}/messages`);
      return chat.filter(({ from_bot }) => from_bot).map(({ text }) => text);
    },
  };
  return client;
}
