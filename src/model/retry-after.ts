import { isObject, textOf } from "./untrusted.ts";

/** All that may say when to come again. `now`: real time, milliseconds since the epoch. */
export interface WaitHints {
  status: number | null;
  headers: { get(name: string): string | null } | null;
  /** The parsed body, or its text. */
  body: unknown;
  now: number;
}

const LONGEST_MS = 30 * 86_400_000;
const MESSAGE_CHARS = 4_000;

/**
 * The least time to wait, in any of the forms in use: `Retry-After` in seconds or as a date, in
 * milliseconds, `x-ratelimit-reset-*`, Google's RetryInfo, or words of the message. null: unknown.
 */
export function retryAfterMsOf(hints: WaitHints): number | null {
  const explicit = [headerMs(hints), bodyMs(hints)].filter((ms) => ms !== null);
  if (explicit.length > 0) return bounded(Math.max(...explicit));
  return hints.status === 429 ? bounded(resetMs(hints)) : null;
}

function bounded(ms: number | null): number | null {
  return ms === null ? null : Math.min(LONGEST_MS, Math.max(0, Math.ceil(ms)));
}

function headerMs({ headers, now }: WaitHints): number | null {
  if (!headers) return null;
  for (const name of ["retry-after-ms", "x-ms-retry-after-ms"]) {
    const ms = plainNumber(headers.get(name));
    if (ms !== null) return ms;
  }
  const text = headers.get("retry-after")?.trim() ?? "";
  const seconds = plainNumber(text);
  if (seconds !== null) return seconds * 1000;
  const duration = durationMs(text);
  if (duration !== null) return duration;
  const at = /^[a-z]{3,9}, /i.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return null;
  // by the endpoint's own clock where it shows it: ours may be wrong
  const there = Date.parse(headers.get("date") ?? "");
  return Math.max(0, at - (Number.isNaN(there) ? now : there));
}

function plainNumber(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : null;
  const text = textOf(value).trim();
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

const RESETS = ["requests", "tokens", "input-tokens", "output-tokens"].map((what) => ({
  reset: `x-ratelimit-reset-${what}`,
  remaining: `x-ratelimit-remaining-${what}`,
}));
const PLAIN_RESET = { reset: "x-ratelimit-reset", remaining: "x-ratelimit-remaining" };

/** Of the limits that are used up; when none is said to be, of all. */
function resetMs({ headers, now }: WaitHints): number | null {
  if (!headers) return null;
  const found = [...RESETS, PLAIN_RESET].flatMap(({ reset, remaining }) => {
    const ms = momentMs(headers.get(reset), now);
    return ms === null ? [] : [{ ms, isUsedUp: plainNumber(headers.get(remaining)) === 0 }];
  });
  const usedUp = found.filter((one) => one.isUsedUp);
  const counted = (usedUp.length > 0 ? usedUp : found).map((one) => one.ms);
  return counted.length > 0 ? Math.max(...counted) : null;
}

/** A duration ("6m0s"), seconds, or a moment since the epoch in seconds or milliseconds. */
function momentMs(value: unknown, now: number): number | null {
  const number = plainNumber(value);
  if (number === null) return durationMs(textOf(value).trim());
  if (number > 1e12) return Math.max(0, number - now);
  return number > 1e9 ? Math.max(0, number * 1000 - now) : number * 1000;
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const ONE =
  "(\\d+(?:\\.\\d+)?)\\s*(ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])";
const WHOLE = new RegExp(`^(?:${ONE}\\s*)+$`, "i");
const SAID = new RegExp(
  `(?:try again|retry|resets?|wait)(?:\\s+(?:again|after|in|for|at|least|about|another)){0,3}\\s+((?:${ONE}[\\s,]*){1,5})`,
  "i",
);

function durationMs(text: string): number | null {
  if (text.length > 100 || !WHOLE.test(text)) return null;
  return [...text.matchAll(new RegExp(ONE, "gi"))].reduce(
    (sum, [, amount, unit = ""]) => sum + Number(amount) * unitMs(unit.toLowerCase()),
    0,
  );
}

function unitMs(unit: string): number {
  const short = unit.startsWith("milli") ? "ms" : unit;
  return UNITS[short] ?? UNITS[short.slice(0, 1)] ?? 0;
}

function bodyMs({ body, now }: WaitHints): number | null {
  const first = Array.isArray(body) ? body[0] : body;
  if (typeof first === "string") return saidMs(first);
  if (!isObject(first)) return null;
  const error = isObject(first.error) ? first.error : first;
  const metadata = isObject(error.metadata) ? error.metadata : {};
  const found = [
    ...[first, error, metadata].map(fieldMs),
    ...detailsOf(error).map((detail) => durationMs(textOf(detail.retryDelay))),
    isObject(metadata.headers) ? momentMs(metadata.headers["X-RateLimit-Reset"], now) : null,
    saidMs(textOf(error.message)),
  ].filter((ms) => ms !== null);
  return found.length > 0 ? Math.max(...found) : null;
}

function detailsOf(error: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(error.details) ? error.details.slice(0, 20).filter(isObject) : [];
}

function fieldMs(fields: Record<string, unknown>): number | null {
  const ms = plainNumber(fields.retry_after_ms);
  if (ms !== null) return ms;
  const names = ["retry_after", "retry_after_seconds", "retryAfter", "resets_in_seconds"];
  const seconds = names.map((name) => plainNumber(fields[name])).find((value) => value !== null);
  return seconds === undefined || seconds === null ? null : seconds * 1000;
}

/** "Please try again in 6m0s." */
function saidMs(message: string): number | null {
  const [, said] = SAID.exec(message.slice(0, MESSAGE_CHARS)) ?? [];
  return said === undefined ? null : durationMs(said.replaceAll(",", " ").trim());
}
