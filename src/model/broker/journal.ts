import type { ChatFault } from "../../domain/chat-model.ts";
import type { FailureClass } from "../../domain/failure.ts";

/** `superseded`: the caller gave it up; neither a success nor a failure. */
export type AttemptStatus = "ok" | "failed" | "superseded";

/** One attempt at one model, also a failed one. */
export interface AttemptRow {
  callId: string;
  /** Product time at which the attempt was over. */
  at: number;
  llmName: string;
  /** As the endpoint names it. */
  modelId: string;
  operation: string;
  traceId: string | null;
  scope: string | null;
  promptVersion: string | null;
  /** Within its call, from 1. */
  attempt: number;
  status: AttemptStatus;
  finishReason: string | null;
  hadToolCall: boolean;
  /** It broke off: its calls must not run. */
  cut: boolean;
  inputTokens: number | null;
  outputTokens: number | null;
  /** USD, decimal; null: no price or no count is known. */
  cost: string | null;
  latencyMs: number;
  failure: FailureClass | null;
  fault: ChatFault | null;
  httpStatus: number | null;
  error: string | null;
  /** The newest verdict, 0 to 1. */
  score: number | null;
}

/** Which rows; the store filters, so that `limit` counts matches. */
export interface CallFilter {
  /** Product time, milliseconds since the epoch; inclusive. */
  since?: number;
  operation?: string;
  traceId?: string;
  callId?: string;
  /** Left out: of every scope. */
  scope?: string | null;
  status?: AttemptStatus;
  limit: number;
}

/**
 * Where attempts are written. Rows are kept 90 days and cleaned by the journal itself. What fails
 * here is logged and costs nobody an answer.
 */
export interface BrokerJournal {
  record(row: AttemptRow): Promise<void>;
  /** Newest first; of one moment the one that was written last. */
  calls(filter: CallFilter): Promise<AttemptRow[]>;
  /**
   * Sets the verdict of a call and gives the one before. Must be atomic: of two at the same time
   * each sees what it replaced, else one of them is counted for ever.
   */
  setScore(callId: string, score: number): Promise<{ previous: number | null }>;
}

export const RETENTION_MS = 90 * 86_400_000;
