import type { ContentfulStatusCode } from "hono/utils/http-status";
import { EXISTS_ALREADY, UserError } from "../domain/errors.ts";
import { sqlState, UNIQUE_VIOLATION } from "../store/db.ts";
import type { AdminContext, AdminDeps } from "./context.ts";

/** Any other code of a UserError is the caller's bad input: 400. */
const STATUS: Readonly<Record<string, ContentfulStatusCode>> = {
  unauthorized: 401,
  forbidden: 403,
  personal_token_required: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unprocessable: 422,
  bad_gateway: 502,
};

const LOGGED_FRAMES = 8;

/**
 * UserErrors are told in full, a row that exists already as 409. Of anything else the caller learns
 * only that the log has it.
 */
export function errorResponse(c: AdminContext, error: Error, log: AdminDeps["log"]): Response {
  if (error instanceof UserError) {
    if (error.code === "unauthorized") c.header("WWW-Authenticate", "Bearer");
    const { code, message, path } = error;
    const body = { error: { code, message, ...(path === undefined ? {} : { path }) } };
    return c.json(body, STATUS[code] ?? 400);
  }
  if (sqlState(error) === UNIQUE_VIOLATION) {
    return c.json({ error: { code: "conflict", message: EXISTS_ALREADY } }, 409);
  }
  log.error({ ...causeOf(error), method: c.req.method, path: c.req.path }, "admin request failed");
  const message = "The request failed on our side; the log has the details";
  return c.json({ error: { code: "internal", message } }, 500);
}

/** 404; also for what belongs to another tenant. */
export function notFound(what: string): UserError {
  return new UserError("not_found", `There is no ${what}; read the list for what there is`);
}

/** A failed query's own message holds its parameters, which may be anything: only its cause is told. */
function causeOf(error: Error): { cause: string; sqlState?: string | undefined; at: string[] } {
  let deepest = error;
  while (deepest.cause instanceof Error) deepest = deepest.cause;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    cause: deepest.message,
    sqlState: sqlState(error),
    at: frames.slice(0, LOGGED_FRAMES).map((frame) => frame.trim()),
  };
}
