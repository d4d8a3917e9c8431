import { messageOf } from "../../domain/errors.ts";
import type { KnownTools } from "../known-tools.ts";
import type { CaseLine } from "./case-lines.ts";
import { checkRecord } from "./check-record.ts";
import { type Difference, type Fault, oneLine, shown, type Where } from "./fault.ts";
import { isObject, type RegressionRecord } from "./record.ts";

/** Which cases are looked at. `tools`: those that a case may be about. */
export interface RunOptions {
  tools: ReadonlySet<string>;
  /** Those that an expectation may name. */
  known: KnownTools;
  includeArchived: boolean;
  skipUnsupported: boolean;
}

/** Why a case was not looked at. */
export type SkipReason = "archived" | "unsupported_tool";

/** What came of one line. `reason`: of a skipped one. */
export interface CaseResult {
  line: number;
  id: number | null;
  tool: string | null;
  title: string | null;
  /** The case's own; null: it has none that can be read. */
  caseStatus: "active" | "archived" | null;
  status: "passed" | "failed" | "skipped";
  reason?: SkipReason;
  faults: Fault[];
}

/** Looks further at a record whose shape is right. What it finds are faults, never exceptions. */
export type Replay = (record: RegressionRecord, where: Where) => Promise<Fault[]>;

const TITLE_LENGTH = 200;
const NAME_LENGTH = 80;
const TOOLS_LENGTH = 400;

/** One result a line, in their order. */
export async function runRegressions(parts: {
  lines: readonly CaseLine[];
  options: RunOptions;
  replay?: Replay;
}): Promise<CaseResult[]> {
  const seen = new Map<number, number>();
  const results: CaseResult[] = [];
  for (const line of parts.lines) {
    const head = headOf(line);
    const first = head.id === null ? undefined : seen.get(head.id);
    if (head.id !== null && first === undefined) seen.set(head.id, line.line);
    results.push(await resultOf({ ...parts, line, head, first }));
  }
  return results;
}

/** What can be read of a line before it is checked. */
type Head = Pick<CaseResult, "line" | "id" | "tool" | "title" | "caseStatus">;

function headOf(line: CaseLine): Head {
  const value = line.kind === "json" && isObject(line.value) ? line.value : {};
  const { id, toolName, title, status } = value;
  return {
    line: line.line,
    id: Number.isSafeInteger(id) && Number(id) > 0 ? Number(id) : null,
    tool: typeof toolName === "string" ? oneLine(toolName, NAME_LENGTH) : null,
    title: typeof title === "string" ? oneLine(title, TITLE_LENGTH) : null,
    caseStatus: status === "active" || status === "archived" ? status : null,
  };
}

interface Looked {
  line: CaseLine;
  head: Head;
  /** The line that had this id before. */
  first: number | undefined;
  options: RunOptions;
  replay?: Replay;
}

async function resultOf(looked: Looked): Promise<CaseResult> {
  const reason = skipReasonOf(looked);
  if (reason) return { ...looked.head, status: "skipped", reason, faults: [] };
  const faults = await faultsOf(looked);
  return { ...looked.head, status: faults.length > 0 ? "failed" : "passed", faults };
}

function skipReasonOf({ head, options }: Looked): SkipReason | null {
  if (head.caseStatus === "archived" && !options.includeArchived) return "archived";
  return options.skipUnsupported && isUnsupported(head, options.tools) ? "unsupported_tool" : null;
}

/** A name that is no text is a fault of the record, not a foreign tool. */
export function isUnsupported(
  { tool }: Pick<CaseResult, "tool">,
  tools: ReadonlySet<string>,
): boolean {
  return tool !== null && tool.trim() !== "" && !tools.has(tool);
}

const TWICE = { expected: "the field once", actual: "more than once" };

async function faultsOf({ line, head, first, options, replay }: Looked): Promise<Fault[]> {
  const where: Where = { line: head.line, case: head.id, tool: head.tool };
  const mark = (difference: Difference): Fault => ({ ...where, ...difference });
  if (line.kind === "broken")
    return [mark({ path: "(line)", expected: "one JSON object", actual: oneLine(line.text, 120) })];
  const { record, faults } = checkRecord(line.value, options.known);
  const twice = (line.twice ?? []).map((path) => ({ path, ...TWICE }));
  const all = [...twice, ...faults, ...placeFaults(head, first, options)].map(mark);
  if (all.length > 0 || !record || !replay) return all;
  try {
    return await replay(record, where);
  } catch (error) {
    // one case that cannot be replayed leaves the report to the others
    return [
      mark({ path: "(replay)", expected: "to come to its end", actual: shown(messageOf(error)) }),
    ];
  }
}

/** What is wrong with the case in this file, whatever it holds. */
function placeFaults(head: Head, first: number | undefined, { tools }: RunOptions): Difference[] {
  return [
    ...(first === undefined
      ? []
      : [
          { path: "id", expected: `an id of its own (line ${first} has it)`, actual: `${head.id}` },
        ]),
    ...(isUnsupported(head, tools)
      ? [
          {
            path: "toolName",
            expected: oneLine(`one of ${[...tools].join(", ")}`, TOOLS_LENGTH),
            actual: shown(head.tool),
          },
        ]
      : []),
  ];
}
