import type { Json, JsonObject } from "../domain/json.ts";

/** A cut is never silent: what was left out is counted, and the way to the rest is told. */
export interface Cut {
  field: string;
  shown: number;
  left: number;
  of: "items" | "characters";
}

const HOW_TO_GO_ON =
  "the rest was left out; ask for less at once (a narrower question, fewer items), or use what `next` says";
const LONG_TEXTS = [4_000, 1_000, 250];

/**
 * Data that fits into `most` characters of JSON: long lists lose their last items, which stay whole
 * otherwise, then long texts are cut.
 */
export function shortened(data: JsonObject, most: number): JsonObject {
  if (sizeOf(data) <= most) return data;
  const cuts: Cut[] = [];
  const room = most - 600; // for what tells of the cuts
  let kept = cutLists(data, room, cuts);
  for (const longest of LONG_TEXTS)
    if (sizeOf(kept) > room) kept = cutTexts(kept, longest, cuts) as JsonObject; // an object stays one
  const shown = sizeOf(kept) > room ? { excerpt: JSON.stringify(kept).slice(0, room) } : kept;
  return { ...shown, truncated: { left_out: asJson(cuts), how_to_go_on: HOW_TO_GO_ON } };
}

function asJson(cuts: readonly Cut[]): Json[] {
  return cuts.slice(0, 8).map((cut) => ({ ...cut }));
}

function sizeOf(value: Json): number {
  return JSON.stringify(value).length;
}

/** The longest list first; one item always stays. */
function cutLists(data: JsonObject, room: number, cuts: Cut[]): JsonObject {
  const kept = { ...data };
  const lists = Object.entries(data).filter((entry): entry is [string, Json[]] =>
    Array.isArray(entry[1]),
  );
  for (const [field, list] of lists.sort((left, right) => sizeOf(right[1]) - sizeOf(left[1]))) {
    let shown = list.length;
    while (shown > 1 && sizeOf(kept) > room) {
      shown -= 1;
      kept[field] = list.slice(0, shown);
    }
    if (shown < list.length) cuts.push({ field, shown, left: list.length - shown, of: "items" });
  }
  return kept;
}

function cutTexts(value: Json, longest: number, cuts: Cut[], field = ""): Json {
  if (typeof value === "string") {
    const left = value.length - longest;
    if (left <= 40) return value;
    cuts.push({ field, shown: longest, left, of: "characters" });
    return `${value.slice(0, longest).toWellFormed()} … [cut]`; // a count here could be taken for a figure
  }
  if (Array.isArray(value)) return value.map((one) => cutTexts(one, longest, cuts, field));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, one]) => [name, cutTexts(one, longest, cuts, name)]),
  );
}
