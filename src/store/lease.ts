/** The right of one process to work on one row. Times are real time, milliseconds. */
export interface Lease {
  /** The boot of the process: an embedded start takes back the leases of all others. */
  owner: string;
  token: string;
  untilMs: number;
}

/** A worker that is silent for so long is taken for lost. */
export const LEASE_MS = 15_000;
/** Several fit into a lease: one that is late costs nothing. */
export const HEARTBEAT_MS = 5_000;

/** The row was taken over by another worker: nothing may be written for it any more. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}
