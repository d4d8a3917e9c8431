/** What the sandbox plays; the names stand in paths, faults and the journal. */
export const SERVICES = ["telegram", "slack", "model", "chain", "payout", "smtp"] as const;
/** One that can be played and made to fail. */
export type ServiceName = (typeof SERVICES)[number];
