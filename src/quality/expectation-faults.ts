import type { z } from "zod";
import type { Json, JsonObject } from "../domain/json.ts";
import type { KnownTools } from "./known-tools.ts";
import { expressionOf } from "./match-arguments.ts";

/** What somebody expects of a model's call, wherever it is written. */
export interface Expectation {
  /** The tool that is meant where none is named; null: any. */
  toolName: string | null;
  /** null: no tool may be called. */
  tool?: string | null | undefined;
  args?: JsonObject | undefined;
  policyResult?: string | undefined;
  forbiddenTools?: readonly string[] | undefined;
  /** Of the call's result, as a model is shown it. */
  result?: JsonObject | undefined;
}

/** Something in an expectation by which it can never hold, or never fail. */
export interface ExpectationFault {
  field: "tool" | "args" | "forbiddenTools" | "result";
  /** Within the field. */
  path: readonly PropertyKey[];
  /** What ought to stand there, in words. */
  expected: string;
  actual: unknown;
}

/** Arguments of a call are not nested deeper. */
const MAX_DEPTH = 16;

/** All of them. `tools`: null: names and fields are not looked up. */
export function expectationFaults(
  expectation: Expectation,
  tools: KnownTools | null,
): ExpectationFault[] {
  const { args, result } = expectation;
  const nested = [...nestedFaults("args", args), ...nestedFaults("result", result)];
  return [
    ...contradictions(expectation),
    ...(tools ? strangeTools(expectation, tools) : []),
    // what is nested without end is walked by nobody else
    ...(nested.length > 0
      ? nested
      : [
          ...patternFaults("args", args),
          ...patternFaults("result", result),
          ...(tools ? argumentFaults(expectation, tools) : []),
        ]),
  ];
}

function contradictions(expectation: Expectation): ExpectationFault[] {
  const { toolName, tool, args, forbiddenTools = [], policyResult, result } = expectation;
  const found: ExpectationFault[] = [];
  if (typeof tool === "string" && forbiddenTools.includes(tool))
    found.push({
      ...{ field: "tool", path: [], actual: tool },
      expected: "another tool than those that are forbidden here",
    });
  if (args !== undefined && tool === null)
    found.push({
      ...{ field: "args", path: [], actual: args },
      expected: "nothing: no tool may be called here",
    });
  if (args !== undefined && tool === undefined && toolName && forbiddenTools.includes(toolName))
    found.push({
      ...{ field: "args", path: [], actual: args },
      expected: `nothing, or another expected tool: ${toolName} is forbidden here`,
    });
  const isRefused = policyResult === "deny" || policyResult === "schema_failed";
  if (isRefused && result?.ok === true)
    found.push({
      ...{ field: "result", path: ["ok"], actual: true },
      expected: `false: what comes out as ${policyResult} is never ok`,
    });
  return found;
}

function strangeTools(
  { toolName, tool, forbiddenTools = [] }: Expectation,
  tools: KnownTools,
): ExpectationFault[] {
  // whether the case may be about its own tool is asked elsewhere
  const isStrange = (name: string) => name !== toolName && !tools.has(name);
  const strange = (field: "tool" | "forbiddenTools", path: PropertyKey[], actual: string) =>
    isStrange(actual) ? [{ field, path, actual, expected: tools.insteadOf(actual) }] : [];
  return [
    ...(typeof tool === "string" ? strange("tool", [], tool) : []),
    ...forbiddenTools.flatMap((name, index) => strange("forbiddenTools", [index], name)),
  ];
}

function nestedFaults(
  field: ExpectationFault["field"],
  value: JsonObject | undefined,
): ExpectationFault[] {
  if (value === undefined || !isDeeper(value, MAX_DEPTH)) return [];
  const expected = `values nested at most ${MAX_DEPTH} deep`;
  return [{ field, path: [], expected, actual: "(deeper)" }];
}

function isDeeper(value: Json, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function patternFaults(
  field: ExpectationFault["field"],
  value: Json | undefined,
  path: readonly PropertyKey[] = [],
): ExpectationFault[] {
  if (value === null || typeof value !== "object") return [];
  const pattern = matcherIn(value);
  if (pattern === undefined)
    return Object.entries(value).flatMap(([name, inner]) =>
      patternFaults(field, inner, [...path, Array.isArray(value) ? Number(name) : name]),
    );
  if (path.length === 0)
    return [
      {
        ...{ field, path, actual: value },
        expected: 'the fields by their names, like {"subject": {"matches": "rules"}}',
      },
    ];
  if (typeof pattern === "string" && expressionOf(pattern) !== null) return [];
  return [
    {
      ...{ field, path: [...path, "matches"], actual: pattern },
      expected: 'a regular expression as a text, like "rules|terms"',
    },
  ];
}

/** What stands in `{"matches": …}`; undefined: the value is nothing of the kind. */
function matcherIn(value: Json | undefined): Json | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  return entries.length === 1 && entries[0]?.[0] === "matches" ? entries[0][1] : undefined;
}

/** A call with such arguments is refused before any policy: nothing that is expected can be met. */
function argumentFaults(
  { toolName, tool = toolName, args, policyResult }: Expectation,
  tools: KnownTools,
): ExpectationFault[] {
  if (args === undefined || typeof tool !== "string" || policyResult === "schema_failed") return [];
  const issues = tools.parametersOf(tool)?.safeParse(args).error?.issues ?? [];
  return issues.flatMap((issue) => argumentFault(issue, args, tool));
}

/** Only some fields may be named, and texts may be expressions: of these the schema says nothing. */
function argumentFault(
  issue: z.core.$ZodIssue,
  args: JsonObject,
  tool: string,
): ExpectationFault[] {
  const value = valueAt(args, issue.path);
  if (value === undefined || matcherIn(value) !== undefined) return [];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      ...{ field: "args", path: [...issue.path, key] },
      expected: `no such field: ${tool} takes none of this name`,
      actual: valueAt(args, [...issue.path, key]),
    }));
  const isWhole = value === null || typeof value !== "object";
  if (issue.path.length === 0 || !(isWhole || issue.code === "invalid_type")) return [];
  const expected = `a value that ${tool} takes (${issue.message})`;
  return [{ field: "args", path: issue.path, expected, actual: value }];
}

function valueAt(value: Json | undefined, path: readonly PropertyKey[]): Json | undefined {
  let found = value;
  for (const key of path) {
    if (found === null || typeof found !== "object" || !Object.hasOwn(found, key)) return undefined;
    found = (found as JsonObject)[String(key)]; // it has that key
  }
  return found;
}
