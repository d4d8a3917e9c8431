const BASE = "/sandbox/api";

/** A refusal of the sandbox; the message says what was wrong. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.error?.message ?? body?.error ?? `HTTP ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** @returns {Promise<any>} */
export function get(path) {
  return call(path, {});
}

/** @returns {Promise<any>} */
export function post(path, body) {
  const headers = { "content-type": "application/json" };
  return call(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function call(path, init) {
  const response = await fetch(BASE + path, init);
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, body);
  return body;
}

const IDLE_LIMIT_MS = 60_000;

/**
 * Resolves when nobody has anything under way: with nothing, or, when that takes too long, with
 * what is still waited for.
 * @returns {Promise<string[]>}
 */
export async function untilIdle(limitMs = IDLE_LIMIT_MS) {
  const response = await fetch(`${BASE}/idle?timeout_ms=${limitMs}`);
  const body = await response.json().catch(() => null);
  return body?.waiting ?? [];
}
