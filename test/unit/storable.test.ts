import fc from "fast-check";
import { expect, it } from "vitest";
import { storable } from "../../src/store/storable.ts";

it("drops NUL and mends half characters at every depth, in names too", () => {
  const given = { "a\0": ["b\0", { c: "\ud800x", d: 5, e: null, f: true }] };
  expect(storable(given)).toEqual({ a: ["b", { c: "\ufffdx", d: 5, e: null, f: true }] });
});

it("leaves whole text as it is", () => {
  const text = "Обмен 500 USDT 👍\n\u202e";
  expect(storable(text)).toBe(text);
});

it("leaves nothing that a database refuses, and is done after once", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (text, key) => {
      const clean = storable({ [key]: text, halves: `${text}\ud83d` });
      for (const part of Object.entries(clean).flat()) {
        expect(part).not.toContain("\0");
        expect(part.isWellFormed()).toBe(true);
      }
      expect(storable(clean)).toEqual(clean);
    }),
  );
});
