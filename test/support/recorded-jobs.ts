import type { JobKind, JobRef, Jobs } from "../../src/domain/jobs.ts";
import type { Tx } from "../../src/store/db.ts";

export interface RecordedJob extends JobRef {
  kind: JobKind;
  afterMs: number;
}

export interface RecordedJobs extends Jobs<Tx> {
  /** What was enqueued, in order, also by transactions that were rolled back. */
  list: RecordedJob[];
  /** The jobs of a kind since the last call; they are taken out. */
  take(kind: JobKind): RecordedJob[];
}

/** The jobs' port without a worker: a test looks at what was asked for, and plays it itself. */
export function createRecordedJobs(): RecordedJobs {
  const jobs: RecordedJobs = {
    list: [],
    async enqueue(_tx, kind, ref, afterMs = 0) {
      jobs.list.push({ kind, ...ref, afterMs });
    },
    wakeDelivery() {},
    take(kind) {
      const taken = jobs.list.filter((job) => job.kind === kind);
      jobs.list = jobs.list.filter((job) => job.kind !== kind);
      return taken;
    },
  };
  return jobs;
}
