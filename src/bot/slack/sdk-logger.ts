import { type Logger, LogLevel } from "@slack/bolt";
import type { EdgeLog } from "../edge.ts";

/** Slack's packages log through ours; their debug lines hold whole payloads and are dropped. */
export function sdkLogger(log: EdgeLog): Logger {
  const line = (parts: unknown[]) => parts.map(String).join(" ");
  return {
    debug() {},
    info() {},
    warn: (...parts) => log.warn({ from: "slack-sdk" }, line(parts)),
    // a refused call is an outcome that we report ourselves, with what it means
    error: (...parts) => log.warn({ from: "slack-sdk" }, line(parts)),
    setLevel() {},
    getLevel: () => LogLevel.WARN,
    setName() {},
  };
}
