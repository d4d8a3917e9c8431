export type CandidateStatus =
  | "proposed"
  | "schema_failed"
  | "blocked_by_policy"
  | "waiting_approval"
  | "queued"
  | "executed"
  | "failed";

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
