import { pino } from "pino";

/** Structured log. Texts of people, secrets and tokens never go in. */
export interface Log {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** From few lines to many; `silent` writes none. */
export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
/** As LOG_LEVEL may say it. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * JSON lines. The list of hidden fields is a net below the rule that secrets are never handed to
 * it.
 */
export function createLog(level: LogLevel): Log {
  return pino({
    level,
    base: null,
    redact: {
      paths: ["*.token", "*.secret", "*.authorization", "*.code", "*.password"],
      censor: "[hidden]",
    },
  });
}
