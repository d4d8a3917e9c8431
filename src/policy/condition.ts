import sift from "sift";
import type { Json, JsonObject } from "../domain/json.ts";
import { compareAmounts, isDecimal } from "../domain/money.ts";

// CommonJS: what the package exports by name hangs on its default export at run time
const {
  $and,
  $eq,
  $exists,
  $in,
  $ne,
  $nin,
  $nor,
  $not,
  $or,
  createEqualsOperation,
  createQueryTester,
} = sift as unknown as typeof import("sift");

type Compare = (sign: -1 | 0 | 1) => boolean;

const OPERATIONS = {
  $and,
  $or,
  $nor,
  $not,
  $eq,
  $ne,
  $in,
  $nin,
  $exists,
  $lt: ordered((sign) => sign < 0),
  $lte: ordered((sign) => sign <= 0),
  $gt: ordered((sign) => sign > 0),
  $gte: ordered((sign) => sign >= 0),
};

const GROUPS = new Set(["$and", "$or", "$nor"]);

/**
 * Does the condition hold for the facts? Sums are compared as exact decimals ("9" < "50000").
 * Throws when the condition cannot be evaluated: an unknown fact or operator, a sum compared with
 * no number. The caller denies then.
 */
export function conditionHolds(condition: JsonObject, facts: JsonObject): boolean {
  refuseUnknownFacts(condition, facts);
  const tester = createQueryTester<JsonObject>(condition, {
    operations: OPERATIONS as never, // sift's own operation type is any-based
    compare: sameValue,
  });
  return tester(facts);
}

function ordered(accepts: Compare) {
  return (limit: unknown, owner: unknown, options: never) => {
    if (!isComparable(limit)) throw new Error(`"${String(limit)}" is no number to compare with`);
    const test = (value: unknown) =>
      isComparable(value) && accepts(compareAmounts(String(value), String(limit)));
    return createEqualsOperation(test, owner, options);
  };
}

function isComparable(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "string" && isDecimal(value);
}

function sameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isComparable(left) || !isComparable(right)) return false;
  return compareAmounts(String(left), String(right)) === 0;
}

/** A misspelt fact would never match and so silently drop a rule: it is an error. */
function refuseUnknownFacts(condition: JsonObject, facts: JsonObject): void {
  for (const [key, value] of Object.entries(condition)) {
    if (GROUPS.has(key)) for (const part of listOf(key, value)) refuseUnknownFacts(part, facts);
    else if (!Object.hasOwn(facts, key)) throw new Error(`unknown fact "${key}" in the condition`);
  }
}

function listOf(key: string, value: Json | undefined): JsonObject[] {
  if (!Array.isArray(value)) throw new Error(`${key} wants a list of conditions`);
  return value.map((part) => {
    if (part === null || typeof part !== "object" || Array.isArray(part))
      throw new Error(`${key} wants a list of conditions`);
    return part;
  });
}
