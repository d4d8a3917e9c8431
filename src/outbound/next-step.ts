import type { DeliveryResult } from "../domain/messenger.ts";
import { type ClaimedRow, SENT_ONCE_MORE } from "../store/outbox-claim.ts";
import { type DeliveryEnd, REOPENED } from "../store/outbox-finish.ts";

/** After this a message would surprise more than help. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60 * 1000;
/** Starts the error of a row that was tried for so long. */
export const GIVEN_UP = "given up after a day: ";
/** Stands in the row as its last error, and is known again by that. */
export const CODE_GONE = "the order has no code any more";
const LONGEST_BACKOFF_MS = 60_000;
/** Look-ups that got no answer; then the row is treated as in a messenger without look-up. */
const LOOK_UPS = 8;

/** What a row in doubt is for: look it up, send it once more, or leave it to a person. */
export function stepInDoubt(row: ClaimedRow, canLookUp: boolean): "look_up" | "send" | "leave" {
  if (canLookUp && row.attempts <= LOOK_UPS) return "look_up";
  // a second card converges, the first click decides; a reply twice would confuse a lead
  if (row.purpose === "reply") return "leave";
  if (row.purpose === "notice" && row.attempts < NOTICE_TRIES) return "send";
  return row.lastError?.startsWith(SENT_ONCE_MORE) ? "leave" : "send";
}

/** Sendings of a notice that got no answer; over some two minutes. */
const NOTICE_TRIES = 9;

const THREAD_WAIT_MS = 1_000;
const IN_OPENING = "its thread is being opened";

/** null: the row's thread is as open as it will be. Times are product time. */
export function waitForThread(row: ClaimedRow, now: number): DeliveryEnd | null {
  if (row.reviewThreadId === null || row.content.kind === "thread") return null;
  if (row.reviewThread === null) return { kind: "failed", error: "its thread could not be opened" };
  if (row.reviewThread.status !== "opening") return null;
  if (now - row.createdAt > GIVE_UP_AFTER_MS)
    return { kind: "failed", error: GIVEN_UP + IN_OPENING };
  // the first time what opens it stands behind this row, and then before it
  const waitMs = row.lastError === IN_OPENING ? THREAD_WAIT_MS : 0;
  return { kind: "behind", dueAt: now + waitMs, error: IN_OPENING };
}

/** The end that a messenger's answer means for the row. Times are product time. */
export function endOf(
  row: ClaimedRow,
  result: DeliveryResult,
  at: { now: number; canLookUp: boolean },
): DeliveryEnd {
  switch (result.kind) {
    case "sent":
    case "moved":
    case "blocked":
      return result;
    case "refused":
      return { kind: "failed", error: result.error };
    case "no_threads":
      return { kind: row.content.kind === "thread" ? "flat" : "failed", error: result.error };
    case "thread_gone":
      return threadGone(row, result.error);
    case "retry":
      if (at.now - row.createdAt > GIVE_UP_AFTER_MS && result.afterMs < GIVE_UP_AFTER_MS)
        return { kind: "failed", error: GIVEN_UP + result.error };
      return { kind: "retry", dueAt: retryAt(row, result, at.now), error: result.error };
    case "uncertain":
      return inDoubt(row, result.error, at);
    default:
      return result satisfies never;
  }
}

function threadGone(row: ClaimedRow, error: string): DeliveryEnd {
  const isOurs = row.reviewThread !== null && row.content.kind !== "thread";
  const mayReopen = isOurs && !row.lastError?.startsWith(REOPENED);
  return { kind: mayReopen ? "reopen" : "failed", error };
}

function inDoubt(
  row: ClaimedRow,
  error: string,
  at: { now: number; canLookUp: boolean },
): DeliveryEnd {
  if (stepInDoubt(row, at.canLookUp) === "leave") return { kind: "uncertain", error };
  const waitMs = at.canLookUp ? 500 : Math.max(1000, backoffMs(row.attempts));
  return { kind: "in_doubt", dueAt: at.now + waitMs, error };
}

/** What the messenger asked for is kept to the letter; a silent network is tried ever more seldom. */
function retryAt(row: ClaimedRow, result: { afterMs: number }, now: number): number {
  return now + Math.max(result.afterMs, backoffMs(row.attempts));
}

/** 0.5 s, 1, 2 … up to a minute. */
export function backoffMs(attempts: number): number {
  return Math.min(LONGEST_BACKOFF_MS, 500 * 2 ** Math.min(attempts - 1, 10));
}
