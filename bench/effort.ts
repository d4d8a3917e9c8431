import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import type { Database } from "../src/store/database.ts";
import { queryRows } from "../src/store/db.ts";

export interface Effort {
  /** Of this process and, where they can be read, of the database's processes; milliseconds. */
  cpuMs: number;
  /** Bytes of the server's log, of everybody on it; null: not told. */
  walBytes: number | null;
}

/** What is used from here on; call the result to read it. */
export async function watchEffort(database: Database): Promise<() => Promise<Effort>> {
  const usedBefore = process.cpuUsage();
  const serversBefore = await serverCpu(database);
  const walBefore = await walPosition(database);
  return async () => {
    const { user, system } = process.cpuUsage(usedBefore);
    const wal = await walPosition(database);
    const servers = await serverCpu(database);
    let serverMs = 0;
    for (const [pid, ms] of servers) serverMs += ms - (serversBefore.get(pid) ?? 0);
    return {
      cpuMs: (user + system) / 1000 + serverMs,
      walBytes: wal === null || walBefore === null ? null : wal - walBefore,
    };
  };
}

async function walPosition({ db }: Database): Promise<number | null> {
  try {
    const [row] = await queryRows<{ at: string }>(
      db,
      sql`select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text as at`,
    );
    return row ? Number(row.at) : null;
  } catch {
    return null;
  }
}

/** Ticks of a process's time in /proc. */
const TICK_MS = 10;

/** By process, milliseconds; empty for a server on another machine, or one that shows nothing. */
async function serverCpu({ db, kind }: Database): Promise<Map<number, number>> {
  if (kind === "embedded") return new Map();
  const rows = await queryRows<{ pid: number }>(
    db,
    sql`select pid from pg_stat_activity where datname = current_database()`,
  );
  return new Map(rows.flatMap(({ pid }) => cpuOf(pid)));
}

function cpuOf(pid: number): [number, number][] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return stat.includes("postgres") ? [[pid, ticks * TICK_MS]] : [];
  } catch {
    return [];
  }
}
