import { describe, expect, it } from "vitest";
import { z } from "zod";
import { pageOf, readCursor } from "../../src/admin/page.ts";

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
});
