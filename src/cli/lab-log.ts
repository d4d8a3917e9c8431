import type { Log } from "../lib/log.ts";

/** Keeps what went wrong for the case under way; writes nothing. */
export function labLog() {
  let errors: string[] = [];
  let warnings: string[] = [];
  const log: Log = {
    debug() {},
    info() {},
    warn: (fields, text) => void warnings.push(lineOf(fields, text)),
    error: (fields, text) => void errors.push(lineOf(fields, text)),
  };
  return {
    log,
    /** Since the last look. */
    take() {
      const taken = { errors, warnings };
      errors = [];
      warnings = [];
      return taken;
    },
  };
}

function lineOf(fields: object, text: string): string {
  const { error, reason } = fields as { error?: unknown; reason?: unknown };
  const why = error ?? reason;
  return why === undefined ? text : `${text}: ${String(why)}`;
}
