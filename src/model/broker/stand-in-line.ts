import { setTimeout } from "node:timers/promises";
import { type ChatOptions, DEFAULT_WAIT_MS } from "./chat-options.ts";
import type { BrokerParts } from "./parts.ts";

export interface Line {
  options: ChatOptions;
  /** So far, in this call. */
  waitedMs: number;
  /** Real time; null: none. */
  deadline: number | null;
  signal: AbortSignal;
  /** When the first of the cooling ones comes back. */
  retryAt: number | null;
  /** One is only full: it may be free at any moment. */
  hasFull: boolean;
}

/** How often it is looked again where no hint says that a place is free. */
const LOOK_AGAIN_MS = 250;

/** Real time. */
export async function realSleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {}); // rejects at the abort alone
}

export function deadlineOf({ timeoutMs }: ChatOptions, now: number): number | null {
  return timeoutMs === undefined ? null : now + timeoutMs;
}

/** How long it stood, milliseconds; null: nobody will be free within the time that is left. */
export async function standInLine(parts: BrokerParts, line: Line): Promise<number | null> {
  const startedAt = parts.realNow();
  const { options, deadline, retryAt, hasFull } = line;
  const untilDeadline = deadline === null ? Number.POSITIVE_INFINITY : deadline - startedAt;
  const leftMs = Math.min((options.wait ?? DEFAULT_WAIT_MS) - line.waitedMs, untilDeadline);
  const untilReturn = retryAt === null ? Number.POSITIVE_INFINITY : retryAt - startedAt;
  if (leftMs <= 0 || (!hasFull && untilReturn > leftMs)) return null;
  const ms = Math.min(leftMs, untilReturn, hasFull ? LOOK_AGAIN_MS : Number.POSITIVE_INFINITY);
  const leaving = new AbortController();
  const signal = AbortSignal.any([line.signal, leaving.signal]);
  try {
    await Promise.race([parts.sleep(Math.max(0, ms), signal), parts.state.whenFreed(signal)]);
  } finally {
    leaving.abort();
  }
  return Math.max(0, parts.realNow() - startedAt);
}
