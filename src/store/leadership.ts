import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Database } from "./database.ts";

/** May be lost at any moment, as when the session to the database breaks. */
export interface Leadership {
  start(): void;
  /** Gives the lock back, so that another process can go on at once. */
  stop(): Promise<void>;
  isLeader(): boolean;
}

export interface LeadershipOptions {
  database: Database;
  /** What exactly one process may do, e.g. `telegram:poll:<channel>`. */
  task: string;
  onGained(): void;
  /** Resolves when the task has ended. The lock may be another process's already. */
  onLost(): Promise<void>;
  log: Log;
}

/** How often a process that does not lead asks again, and one that leads looks at its session. */
const ASK_EVERY_MS = 1_000;

type Session = Awaited<ReturnType<typeof openSession>>;

/**
 * One process of all does a task: the holder of an advisory lock, which PostgreSQL frees when its
 * session ends, however that comes. The embedded database has one process, which always leads.
 */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { database, log, task } = options;
  const stopping = new AbortController();
  let leads = false;
  let loop: Promise<void> = Promise.resolve();

  function gain(): void {
    leads = true;
    options.onGained();
  }

  async function lose(): Promise<void> {
    if (!leads) return;
    leads = false;
    await options.onLost();
  }

  /** Until the session breaks or the process stops. */
  async function hold(session: Session): Promise<void> {
    while (!stopping.signal.aborted) {
      const holds = leads ? await session.isAlive() : await session.tryLock(task);
      if (leads && !holds) return;
      if (!leads && holds) gain();
      await sleep(ASK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function run(url: string): Promise<void> {
    while (!stopping.signal.aborted) {
      const session = await openSession(url);
      try {
        await hold(session);
      } catch (error) {
        log.warn({ task, error: messageOf(error) }, "the lock of a task cannot be kept");
        await sleep(ASK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
      } finally {
        await lose();
        await session.close();
      }
    }
  }

  return {
    start() {
      if (database.url === null) gain();
      else loop = run(database.url);
    },
    async stop() {
      stopping.abort();
      if (database.url === null) await lose();
      await loop;
    },
    isLeader: () => leads,
  };
}

/** One connection of its own: the lock lives as long as its session. */
async function openSession(url: string) {
  const { default: postgres } = await import("postgres");
  const client = postgres(url, {
    ...{ max: 1, idle_timeout: 0, max_lifetime: null, connect_timeout: 10, onnotice: () => {} },
    connection: { application_name: "countersign-lock" },
  });
  let lockedBy: number | null = null;
  const processId = async () => (await client`select pg_backend_pid() as pid`)[0]?.pid as number;
  return {
    async tryLock(task: string): Promise<boolean> {
      const [row] = await client`
        select pg_try_advisory_lock(hashtextextended(${`countersign:${task}`}, 0)) as locked,
          pg_backend_pid() as pid`;
      lockedBy = row?.locked ? (row.pid as number) : null;
      return lockedBy !== null;
    },
    /** False when the client has silently connected anew: the lock went with the old session. */
    isAlive: async () => (await processId()) === lockedBy,
    close: () => client.end({ timeout: 2 }),
  };
}
