import type { Sends } from "./may.tsx";

/** What the forms of the rules send. */
export const POLICY_DEEDS = [
  "POST /policies/simulate",
  "PUT /policies",
] as const satisfies readonly Sends[];
