/** One thing that is wrong with one line. The texts are short and stand on one line each. */
export interface Fault {
  line: number;
  /** The case's id; null: it has none that can be read. */
  case: number | null;
  tool: string | null;
  /** `input.feedback.label`, or a word in brackets for what has no path: `(line)`. */
  path: string;
  expected: string;
  actual: string;
}

/** What a fault says beside its place. */
export type Difference = Pick<Fault, "path" | "expected" | "actual">;

/** Where a case stands; what faults are marked with. */
export type Where = Pick<Fault, "line" | "case" | "tool">;

/** As a person reads it in a log. */
export function faultLine(fault: Fault): string {
  const { line, path, expected, actual } = fault;
  const place = `line ${line}, case ${fault.case ?? "?"}, tool ${fault.tool ?? "?"}`;
  const text = `FAIL ${place}, path ${path}: expected ${expected}, actual ${actual}`;
  return oneLine(text, LINE_LENGTH);
}

const LINE_LENGTH = 2000;

const SHOWN_LENGTH = 120;

/** Any value, short and on one line; what is not there is "(missing)". Never throws. */
export function shown(value: unknown): string {
  if (value === undefined) return "(missing)";
  return oneLine(jsonOf(value), SHOWN_LENGTH);
}

/** Controls and marks that nobody sees are written as escapes; cut with … after `limit`. */
export function oneLine(value: string, limit: number): string {
  // a character has at most two units, so what is shown lies within these
  const chars = Array.from(value.slice(0, 2 * limit + 2));
  const cut = chars.length > limit ? [...chars.slice(0, limit - 1), "…"] : chars;
  return cut.join("").replace(UNSEEN, escapeOf);
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function escapeOf(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

function jsonOf(value: unknown): string {
  // 1e999 is a number that JSON can read but not write
  if (typeof value === "number") return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "(too deep to show)";
  }
}
