import { valueAt } from "../../domain/value-at.ts";
import { type ExpectationFault, expectationFaults } from "../expectation-faults.ts";
import type { KnownTools } from "../known-tools.ts";
import { type Difference, shown } from "./fault.ts";
import { pathText } from "./path-text.ts";
import { expectedSchema, type RegressionRecord, regressionRecordSchema } from "./record.ts";

/** `record`: null when there are faults. */
export interface CheckedRecord {
  record: RegressionRecord | null;
  faults: Difference[];
}

/**
 * Finds everything that is wrong with a record, not only the first thing. `tools`: null: its tools
 * and their fields are not looked up.
 */
export function checkRecord(value: unknown, tools: KnownTools | null = null): CheckedRecord {
  const parsed = regressionRecordSchema.safeParse(value);
  const shape = (parsed.error?.issues ?? []).map((issue) => ({
    path: pathText(issue.path),
    expected: issue.message,
    actual: shown(valueAt(value, issue.path)),
  }));
  const named = new Set(shape.map(({ path }) => path));
  const further = [...disagreements(value), ...vainExpectations(value, tools)];
  const faults = [...shape, ...further.filter(({ path }) => !named.has(path))];
  return { record: faults.length === 0 ? (parsed.data ?? null) : null, faults };
}

/** Beside the schema, which looks at no two fields together once one of them is wrong. */
function disagreements(value: unknown): Difference[] {
  return [
    ...mustEqual(value, ["input", "toolName"], ["toolName"]),
    ...mustEqual(value, ["input", "feedback", "label"], ["label"]),
  ];
}

/** What is expected can never hold, or never fail. */
function vainExpectations(value: unknown, tools: KnownTools | null): Difference[] {
  const { data: expected } = expectedSchema.safeParse(valueAt(value, ["expected"]));
  if (!expected) return [];
  const toolName = valueAt(value, ["toolName"]);
  const faults = expectationFaults(
    { ...expected, toolName: typeof toolName === "string" ? toolName : null },
    tools,
  );
  const isMissing = valueAt(value, ["label"]) === "missing_tool" && expected.tool === null;
  return [
    ...faults.map(differenceOf),
    ...(isMissing
      ? [{ path: "expected.tool", expected: "the tool that is missing here", actual: "null" }]
      : []),
  ];
}

function differenceOf({ field, path, expected, actual }: ExpectationFault): Difference {
  return { path: pathText(["expected", field, ...path]), expected, actual: shown(actual) };
}

/** Only texts are compared: anything else the schema has named already. */
function mustEqual(value: unknown, at: string[], other: string[]): Difference[] {
  const actual = valueAt(value, at);
  const wanted = valueAt(value, other);
  if (typeof actual !== "string" || typeof wanted !== "string" || actual === wanted) return [];
  const expected = `${shown(wanted)}, like ${pathText(other)}`;
  return [{ path: pathText(at), expected, actual: shown(actual) }];
}
