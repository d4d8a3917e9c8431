import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine, OwnDatabase } from "../support/engines.ts";
import { createPlayedWorld, type Played, type PlayedWorld } from "../support/played-world.ts";
import { freePort, type Running, runProgram, startProgram } from "../support/process.ts";

const LEAD = 1001;
const LEAD_WALLET = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf";
const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";
const OPERATORS = "C0OPERATORS";
const LOOK_EVERY_MS = 20;
const HAPPENS_WITHIN_MS = 60_000;

export interface Card {
  ts: string;
  text: string;
  buttons: { label: string }[];
  ephemeral_for?: string;
}

/** The product in a process of its own, and the lead and the operator who use it. */
export interface DeskProcess {
  world: PlayedWorld;
  dataDir: string;
  /** The same folder, database and port as before. */
  start(): Promise<void>;
  /** `kill -9` */
  kill(): Promise<void>;
  close(): Promise<void>;
  writes(text: string): Promise<void>;
  /** Writes, and waits until everything is done. */
  says(text: string): Promise<void>;
  /** From the first word to the payment that was seen; the next word asks for the payout. */
  pays(): Promise<void>;
  /** What the bot wrote to the lead, oldest first. */
  heard(): Promise<string[]>;
  /** Slack's cards whose text fits. */
  cards(look: RegExp): Promise<Card[]>;
  /** Presses Approve on the newest card that fits; the private answer. */
  approves(look: RegExp): Promise<string>;
  /** What happened in the played world, read from its file: also while the product is dead. */
  happened(look: (event: Played) => boolean): Promise<void>;
  /** Waits until nothing is under way, leases of a dead process included. */
  settles(): Promise<void>;
  admin(path: string): Promise<Played>;
}

export async function openDeskProcess(engine: Engine): Promise<DeskProcess> {
  const database = await engine.open();
  const dataDir = mkdtempSync(join(tmpdir(), "countersign-process-"));
  const port = await freePort();
  const world = createPlayedWorld(`http://127.0.0.1:${port}`);
  const env = environment({ dataDir, port, database });
  let running: Running | undefined;
  const desk: DeskProcess = {
    world,
    dataDir,
    async start() {
      running = startProgram("main.ts", [], { env, cwd: dataDir });
      await running.says(/Countersign is ready/);
    },
    kill: async () => running?.kill(),
    async close() {
      await running?.kill();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
    writes: async (text) => void (await world.post("telegram/messages", { ...lead, text })),
    async says(text) {
      await desk.writes(text);
      await world.idle();
    },
    pays: () => payOnce(desk),
    async heard() {
      const chat: Played[] = await world.get(`telegram/chats/${LEAD}/messages`);
      return chat.filter(({ from_bot }) => from_bot).map(({ text }) => text);
    },
    async cards(look) {
      const shown: Card[] = await world.get(`slack/channels/${OPERATORS}/messages`);
      return shown.filter((card) => !card.ephemeral_for && look.test(card.text));
    },
    async approves(look) {
      const card = (await desk.cards(look)).at(-1);
      const click = { channel: OPERATORS, user: "U0ALICE", ts: card?.ts, label: "Approve" };
      const { answer } = await world.post("slack/buttons", click);
      return answer?.text ?? "";
    },
    happened: (look) => waitForEvent(join(dataDir, "sandbox", "journal.jsonl"), look),
    settles: () => settle(world),
    admin: async (path) => readAdmin({ origin: `http://127.0.0.1:${port}`, env, dataDir }, path),
  };
  await desk.start();
  return desk;
}

const lead = { chat_id: LEAD, user_id: LEAD };

function environment(at: { dataDir: string; port: number; database: OwnDatabase }) {
  return {
    DATA_DIR: at.dataDir,
    PORT: String(at.port),
    COALESCE_MS: "30",
    ...(at.database.url ? { DATABASE_URL: at.database.url } : {}),
  };
}

async function payOnce(desk: DeskProcess): Promise<void> {
  const { world } = desk;
  await world.post("telegram/messages", { ...lead, photo: {} });
  await world.post("telegram/messages", { ...lead, video_note: {} });
  await world.idle();
  await desk.approves(/Identity documents/);
  await world.idle();
  await desk.says("Есть 2000 USDT в сети TRC20, хочу забрать баты в вашем офисе");
  await desk.says("Устраивает, оформляем");
  const { tx_hash } = await world.post("chain/transfers", {
    network: "trc20",
    contract: "USDT",
    from: LEAD_WALLET,
    to: WALLET,
    amount: "2000",
    tx_hash: randomBytes(32).toString("hex"),
    confirmed: true,
  });
  await desk.says(`Отправил: ${tx_hash}`);
}

async function waitForEvent(file: string, look: (event: Played) => boolean): Promise<void> {
  const giveUpAt = Date.now() + HAPPENS_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    const whole = readFileSync(file, "utf8").split("\n").slice(0, -1);
    if (whole.some((line) => look(JSON.parse(line)))) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error("what was waited for did not happen in the played world");
}

/** A dead process's lease on PostgreSQL ends within 90 s, and the sweep looks every 10 s. */
async function settle(world: PlayedWorld): Promise<void> {
  try {
    await world.idle();
  } catch {
    await world.get("idle?timeout_ms=90000");
  }
}

/** With a personal token, made anew from the shell as an owner would. */
async function readAdmin(
  at: { origin: string; env: Record<string, string>; dataDir: string },
  path: string,
): Promise<Played> {
  const options = { env: at.env, cwd: at.dataDir };
  const people = await runProgram("cli.ts", ["tokens", "create", "--staff", "nobody"], options);
  const admin = /(\S+) {2}.*\(admin, active\)/.exec(people.out + people.err)?.[1] ?? "";
  const made = await runProgram("cli.ts", ["tokens", "create", "--staff", admin], options);
  const token = made.out.split("\n")[0] ?? "";
  const answer = await fetch(`${at.origin}/api/admin${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
