/** For what an endpoint sent: nothing is believed before it was looked at. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Anything but text counts as none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Beyond any answer there can be, and below what the journal's columns hold. */
const MOST_COUNTED = 1_000_000_000;

/** Counts that make no sense are not known. */
export function countOf(value: unknown): number | null {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0;
  return isCount && value <= MOST_COUNTED ? value : null;
}

/** Text that every store and every other endpoint takes. */
export function cleanText(value: unknown, most = Number.POSITIVE_INFINITY): string {
  return textOf(value).slice(0, most).replaceAll("\0", "").toWellFormed();
}

/** undefined: it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
