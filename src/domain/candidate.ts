/**
 * What became of a proposed call. `schema_failed`, `blocked_by_policy`, `executed` and `failed` are
 * final; a call that waits for people has a reply already, which says so, and gets another later.
 */
export type CandidateStatus =
  | "proposed"
  | "schema_failed"
  | "blocked_by_policy"
  | "waiting_approval"
  | "queued"
  | "executed"
  | "failed";

/**
 * Who asked for a call: a model, a person at the desk or in the admin API, or the backend itself as
 * the consequence of another call. Policies can name it.
 */
export type CandidateSource = "model" | "desk" | "system";

/** `waiting_approval`: an unknown outcome was put to a person. */
export type ExecutionStatus =
  | "queued"
  | "running"
  | "completed"
  | "failed"
  | "retry_scheduled"
  | "cancelled"
  | "waiting_approval"
  | "unknown";
