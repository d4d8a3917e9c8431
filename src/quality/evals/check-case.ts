import type { z } from "zod";
import { StartError } from "../../domain/errors.ts";
import { furthestIssue } from "../../domain/furthest-issue.ts";
import { valueAt } from "../../domain/value-at.ts";
import type { KnownTools } from "../known-tools.ts";
import { shown } from "../regressions/fault.ts";
import { pathText } from "../regressions/path-text.ts";
import { type EvalCase, evalCaseSchema } from "./case-format.ts";
import { writtenOf } from "./case-rows.ts";
import { type CaseFault, ruleFaults } from "./case-rules.ts";

/** `evalCase`: null when there are faults. */
export interface CheckedCase {
  evalCase: Omit<EvalCase, "source"> | null;
  faults: CaseFault[];
}

/** Finds everything that is wrong with a written case, not only the first thing. */
export function checkCase(written: unknown, tools: KnownTools | null): CheckedCase {
  const parsed = evalCaseSchema.safeParse(written);
  const shape = parsed.error ? schemaFaults(parsed.error, written) : [];
  const named = new Set(shape.map(({ path }) => pathText(path)));
  const rules = ruleFaults(written, tools).filter(({ path }) => !named.has(pathText(path)));
  const faults = [...shape, ...(isCase(written) ? rules : [])];
  return { evalCase: faults.length === 0 ? (parsed.data ?? null) : null, faults };
}

/** One line for a person: `x.yaml:4: case "a letter": client.kyc: expected …, actual …`. */
export function caseFaultLine(place: string, { path, expected, actual }: CaseFault): string {
  const at = path.length === 0 ? "(case)" : pathText(path);
  return `${place}: ${at}: expected ${expected}, actual ${shown(actual)}`;
}

/** Throws StartError, one line for each thing that is wrong with one of the cases. */
export function refuseFaults(cases: readonly EvalCase[], tools: KnownTools): void {
  const lines = cases.flatMap((one, index) =>
    ruleFaults(writtenOf(one), tools).map((fault) =>
      caseFaultLine(`${one.source}: ${caseTitle(one, index)}`, fault),
    ),
  );
  if (lines.length > 0) throw new StartError(lines.join("\n"));
}

/** How a case is called in such a line. `index`: counts from 0. */
export function caseTitle(written: unknown, index: number): string {
  const name = isCase(written) ? written.case_name : null;
  return typeof name === "string" ? `case ${shown(name)}` : `case ${index + 1}`;
}

function isCase(written: unknown): written is { case_name?: unknown } {
  return typeof written === "object" && written !== null && !Array.isArray(written);
}

/** Everything that a schema says of a value. */
export function schemaFaults({ issues }: z.ZodError, value: unknown): CaseFault[] {
  return issues.flatMap((issue) => faultsOf(issue, value));
}

function faultsOf(found: z.core.$ZodIssue, written: unknown): CaseFault[] {
  const issue = furthestIssue(found);
  const { path } = issue;
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      ...{ path: [...path, key], expected: "no field of this name" },
      actual: valueAt(written, [...path, key]),
    }));
  return [{ path, expected: expectedIn(issue.message), actual: valueAt(written, path) }];
}

/** Of zod's own sentences the part that says what is wanted. */
function expectedIn(message: string): string {
  return message.replace(/^[A-Z][a-z ]+: expected (.+?)(, received .*)?$/, "$1");
}
