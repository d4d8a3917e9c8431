import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  instantCursor,
  longNumberCursor,
  numberCursor,
  pageOf,
  readCursor,
} from "../../src/admin/page.ts";

const rows = [{ id: 5 }, { id: 4 }, { id: 3 }];

describe("a page", () => {
  it("names the next one by an opaque cursor that leads to the last row shown", () => {
    const page = pageOf(rows, 2, (row) => row.id);
    expect(page.items).toEqual([{ id: 5 }, { id: 4 }]);
    expect(readCursor(page.next_cursor ?? "", z.int())).toBe(4);
  });

  it("that is the last has no cursor", () => {
    expect(pageOf(rows, 3, (row) => row.id).next_cursor).toBeNull();
    expect(pageOf([], 3, () => 0)).toEqual({ items: [], next_cursor: null });
  });

  it.each(["", "x", "bnVsbA", Buffer.from('"4"').toString("base64url")])(
    "refuses the cursor %j",
    (cursor) => {
      expect(() => readCursor(cursor, z.int())).toThrow("next_cursor");
    },
  );

  const asCursor = (json: string) => Buffer.from(json).toString("base64url");

  it.each([
    [numberCursor, "1.5"],
    [numberCursor, "2147483648"],
    [numberCursor, "-1"],
    [longNumberCursor, "9007199254740993"],
    [longNumberCursor, "1.5"],
    [instantCursor, '{"at":1e300,"id":"y"}'],
    [instantCursor, '{"at":253402300800000,"id":"y"}'],
    [instantCursor, '{"at":-62198755200000,"id":"y"}'],
  ])("refuses what no row can have (%#): %s", (schema, json) => {
    expect(() => readCursor<unknown>(asCursor(json), schema)).toThrow("next_cursor");
  });

  it.each([
    [numberCursor, "2147483647"],
    [longNumberCursor, "9007199254740991"],
    [instantCursor, '{"at":253402300799999,"id":"y"}'],
  ])("takes the last that a row can have (%#): %s", (schema, json) => {
    expect(readCursor<unknown>(asCursor(json), schema)).toEqual(JSON.parse(json));
  });
});
