import type { Language } from "../domain/language.ts";
import type { RunKind } from "../domain/run.ts";
import type { TranscriptMessage } from "../store/transcript.ts";

/** An answer that comes later than this needs a word. */
export const LATE_AFTER_MS = 600_000;

/** A turn that answers words that have waited for long. */
export interface Late {
  /** Milliseconds since the oldest of them was written. */
  ageMs: number;
  /** Product time; what ended before it is no figure to name. */
  now: number;
}

/** `asked`: what the lead wrote that nobody has answered. null: in time, or an outcome is told. */
export function lateOf(
  run: { kind: RunKind; firstMessageAt: number },
  asked: readonly TranscriptMessage[],
  now: number,
): Late | null {
  const { kind, firstMessageAt } = run;
  if (kind !== "message") return null;
  const times = asked
    // what an earlier run left unanswered on purpose is no reason for an apology
    .filter(({ createdAt }) => createdAt >= firstMessageAt)
    .map(({ sentAt, createdAt }) => sentAt ?? createdAt);
  if (times.length === 0) return null;
  const ageMs = now - Math.min(...times);
  return ageMs >= LATE_AFTER_MS ? { ageMs, now } : null;
}

/** Once, before the answer, whoever has written that. */
export function withApology(text: string, late: Late | null, language: Language): string {
  return late === null ? text : `${APOLOGY[language]} ${text}`;
}

/** What the model is told of it. */
export function lateRule({ ageMs }: Late): string {
  const minutes = Math.floor(ageMs / 60_000);
  return `The client's message is ${minutes} minutes old: nobody could answer before. An apology is put before your answer, so do not apologise. Figures from before may have ended: ask the tools for fresh ones before you name any, and never repeat an offer that has expired.`;
}

const APOLOGY: Record<Language, string> = {
  en: "Sorry for the late answer.",
  ru: "Простите за поздний ответ.",
};
