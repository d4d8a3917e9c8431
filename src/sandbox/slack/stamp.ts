import { createHash } from "node:crypto";
import type { WorldEvent } from "../journal.ts";

/** The time and number of a journal event, in Slack's words. */
export interface Stamp {
  seq: number;
  /** Played time, milliseconds. */
  at: number;
  /** Unique and growing, also when the played clock is set back. */
  ts: string;
  second: number;
}

/** The number of the event makes `ts` unique within its second. */
export function stampOf(event: WorldEvent, lastSecond: number): Stamp {
  const second = Math.max(Math.floor(event.at / 1000), lastSecond);
  const ts = `${second}.${String(event.seq % 1_000_000).padStart(6, "0")}`;
  return { seq: event.seq, at: event.at, ts, second };
}

/** Opaque ids are made from the event's number, so that a replay makes the same ones. */
export function opaque(purpose: string, seq: number | string, length = 24): string {
  return createHash("sha256").update(`${purpose}:${seq}`).digest("hex").slice(0, length);
}

export function eventIdOf(key: string): string {
  return `Ev0${opaque("event", key, 10).toUpperCase()}`;
}

/** A second try of the same event comes in a new envelope. */
export function envelopeIdOf(key: string, attempt: number): string {
  const hex = opaque("envelope", `${key}:${attempt}`, 32);
  return [8, 12, 16, 20, 32].map((end, i) => hex.slice([0, 8, 12, 16, 20][i], end)).join("-");
}

export function triggerIdOf(seq: number): string {
  return `${10_000_000_000 + seq}.${10_229_338_706_656}.${opaque("trigger", seq, 32)}`;
}

/** In the look of Slack's ids, growing with the journal. */
export function numberedId(prefix: string, seq: number, index = 0): string {
  return `${prefix}0${seq.toString(36).toUpperCase().padStart(7, "0")}${index.toString(36).toUpperCase()}`;
}
