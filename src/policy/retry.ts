import { type FailureClass, isRetryable } from "../domain/failure.ts";
import type { ToolErrorCode } from "../domain/tool.ts";

/**
 * How often and how fast something that failed is tried again. All lengths in milliseconds; which
 * clock counts them stands at each set.
 */
export interface RetryLimits {
  /** Dispatches in all, the first one included. */
  attempts: number;
  /** Wait before the second attempt; each further one is `factor` times as long, up to `mostMs`. */
  firstMs: number;
  factor: number;
  mostMs: number;
  /** A longer wait is not worth it: asked for by the other side, or more than what is left. */
  longestWaitMs: number;
}

/** Approved effects, tried again only when it is certain that nothing arrived. Product time. */
export const EFFECT_RETRIES: RetryLimits = {
  attempts: 4,
  firstMs: 2_000,
  factor: 5,
  mostMs: 60_000,
  longestWaitMs: 3_600_000,
};

/** A model that gave no answer: the run is parked meanwhile. Product time. */
export const MODEL_RETRIES: RetryLimits = {
  attempts: 4,
  firstMs: 2_000,
  factor: 3,
  mostMs: 60_000,
  longestWaitMs: 60_000,
};

/** Reads and drafts inside a run. Real time: a lead waits. */
export const CALL_RETRIES: Omit<RetryLimits, "longestWaitMs"> = {
  attempts: 3,
  firstMs: 500,
  factor: 3,
  mostMs: 5_000,
};

/**
 * Only for what certainly had no effect outside: an unknown outcome is looked up, never tried
 * again.
 */
export interface FailedAttempt {
  failure: FailureClass;
  /** How many attempts have been made, this one included. */
  attempt: number;
  /** What the other side asked for; 0: nothing. */
  retryAfterMs: number;
}

/** `wait`: the next attempt would come later than it is worth to wait for. */
export type NextTry =
  | { kind: "retry"; waitMs: number }
  /** `final`: this class is never tried again. */
  | { kind: "stop"; reason: "final" | "attempts" | "wait" };

/** Whether a failed attempt is followed by another, and when. A wait that was asked for is kept. */
export function nextTry(failed: FailedAttempt, limits: RetryLimits): NextTry {
  if (!isRetryable(failed.failure)) return { kind: "stop", reason: "final" };
  if (failed.attempt >= limits.attempts) return { kind: "stop", reason: "attempts" };
  const waitMs = Math.max(failed.retryAfterMs, backOffMs(failed.attempt, limits));
  return waitMs > limits.longestWaitMs
    ? { kind: "stop", reason: "wait" }
    : { kind: "retry", waitMs };
}

/** Exponential: `attempt` attempts were made. */
export function backOffMs(
  attempt: number,
  { firstMs, factor, mostMs }: Pick<RetryLimits, "firstMs" | "factor" | "mostMs">,
): number {
  return Math.min(mostMs, firstMs * factor ** Math.max(0, attempt - 1));
}

/** What a code says of the failure. A result that is not of its form does not get better. */
export function failureOfCode(code: ToolErrorCode): FailureClass {
  return OF_CODE[code];
}

const OF_CODE: Record<ToolErrorCode, FailureClass> = {
  INVALID_ARGUMENTS: "schema_invalid",
  POLICY_DENIED: "policy_block",
  APPROVAL_REJECTED: "approval_rejected",
  PERMISSION_DENIED: "access_denied",
  TIMEOUT: "timeout",
  RATE_LIMITED: "rate_limited",
  DUPLICATE_KEY: "dangerous_action",
  NOT_FOUND: "invalid_resource",
  PROVIDER_ERROR: "transient",
  RESULT_INVALID: "schema_invalid",
};

/** How a failure is called in a result. */
export function codeOfFailure(failure: FailureClass): ToolErrorCode {
  return CODE_OF[failure];
}

const CODE_OF: Record<FailureClass, ToolErrorCode> = {
  timeout: "TIMEOUT",
  rate_limited: "RATE_LIMITED",
  transient: "PROVIDER_ERROR",
  network: "PROVIDER_ERROR",
  unavailable: "PROVIDER_ERROR",
  schema_invalid: "INVALID_ARGUMENTS",
  policy_block: "POLICY_DENIED",
  access_denied: "PERMISSION_DENIED",
  approval_rejected: "APPROVAL_REJECTED",
  insufficient_funds: "PROVIDER_ERROR",
  invalid_resource: "NOT_FOUND",
  dangerous_action: "POLICY_DENIED",
};
