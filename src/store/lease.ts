/** The right of one process to work on one row. Times are real time, milliseconds. */
export interface Lease {
  /** The boot of the process: an embedded start takes back the leases of all others. */
  owner: string;
  token: string;
  untilMs: number;
}

export const LEASE_MS = 15_000;
export const HEARTBEAT_MS = 5_000;

/** The row was taken over by another worker: nothing may be written for it any more. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}
