import { type Difference, shown } from "./fault.ts";
import { type RegressionRecord, regressionRecordSchema } from "./record.ts";

/** `record`: null when there are faults. */
export interface CheckedRecord {
  record: RegressionRecord | null;
  faults: Difference[];
}

/** Finds everything that is wrong with a record, not only the first thing. */
export function checkRecord(value: unknown): CheckedRecord {
  const parsed = regressionRecordSchema.safeParse(value);
  const shape = (parsed.error?.issues ?? []).map((issue) => ({
    path: pathText(issue.path),
    expected: issue.message,
    actual: shown(valueAt(value, issue.path)),
  }));
  const named = new Set(shape.map(({ path }) => path));
  const faults = [...shape, ...disagreements(value).filter(({ path }) => !named.has(path))];
  return { record: faults.length === 0 ? (parsed.data ?? null) : null, faults };
}

/** Beside the schema, which looks at no two fields together once one of them is wrong. */
function disagreements(value: unknown): Difference[] {
  return [
    ...mustEqual(value, ["input", "toolName"], ["toolName"]),
    ...mustEqual(value, ["input", "feedback", "label"], ["label"]),
  ];
}

/** Only texts are compared: anything else the schema has named already. */
function mustEqual(value: unknown, at: string[], other: string[]): Difference[] {
  const actual = valueAt(value, at);
  const wanted = valueAt(value, other);
  if (typeof actual !== "string" || typeof wanted !== "string" || actual === wanted) return [];
  const expected = `${shown(wanted)}, like ${pathText(other)}`;
  return [{ path: pathText(at), expected, actual: shown(actual) }];
}

/** Own fields only: `constructor` is none. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<PropertyKey, unknown>)[key]; // it has that key
  }
  return found;
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "(record)";
  return path
    .map((key, index) =>
      typeof key === "number" ? `[${key}]` : `${index > 0 ? "." : ""}${String(key)}`,
    )
    .join("");
}
