import PgBoss from "pg-boss";
import { messageOf } from "../domain/errors.ts";
import type { JobKind, Jobs } from "../domain/jobs.ts";
import type { Log } from "../lib/log.ts";
import { embeddedExecutor, transactionExecutor } from "../store/boss-executor.ts";
import type { Database } from "../store/database.ts";
import { type Tx, withOwner } from "../store/db.ts";
import { dropActiveJobs, grantQueue } from "../store/queue-schema.ts";
import type { Signals } from "../store/signals.ts";
import { type JobHandlers, Lane, type TakenJob } from "./lane.ts";

/**
 * Hints to look at rows, with a delay in product time. Rows are the truth: losing the queue loses
 * nothing.
 */
export interface Queue extends Jobs<Tx> {
  /** Begins to work; enqueuing works before. */
  start(handlers: JobHandlers): Promise<void>;
  /** Waits for the jobs under way, at most `graceMs`, then aborts them. */
  stop(graceMs: number): Promise<void>;
  /** Something became due by a moved clock, or was missed: look now. */
  wake(): void;
  /** Jobs of this lane are there, or will be after `afterMs`. */
  wakeLane(lane: string, afterMs: number): void;
}

/** Runs behind chats and acts (approved effects, clicks) do not wait for each other. */
const LANES = { chat: 16, act: 8 } as const;
type LaneName = keyof typeof LANES;

const LANE_OF: Record<JobKind, LaneName> = {
  run: "chat",
  execution: "act",
  desk: "act",
  approval: "act",
};

/** pg-boss on the product's own database. What is enqueued is told to all processes at the commit. */
export async function openQueue(options: {
  database: Database;
  log: Log;
  signals: Pick<Signals, "send">;
}): Promise<Queue> {
  const { database, log, signals } = options;
  const boss = new PgBoss({
    ...(database.embedded
      ? { db: embeddedExecutor(database.embedded) }
      : { connectionString: database.url ?? "", max: 4, application_name: "countersign-queue" }),
    schedule: false,
  });
  boss.on("error", (error: unknown) => log.warn({ error: messageOf(error) }, "queue engine"));
  await boss.start();
  for (const lane of Object.keys(LANES))
    await boss.createQueue(lane, { name: lane, retryLimit: 0 });
  await grantQueue(database.db);
  if (database.kind === "embedded") await dropActiveJobs(database.db);
  const lanes = new Map<string, Lane>();
  /** One commit: a job is a hint, and the row that it names is found by the sweep when the hint is lost. */
  const takeJobs = (lane: string, most: number) =>
    withOwner(database.db, async (tx) => {
      const db = transactionExecutor(tx);
      const jobs = await boss.fetch<TakenJob["data"]>(lane, { batchSize: most, db });
      const ids = jobs.map((job) => job.id);
      if (ids.length > 0) await boss.deleteJob(lane, ids, { db });
      return jobs;
    });
  return {
    async enqueue(tx, kind, ref, afterMs = 0) {
      const lane = LANE_OF[kind];
      const startAfter = afterMs > 0 ? { startAfter: afterMs / 1000 } : {};
      await boss.send(
        lane,
        { kind, ...ref },
        { ...startAfter, retryLimit: 0, db: transactionExecutor(tx) },
      );
      signals.send(tx, { kind: "jobs", lane, afterMs });
    },
    wakeDelivery: (tx) => signals.send(tx, { kind: "delivery" }),
    async start(handlers) {
      for (const [name, width] of Object.entries(LANES) as [LaneName, number][])
        lanes.set(
          name,
          new Lane({ take: (most) => takeJobs(name, most), name, width, handlers, log }),
        );
      for (const lane of lanes.values()) lane.start();
    },
    async stop(graceMs) {
      await Promise.all([...lanes.values()].map((lane) => lane.stop(graceMs)));
      await boss.stop({ graceful: false, wait: false, close: true });
    },
    wake() {
      for (const lane of lanes.values()) lane.wakeIn(0);
    },
    wakeLane: (lane, afterMs) => lanes.get(lane)?.wakeIn(afterMs),
  };
}
