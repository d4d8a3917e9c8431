import { newId } from "../src/domain/ids.ts";
import { LOOK_UP } from "./bench-tools.ts";
import type { Counts } from "./counters.ts";
import { drained } from "./drained.ts";
import { watchEffort } from "./effort.ts";
import { type House, openHouse } from "./house.ts";
import { startModel } from "./model-process.ts";
import { openBenchDatabase } from "./throwaway-database.ts";

export interface TurnsOptions {
  /** Rounds of tool calls in a turn, and calls in a round. */
  rounds: number;
  parallel: number;
  /** Clients who write at the same time. */
  concurrency: number;
  turns: number;
  database: string | undefined;
}

export interface TurnsReport {
  rounds: number;
  parallel: number;
  concurrency: number;
  turns: number;
  "turns/s": number;
  cpu_ms_per_turn: number;
  p50_ms: number;
  p99_ms: number;
  /** Transactions that wrote: all, those of the engine, those that only read. */
  commits_per_turn: number;
  engine_commits_per_turn: number;
  reads_per_turn: number;
  statements_per_turn: number;
  /** null: the database does not tell. */
  wal_kb_per_turn: number | null;
  database: string;
}

/** So that code is compiled, connections stand and caches are filled before anything is measured. */
const MOST_WARM_UP = 50;
/** Transactions are counted in turns of their own: asking each whether it wrote takes time. */
const MOST_COUNTED = 64;

/** Whole turns: a message comes in, the model calls tools, the reply is delivered. */
export async function runTurns(options: TurnsOptions): Promise<TurnsReport> {
  const { rounds, parallel, concurrency, turns } = options;
  const model = await startModel({ rounds, parallel, tool: LOOK_UP });
  const opened = await openBenchDatabase(options.database);
  try {
    const house = await openHouse(opened.database, model.url);
    try {
      await play(house, { concurrency, turns: Math.min(turns, MOST_WARM_UP) });
      const counted = await count(house, { concurrency, turns: Math.min(turns, MOST_COUNTED) });
      const timed = await time(house, { concurrency, turns });
      return { rounds, parallel, ...timed, ...counted, database: opened.place };
    } finally {
      await house.close();
    }
  } finally {
    await opened.drop();
    await model.stop();
  }
}

type Load = Pick<TurnsOptions, "concurrency" | "turns">;

async function count(house: House, load: Load) {
  house.counters.begin();
  await play(house, load);
  house.counters.end();
  const { commits, reads, statements }: Counts = house.counters.counts();
  const all = [...commits.values()].reduce((sum, one) => sum + one, 0);
  return {
    commits_per_turn: round(all / load.turns),
    engine_commits_per_turn: round((commits.get("engine") ?? 0) / load.turns),
    reads_per_turn: round(reads / load.turns),
    statements_per_turn: round(statements / load.turns),
  };
}

async function time(house: House, load: Load) {
  const effort = await watchEffort(house.database);
  const startedAt = performance.now();
  const latencies = await play(house, load);
  const seconds = (performance.now() - startedAt) / 1000;
  const { cpuMs, walBytes } = await effort();
  const { turns } = load;
  return {
    concurrency: load.concurrency,
    turns,
    "turns/s": round(turns / seconds),
    cpu_ms_per_turn: round(cpuMs / turns),
    p50_ms: round(at(latencies, 0.5)),
    p99_ms: round(at(latencies, 0.99)),
    wal_kb_per_turn: walBytes === null ? null : round(walBytes / 1024 / turns),
  };
}

/** Each client writes again when the reply is there, in a chat of its own each time. */
async function play(house: House, { concurrency, turns }: Load): Promise<number[]> {
  const latencies: number[] = [];
  let begun = 0;
  const client = async () => {
    while (begun < turns) {
      begun += 1;
      const chatId = newId();
      const startedAt = performance.now();
      const answered = house.listener.hears(chatId);
      await house.says(chatId, "What do you know about the first item?");
      await answered;
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  await drained(house);
  return latencies.toSorted((left, right) => left - right);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
