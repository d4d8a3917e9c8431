/** May pass by itself: the same call may be made again. */
export const RETRYABLE_FAILURES = [
  "timeout",
  "rate_limited",
  "transient",
  "network",
  "unavailable",
] as const;

/** Trying again changes nothing, or is what must not happen. */
export const FINAL_FAILURES = [
  "schema_invalid",
  "policy_block",
  "access_denied",
  "approval_rejected",
  "insufficient_funds",
  "invalid_resource",
  "dangerous_action",
] as const;

/**
 * Says nothing of whether the request had an effect: who sends it again has to know that besides.
 */
export type RetryableFailure = (typeof RETRYABLE_FAILURES)[number];
export type FinalFailure = (typeof FINAL_FAILURES)[number];
/**
 * One classification for tools, their providers and model calls; whether a retry makes sense hangs
 * on it.
 */
export type FailureClass = RetryableFailure | FinalFailure;

/** May the very same call be made again? The limits of `policy/retry.ts` say how often. */
export function isRetryable(failure: FailureClass): failure is RetryableFailure {
  return RETRYABLE_FAILURES.some((one) => one === failure);
}

/** What an HTTP status says of the failure; null: it is no failure. */
export function failureOfStatus(status: number): FailureClass | null {
  if (status < 400) return null;
  const known = OF_STATUS[status];
  if (known) return known;
  return status < 500 ? "schema_invalid" : "transient";
}

const OF_STATUS: Record<number, FailureClass> = {
  401: "access_denied",
  402: "insufficient_funds",
  403: "access_denied",
  404: "invalid_resource",
  408: "timeout",
  410: "invalid_resource",
  425: "transient",
  429: "rate_limited",
  503: "unavailable",
  504: "timeout",
};

/** A thrown error that tells of the connection or of time; null: a bug, or somebody's no. */
export function failureOfError(error: unknown): RetryableFailure | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === "TimeoutError") return "timeout";
    const { code } = at as Error & { code?: unknown };
    if (typeof code !== "string") continue;
    if (/TIMEDOUT|TIMEOUT/.test(code)) return "timeout";
    if (NETWORK_CODES.has(code)) return "network";
  }
  return null;
}

const NETWORK_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_SOCKET",
  "ECONNECTION",
]);
