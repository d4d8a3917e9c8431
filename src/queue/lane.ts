import { setMaxListeners } from "node:events";
import { messageOf, stackOf } from "../domain/errors.ts";
import type { JobKind, JobRef } from "../domain/jobs.ts";
import type { Log } from "../lib/log.ts";

/**
 * Looks at the row and does what is due, or nothing. What it throws is logged; the sweep comes
 * again.
 */
export type JobHandler = (ref: JobRef, signal: AbortSignal) => Promise<void>;
/** One for every kind, so that no job can lie about that nobody takes. */
export type JobHandlers = Record<JobKind, JobHandler>;

/** It is out of the queue already: if its worker dies, the sweep finds the row. */
export interface TakenJob {
  id: string;
  data: JobRef & { kind: JobKind };
}

/** Of one queue; each has its own width, so that slow effects never hold up replies. */
export interface LaneOptions {
  /** Takes jobs that are due out of the queue, at most so many; they do not come again. */
  take(most: number): Promise<TakenJob[]>;
  name: string;
  /** Jobs at work at the same time. */
  width: number;
  handlers: JobHandlers;
  log: Log;
}

/** Net below the wake-ups: jobs that another process enqueued, and lost timers. */
const POLL_MS = 2_000;
const BATCH = 10;

/** Fetches and works on the jobs of one queue; woken at once, never busy. */
export class Lane {
  readonly #options: LaneOptions;
  /** One a job, so that listeners on its signal go with the job. */
  readonly #aborts = new Set<AbortController>();
  readonly #working = new Set<Promise<void>>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #net: NodeJS.Timeout | undefined;
  #running = false;
  #fetching = false;
  /** A wake-up came during a fetch that may have missed its job. */
  #again = false;
  /** The last fetch may have left jobs behind, for want of hands. */
  #hasMore = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.#net = setInterval(() => void this.#pump(), POLL_MS);
    void this.#pump();
  }

  /** Waits `graceMs` at most for the jobs under way, then aborts them. */
  async stop(graceMs: number): Promise<void> {
    this.#running = false;
    clearInterval(this.#net);
    for (const timer of this.#timers) clearTimeout(timer);
    const timer = setTimeout(() => {
      for (const abort of this.#aborts) abort.abort();
    }, graceMs);
    await Promise.allSettled([...this.#working]);
    clearTimeout(timer);
  }

  wakeIn(ms: number): void {
    if (!this.#running) return;
    if (ms <= 0) {
      void this.#pump();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#pump();
    }, ms + 2); // the database compares strictly, by its own clock
    this.#timers.add(timer);
  }

  async #pump(): Promise<void> {
    this.#again = true;
    if (this.#fetching) return;
    this.#fetching = true;
    try {
      while (this.#again) await this.#fetchOnce();
    } catch (error) {
      const { log, name } = this.#options;
      log.warn({ lane: name, error: messageOf(error) }, "jobs could not be fetched");
    } finally {
      this.#fetching = false;
    }
  }

  async #fetchOnce(): Promise<void> {
    this.#again = false;
    const { take, width } = this.#options;
    const most = Math.min(BATCH, width - this.#working.size);
    this.#hasMore = most <= 0;
    if (most <= 0 || !this.#running) return;
    const jobs = await take(most);
    if (jobs.length === most) this.#again = true;
    for (const job of jobs) {
      const work = this.#work(job).finally(() => {
        this.#working.delete(work);
        if (this.#hasMore) void this.#pump();
      });
      this.#working.add(work);
    }
  }

  async #work({ data }: TakenJob): Promise<void> {
    const { handlers, log } = this.#options;
    const { kind, tenantId, id } = data;
    const abort = new AbortController();
    setMaxListeners(0, abort.signal); // every request of the job adds one, and none outlives it
    this.#aborts.add(abort);
    try {
      await handlers[kind]({ tenantId, id }, abort.signal);
    } catch (error) {
      // the row keeps its state: the sweep finds it again
      log.error({ kind, id, error: messageOf(error), stack: stackOf(error) }, "job failed");
    } finally {
      this.#aborts.delete(abort);
    }
  }
}
