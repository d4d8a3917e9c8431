import { type FailureClass, failureOfError, failureOfStatus } from "../../domain/failure.ts";

/** No answer that can be relied on: worth another try later. */
export interface Unreachable {
  kind: "unreachable";
  cause: unknown;
  /** The HTTP status, when there was an answer. */
  status?: number;
  /** What the other side asked for in Retry-After. */
  retryAfterMs?: number;
}

/** `response`: what came, when it was no use; its Retry-After is kept where it counts seconds. */
export function unreachable(cause: unknown, response?: Response): Unreachable {
  if (!response) return { kind: "unreachable", cause };
  const retryAfterMs = retryAfter(response.headers.get("retry-after"));
  return { kind: "unreachable", cause, status: response.status, retryAfterMs };
}

/** Of which class the failure is: by the status, else by what happened to the connection. */
export function failureOf({ status, cause }: Unreachable): FailureClass {
  if (status === undefined) return failureOfError(cause) ?? "network";
  // it answered, and not with what it should
  return failureOfStatus(status) ?? "schema_invalid";
}

/** Errors of a connection that never came up, so that not a byte of the request has left. */
const NEVER_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
]);
const CONNECTING = new Set(["connect", "getaddrinfo"]);

/** True only when it is certain that the request was not sent. */
export function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // a name with several addresses: each attempt has to have failed so
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.every(wasNeverSent);
  }
  const { code, syscall, cause } = error as Error & { code?: unknown; syscall?: unknown };
  if (NEVER_CONNECTED.has(String(code)) && CONNECTING.has(String(syscall))) return true;
  return cause !== undefined && wasNeverSent(cause);
}

function retryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}
