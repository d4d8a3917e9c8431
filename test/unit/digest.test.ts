import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, type Json, type JsonObject } from "../../src/domain/json.ts";
import { canonicalDecimal } from "../../src/domain/money.ts";
import { actionDigest, argumentsHash, digestHead } from "../../src/policy/digest.ts";
import { parseArguments } from "../../src/tools/parse-arguments.ts";

const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const action = fc.dictionary(fc.string(), value) as fc.Arbitrary<JsonObject>;

function shuffled(given: Json): Json {
  if (Array.isArray(given)) return given.map(shuffled);
  if (given === null || typeof given !== "object") return given;
  const fields = Object.entries(given).toReversed();
  return Object.fromEntries(fields.map(([key, field]) => [key, shuffled(field)]));
}

/** What arguments may hold: no lone halves of characters, no names of prototypes. */
const plainText = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
const plainKey = fc.stringMatching(/^[a-z_]{1,8}[0-9]$/);
const { plainAction } = fc.letrec<{ plain: Json; plainAction: JsonObject }>((tie) => ({
  plain: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    ...[plainText, fc.boolean(), fc.integer(), fc.constant(null)],
    fc.array(tie("plain"), { maxLength: 3 }),
    tie("plainAction"),
  ),
  plainAction: fc.dictionary(plainKey, tie("plain"), { maxKeys: 5 }),
}));

/** The same value in other words: spaces, the order of fields, escaped characters, 1.0 for 1. */
function written(given: Json, gen: fc.GeneratorValue): string {
  const gap = () => gen(fc.constantFrom, "", "", " ", "\n\t", "\r\n ");
  const listed = (parts: string[]) => parts.map((part) => gap() + part + gap()).join(",");
  if (typeof given === "string") return writtenText(given, gen);
  if (typeof given === "number") return `${given}${gen(fc.constantFrom, "", ".0", ".00", "e0")}`;
  if (given === null || typeof given === "boolean") return String(given);
  if (Array.isArray(given)) return `[${gap()}${listed(given.map((one) => written(one, gen)))}]`;
  const fields = gen(fc.shuffledSubarray, Object.entries(given), {
    minLength: Object.keys(given).length,
  });
  const pairs = fields.map(
    ([key, field]) => `${writtenText(key, gen)}${gap()}:${gap()}${written(field, gen)}`,
  );
  return `{${gap()}${listed(pairs)}}`;
}

function writtenText(text: string, gen: fc.GeneratorValue): string {
  if (!gen(fc.boolean)) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

/** One place, at whatever depth, holds another value, is new, or is gone. */
function changedSomewhere(given: Json, changed: Json, gen: fc.GeneratorValue): Json {
  if (given === null || typeof given !== "object") return changed;
  const keys = Object.keys(given);
  const key = keys.length === 0 ? undefined : gen(fc.constantFrom, ...keys);
  const how =
    key === undefined ? "adds" : gen(fc.constantFrom, "adds", "removes", "within", "within");
  if (Array.isArray(given)) {
    const at = Number(key ?? 0);
    if (how === "adds") return given.toSpliced(at, 0, changed);
    if (how === "removes") return given.toSpliced(at, 1);
    return given.with(at, changedSomewhere(given[at] ?? null, changed, gen));
  }
  const { [key ?? ""]: before = null, ...others } = given;
  if (how === "adds") return { ...given, [gen(fc.string)]: changed };
  if (how === "removes") return others;
  return { ...given, [key ?? ""]: changedSomewhere(before, changed, gen) };
}

function withPoint(whole: bigint, places: number): string {
  if (places === 0) return String(whole);
  const digits = String(whole).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
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

it("any change at any depth matters: a value, a field that is new, one that is gone", () => {
  fc.assert(
    fc.property(action, fc.gen(), value, (given, gen, changed) => {
      const other = changedSomewhere(given, changed, gen) as JsonObject; // an object stays one
      fc.pre(canonicalJson(other) !== canonicalJson(given));
      expect(actionDigest("pay", other)).not.toBe(actionDigest("pay", given));
    }),
    { numRuns: 500 },
  );
});

it("values change places, and it is another action", () => {
  fc.assert(
    fc.property(value, value, (one, other) => {
      fc.pre(canonicalJson(one) !== canonicalJson(other));
      const there = actionDigest("pay", { from: one, to: other });
      expect(actionDigest("pay", { from: other, to: one })).not.toBe(there);
    }),
  );
});

it("however a model writes the same arguments, they are the same", () => {
  fc.assert(
    fc.property(plainAction, fc.gen(), (given, gen) => {
      const read = parseArguments(written(given, gen));
      expect(read).toMatchObject({ ok: true });
      expect(actionDigest("pay", read.value as JsonObject)).toBe(actionDigest("pay", given));
      expect(argumentsHash("pay", read.value)).toBe(argumentsHash("pay", given));
    }),
    { numRuns: 500 },
  );
});

it("sums are written in one way: zeros at the ends do not matter, any other digit does", () => {
  const sum = (text: string) => actionDigest("pay", { amount: canonicalDecimal(text) });
  const digits = fc.tuple(fc.bigInt(0n, 10n ** 20n), fc.integer({ min: 0, max: 12 }));
  fc.assert(
    fc.property(digits, fc.nat(5), fc.nat(5), fc.nat(30), ([whole, places], before, after, at) => {
      const text = withPoint(whole, places);
      const padded = "0".repeat(before) + (places === 0 ? text : text + "0".repeat(after));
      expect(sum(padded)).toBe(sum(text));
      const place = at % text.length;
      const digit = text[place];
      fc.pre(digit !== ".");
      const changed = text.slice(0, place) + ((Number(digit) + 1) % 10) + text.slice(place + 1);
      expect(sum(changed)).not.toBe(sum(text));
    }),
  );
  expect([sum("1.50"), sum("01.5")]).toEqual([sum("1.5"), sum("1.5")]);
});

it("texts that only look alike are different actions: nothing of them is rewritten", () => {
  const looks = [
    "Zo\u00eb",
    "Zoe\u0308",
    "zo\u00eb",
    "Zo\u00eb ",
    "Zo\u200b\u00eb",
    "\u0417o\u00eb",
  ];
  const digests = looks.map((name) => actionDigest("pay", { beneficiary: name }));
  expect(new Set(digests).size).toBe(looks.length);
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
