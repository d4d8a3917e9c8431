import type { AttemptStatus, ModelAttempt } from "../../domain/model-attempt.ts";

export type AttemptRow = ModelAttempt;
export type { AttemptStatus };

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
  setScore(
    call: Pick<AttemptRow, "callId" | "scope">,
    score: number,
  ): Promise<{ previous: number | null }>;
}
