import type { PolicyRow } from "../domain/policy-row.ts";
import type { RiskClass } from "../domain/tool.ts";
import { approvalNeed } from "./approval-need.ts";
import { riskFloor } from "./risk.ts";

interface KnownTool {
  name: string;
  risk: RiskClass;
}

/** `{}` in bytes: what allows less allows nothing. */
const SMALLEST_PAYLOAD = 2;

/**
 * What people may not have meant by a list of rules that is valid: tools that no rule lets run any
 * more, and calls that people are no longer asked about. Names every tool.
 */
export function policyWarnings(
  tools: readonly KnownTool[],
  before: readonly PolicyRow[],
  after: readonly PolicyRow[],
): string[] {
  const usable = tools.filter(({ risk }) => riskFloor(risk) !== "deny"); // no rule allows the rest
  const dead = usable.filter(({ name }) => !isEverAllowed(name, after));
  const alive = usable.filter((tool) => !dead.includes(tool));
  return [
    ...(dead.length > 0
      ? [`no active rule allows ${namesOf(dead)}: every call of these will be refused`]
      : []),
    ...alive.flatMap((tool) => lostAsking(tool, before, after)),
  ];
}

/** False: the tool's calls are all refused, whatever the facts are. */
export function isEverAllowed(toolName: string, rows: readonly PolicyRow[]): boolean {
  const about = rows.filter(
    (row) => row.is_active && (row.tool_name === toolName || row.tool_name === "*"),
  );
  return !about.some(isForbiddenToAll) && about.some(isAllowing);
}

function isAllowing(row: PolicyRow): boolean {
  return row.allow_call && !isExhausted(row);
}

/** Any deny is stronger than every other row; a limit of nothing denies as well. */
function isForbiddenToAll(row: PolicyRow): boolean {
  const isForAll = row.role === "*" && Object.keys(row.condition_json).length === 0;
  return isForAll && (!row.allow_call || isExhausted(row));
}

function isExhausted(row: PolicyRow): boolean {
  return row.max_calls_per_run < 1 || row.max_payload_size < SMALLEST_PAYLOAD;
}

function lostAsking(
  tool: KnownTool,
  before: readonly PolicyRow[],
  after: readonly PolicyRow[],
): string[] {
  if (!isAskedFor(tool.name, before) || isAskedFor(tool.name, after)) return [];
  if (riskFloor(tool.risk) === "approval")
    return [
      `${tool.name}: no rule asks people about it any more; its risk class (${tool.risk}) still does: each call waits for one person at least`,
    ];
  return approvalNeed(tool, after) === "allow"
    ? [`${tool.name}: its calls will run without asking anybody`]
    : [];
}

function isAskedFor(toolName: string, rows: readonly PolicyRow[]): boolean {
  return rows.some(
    (row) =>
      row.is_active &&
      row.allow_call &&
      row.requires_approval &&
      (row.tool_name === toolName || row.tool_name === "*"),
  );
}

function namesOf(tools: readonly KnownTool[]): string {
  return tools.map(({ name }) => name).join(", ");
}
