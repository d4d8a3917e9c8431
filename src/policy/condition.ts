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

/** `unknown`: it depends on how a fact that is not known compares with a limit. */
export type Verdict = "holds" | "fails" | "unknown";

const GROUPS: ReadonlySet<string> = new Set(["$and", "$or", "$nor"]);
const LISTS: ReadonlySet<string> = new Set(["$in", "$nin"]);
const ORDER: Record<string, (sign: -1 | 0 | 1) => boolean> = {
  $lt: (sign) => sign < 0,
  $lte: (sign) => sign <= 0,
  $gt: (sign) => sign > 0,
  $gte: (sign) => sign >= 0,
};
const OPERATORS: ReadonlySet<string> = new Set([
  ...["$eq", "$ne", "$in", "$nin", "$exists", "$not"],
  ...Object.keys(ORDER),
]);
/** Comparisons with facts that are not known are tried both ways, all of them with each other. */
const MOST_UNSURE = 8;

/**
 * Does the condition hold for the facts? Sums are compared as exact decimals ("9" < "50000").
 * Throws when the condition cannot be read: an unknown fact or operator, a sum compared with no
 * number. The caller denies then.
 */
export function judgeCondition(condition: JsonObject, facts: JsonObject): Verdict {
  refuseUnreadable(condition, facts);
  const unsure = new Unsure();
  const test = createQueryTester<JsonObject>(condition, {
    operations: operationsWith(unsure) as never, // sift's own operation type is any-based
    compare: sameValue,
  });
  const first = test(facts);
  if (!unsure.wasMet) return first ? "holds" : "fails";
  if (unsure.count > MOST_UNSURE) return "unknown";
  for (let guess = 1; guess < 2 ** unsure.count; guess += 1) {
    unsure.guess = guess;
    if (test(facts) !== first) return "unknown";
  }
  return first ? "holds" : "fails";
}

/** The comparisons of one condition whose fact may be no number; `guess` has a bit for each. */
class Unsure {
  count = 0;
  wasMet = false;
  guess = 0;

  add(): () => boolean {
    const bit = this.count;
    this.count += 1;
    return () => {
      this.wasMet = true;
      return Math.floor(this.guess / 2 ** bit) % 2 === 1;
    };
  }
}

function operationsWith(unsure: Unsure) {
  const ordered = Object.entries(ORDER).map(([name, accepts]) => [
    name,
    (limit: unknown, owner: unknown, options: never) => {
      const guess = unsure.add();
      const test = (value: unknown) =>
        isComparable(value) ? accepts(compareAmounts(String(value), String(limit))) : guess();
      return createEqualsOperation(test, owner, options);
    },
  ]);
  const plain = { $and, $or, $nor, $not, $eq, $ne, $in, $nin, $exists };
  return { ...plain, ...Object.fromEntries(ordered) };
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

/**
 * What is misspelt would never match and so silently drop a rule: names of facts, a list where a
 * value belongs, a word of a query without its sign.
 */
function refuseUnreadable(condition: JsonObject, facts: JsonObject): void {
  if (!isObject(condition)) throw new Error("a condition is an object");
  for (const [key, value] of Object.entries(condition)) {
    if (GROUPS.has(key)) for (const part of listOf(key, value)) refuseUnreadable(part, facts);
    else if (!Object.hasOwn(facts, key)) throw new Error(`unknown fact "${key}" in the condition`);
    else if (typeof value === "object" && value !== null) refuseUnreadableQuery(key, value);
  }
}

function refuseUnreadableQuery(fact: string, query: Json): void {
  if (!isObject(query) || Object.keys(query).length === 0)
    throw new Error(`${fact} wants one value, or a query like {"$in": […]}`);
  for (const [operator, value] of Object.entries(query)) {
    if (!OPERATORS.has(operator)) throw new Error(`${fact}: unknown operator "${operator}"`);
    if (operator === "$not") refuseUnreadableQuery(fact, value);
    else if (LISTS.has(operator)) refuseUnreadableList(fact, operator, value);
    else if (typeof value === "object" && value !== null)
      throw new Error(`${fact}: ${operator} wants one value`);
    else if (Object.hasOwn(ORDER, operator) && !isComparable(value))
      throw new Error(`${fact}: "${String(value)}" is no number to compare with`);
  }
}

function refuseUnreadableList(fact: string, operator: string, value: Json): void {
  const isList =
    Array.isArray(value) && value.every((one) => one === null || typeof one !== "object");
  if (!isList) throw new Error(`${fact}: ${operator} wants a list of values`);
}

function listOf(key: string, value: Json | undefined): JsonObject[] {
  if (!Array.isArray(value) || !value.every(isObject))
    throw new Error(`${key} wants a list of conditions`);
  return value;
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
