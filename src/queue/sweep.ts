import { messageOf } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { type Db, withTenant } from "../store/db.ts";
import { findDueWork } from "../store/due-work.ts";
import type { Queue } from "./queue.ts";

/** The net below the queue: finds by the rows themselves what is due. */
export interface Sweep {
  start(): void;
  stop(): Promise<void>;
  /** Enqueues all that is due and has no live lease. Returns how much. */
  runOnce(): Promise<number>;
}

const EVERY_MS = 10_000;

/** The net below the jobs: losing or doubling a job changes nothing. */
export function createSweep(deps: {
  db: Db;
  queue: Queue;
  clock: Clock;
  realNow(): number;
  log: Log;
  /** What else is looked for at each sweep, in rows of its own. */
  beside?(): Promise<void>;
}): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<unknown> = Promise.resolve();

  async function runOnce(): Promise<number> {
    const due = await findDueWork(deps.db, { now: deps.clock.now(), realNow: deps.realNow() });
    for (const [tenantId, work] of byTenant(due))
      await withTenant(deps.db, tenantId, async (tx) => {
        for (const { kind, id } of work) await deps.queue.enqueue(tx, kind, { tenantId, id });
      });
    await deps.beside?.();
    return due.length;
  }

  function tick(): void {
    current = current
      .then(() => runOnce())
      .catch((error: unknown) => deps.log.warn({ error: messageOf(error) }, "sweep failed"));
  }

  return {
    start() {
      timer = setInterval(tick, EVERY_MS);
      tick();
    },
    async stop() {
      clearInterval(timer);
      await current;
    },
    runOnce,
  };
}

function byTenant<T extends { tenantId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.tenantId);
    if (group) group.push(row);
    else groups.set(row.tenantId, [row]);
  }
  return groups;
}
