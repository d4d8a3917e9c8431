import { z } from "zod";
import { UserError } from "../domain/errors.ts";
import { parseBodyJson } from "./body-json.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** The last millisecond of the year 9999: later ones are no time that the database reads. */
export const LATEST_MS = Date.UTC(10_000, 0) - 1;

/** Query fields of every list. */
export const pageFields = {
  limit: limitField(MAX_LIMIT, DEFAULT_LIMIT),
  cursor: z.string().max(500).optional(),
};

/** How many rows are wanted: written in digits, without zeros before them. */
export function limitField(most: number, usual: number) {
  const wanted = `a whole number from 1 to ${most}`;
  return z.preprocess(
    (text) => (typeof text === "string" && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : text),
    z.int(wanted).min(1, wanted).max(most, wanted).default(usual),
  );
}

/** Of lists by a number that people say: 32 bits in the database. */
export const numberCursor = z.int32().min(0);
/** Of lists by a number of 64 bits. */
export const longNumberCursor = z.int().min(0);
/** Of lists by time; the id tells rows of one millisecond apart. */
export const instantCursor = z.strictObject({
  at: z.int().min(0).max(LATEST_MS),
  id: z.string(),
});

/** The key that a cursor stands for; null on the first page. Throws UserError for anything else. */
export function readCursor<Key>(cursor: string | undefined, schema: z.ZodType<Key>): Key | null {
  if (cursor === undefined) return null;
  try {
    return schema.parse(parseBodyJson(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    throw new UserError("invalid", "cursor: use next_cursor of the page before", "cursor");
  }
}

/** Of `limit + 1` rows read, those of the page and the cursor of the next one. */
export function pageOf<Row, Key>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => Key,
): { items: Row[]; next_cursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items, next_cursor: hasMore ? cursorOf(keyOf(last)) : null };
}

function cursorOf(key: unknown): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}
