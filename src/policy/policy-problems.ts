import type { Json, JsonObject } from "../domain/json.ts";
import { isDecimal } from "../domain/money.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import { judgeCondition } from "./condition.ts";
import { FACTS, type FactKind, isFactName } from "./facts.ts";

const SAMPLES: Record<FactKind, Json> = {
  word: "word",
  code: "CODE",
  amount: "1",
  count: 1,
  yes_no: true,
};
const SAMPLE_FACTS: JsonObject = Object.fromEntries(
  Object.entries(FACTS).map(([name, { kind }]) => [name, SAMPLES[kind]]),
);

/** What is wrong with rows that are well formed; null when nothing is. Each line names its row. */
export function policyProblems(
  rows: readonly PolicyRow[],
  toolNames: ReadonlySet<string>,
): string[] | null {
  const problems = rows.flatMap((row) => {
    const found: string[] = [];
    if (row.tool_name !== "*" && !toolNames.has(row.tool_name))
      found.push(`${row.id}: there is no tool "${row.tool_name}"`);
    const problem = conditionProblem(row.condition_json);
    if (problem) found.push(`${row.id}: ${problem}`);
    return found;
  });
  return problems.length > 0 ? problems : null;
}

function conditionProblem(condition: JsonObject): string | null {
  try {
    judgeCondition(condition, SAMPLE_FACTS);
  } catch (error) {
    return error instanceof Error ? error.message : "the condition cannot be read";
  }
  return valueProblem(condition);
}

/** A value of another kind than its fact has never matches. */
function valueProblem(condition: JsonObject): string | null {
  for (const [key, value] of Object.entries(condition)) {
    const problem = isFactName(key)
      ? literalsOf(value).map((one) => literalProblem(key, one))
      : partsOf(value).map(valueProblem);
    const first = problem.find((one) => one !== null);
    if (first) return first;
  }
  return null;
}

function partsOf(value: Json): JsonObject[] {
  return Array.isArray(value) ? (value as JsonObject[]) : []; // a group's list was checked before
}

/** Every value that a fact is compared with, at any depth of `$not`. */
function literalsOf(value: Json): Json[] {
  if (value === null || typeof value !== "object") return [value];
  if (Array.isArray(value)) return value;
  return Object.entries(value).flatMap(([operator, one]) =>
    operator === "$exists" ? [] : literalsOf(one),
  );
}

function literalProblem(fact: keyof typeof FACTS, value: Json): string | null {
  if (value === null) return null;
  const { kind, ...rest } = FACTS[fact];
  const words: readonly string[] | undefined = "words" in rest ? rest.words : undefined;
  if (!FITS[kind](value)) return `${fact} wants ${WANTED[kind]}`;
  if (words && !words.includes(String(value))) return `${fact} is one of ${words.join(", ")}`;
  return null;
}

const isAmount = (value: Json) =>
  typeof value === "number" || (typeof value === "string" && isDecimal(value));

const isCount = (value: Json) =>
  typeof value === "number" ? Number.isInteger(value) : isAmount(value) && /^\d+$/.test(`${value}`);

const FITS: Record<FactKind, (value: Json) => boolean> = {
  word: (value) => typeof value === "string",
  code: (value) => typeof value === "string" && /^[A-Z0-9]{2,10}$/.test(value),
  amount: isAmount,
  count: isCount,
  yes_no: (value) => typeof value === "boolean",
};

const WANTED: Record<FactKind, string> = {
  word: "a word",
  code: "a code in capitals, e.g. THB",
  amount: 'a decimal number as text, e.g. "500"',
  count: "a whole number",
  yes_no: "true or false",
};
