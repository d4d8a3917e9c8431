import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, type Json, type JsonObject } from "../../src/domain/json.ts";
import { actionDigest, argumentsHash, digestHead } from "../../src/policy/digest.ts";

const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const action = fc.dictionary(fc.string(), value) as fc.Arbitrary<JsonObject>;

function shuffled(given: Json): Json {
  if (Array.isArray(given)) return given.map(shuffled);
  if (given === null || typeof given !== "object") return given;
  const fields = Object.entries(given).toReversed();
  return Object.fromEntries(fields.map(([key, field]) => [key, shuffled(field)]));
}

it("the order of fields does not matter, at any depth", () => {
  fc.assert(
    fc.property(action, (given) => {
      expect(actionDigest("pay", shuffled(given) as JsonObject)).toBe(actionDigest("pay", given));
    }),
  );
});

it("any change of any value matters", () => {
  fc.assert(
    fc.property(action, fc.string(), value, (given, key, changed) => {
      const other = { ...given, [key]: changed };
      fc.pre(canonicalJson(other) !== canonicalJson(given));
      expect(actionDigest("pay", other)).not.toBe(actionDigest("pay", given));
    }),
  );
});

it("a value is not its neighbour of another kind", () => {
  const kinds: Json[] = ["1", 1, true, null, "null", [], {}, [1], ["1"], "", 0, false];
  const digests = kinds.map((kind) => actionDigest("pay", { amount: kind }));
  expect(new Set(digests).size).toBe(kinds.length);
});

it("the order of a list matters", () => {
  expect(actionDigest("pay", { to: ["a", "b"] })).not.toBe(actionDigest("pay", { to: ["b", "a"] }));
});

it("the tool is part of it, and arguments are not an action", () => {
  expect(actionDigest("pay", { a: 1 })).not.toBe(actionDigest("refund", { a: 1 }));
  expect(actionDigest("pay", { a: 1 })).not.toBe(argumentsHash("pay", { a: 1 }));
});

it("people compare its first eight digits", () => {
  const digest = actionDigest("pay", { amount: "40" });
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(digestHead(digest)).toBe(digest.slice(0, 8));
});
