/** What the sandbox plays; the names stand in paths, faults and the journal. */
export const SERVICES = ["telegram", "slack", "model", "chain", "payout", "smtp"] as const;
export type ServiceName = (typeof SERVICES)[number];
