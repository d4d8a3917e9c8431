import type { Texts } from "./language.ts";
import type { Tone } from "./parts.tsx";
import type { NameOf } from "./staff-names.ts";

/** What kinds of rows the timeline marks; the texts and the marks have the same names. */
export const ENTRY_KINDS = [
  "lead",
  "reply",
  "staff",
  "event",
  "delivery",
  "feedback",
  "run",
  "model",
  "candidate",
  "check",
  "gate",
  "approval",
  "vote",
  "execution",
  "retry",
  "outside",
  "result",
  "error",
  "deal",
  "handoff",
  "audit",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** One row of the trace, told in a line. */
export interface Entry {
  /** ISO time. */
  at: string;
  kind: EntryKind;
  runId: string | null;
  tone: Tone;
  line: string;
  /** Said by somebody: shown apart from the line, as text. */
  said?: string;
  href?: string;
  /** What a decision was made on. */
  facts?: object;
  /** The whole row, folded. */
  row: object;
}

/** What the lines are told with. */
export interface Telling {
  t: Texts;
  names: NameOf;
}
