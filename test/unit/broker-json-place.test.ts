import fc from "fast-check";
import { expect, it } from "vitest";
import { placeOfFault } from "../../src/model/broker/json-place.ts";

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

it("agrees with the parser about what is JSON, also after a small change", () => {
  const spot = fc.nat();
  const piece = fc.constantFrom(
    "",
    ",",
    '"',
    "}",
    "]",
    ":",
    "0",
    "-",
    ".",
    "e",
    "\\",
    "\n",
    "t",
    "\u0001",
  );
  fc.assert(
    fc.property(fc.json(), spot, piece, fc.nat(2), (json, where, inserted, dropped) => {
      const at = where % (json.length + 1);
      const text = json.slice(0, at) + inserted + json.slice(at + dropped);
      expect([text, placeOfFault(text) === null]).toEqual([text, isJson(text)]);
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ["", 1, 1],
  ["sk-1", 1, 1],
  ['{"a": 1', 1, 8],
  ['{"a": 1}\n x', 2, 2],
  ["[1,\n 2,\n]", 3, 1],
  ['{"a" 1}', 1, 6],
  ["{'a': 1}", 1, 2],
])("%j stops being JSON at line %i, column %i", (text, line, column) => {
  expect(placeOfFault(text)).toEqual({ line, column });
});
