/** Kinds of jobs. A job is only a hint to look at a row; its data are ids. */
export type JobKind = "run" | "execution" | "desk" | "approval";

/**
 * Names a row of the kind's own table. Whoever gets it reads the row again: it may be done by then.
 */
export interface JobRef {
  tenantId: string;
  id: string;
}

/**
 * Enqueues in the caller's transaction. `Tx` is the store's transaction type; the port does not
 * know it. A lost or doubled job changes nothing: the sweep finds what is due.
 */
export interface Jobs<Tx> {
  /** `afterMs` from now, in product time. */
  enqueue(tx: Tx, kind: JobKind, ref: JobRef, afterMs?: number): Promise<void>;
  /** The transaction wrote outbox rows: wakes the delivery once it is committed. */
  wakeDelivery(tx: Tx): void;
}
