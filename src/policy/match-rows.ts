import type { JsonObject } from "../domain/json.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import { judgeCondition } from "./condition.ts";

/** Either all rows that speak of the call, or nothing: half a policy is never applied. */
export type Matched<Row> =
  | { kind: "rows"; rows: Row[] }
  /** A row that might decide cannot be judged: nobody can tell what the policy is. */
  | { kind: "unreadable"; policyId: string | null };

/**
 * The rows that speak about this call. A condition that depends on a fact that is not known leaves a
 * merely allowing row out; a row that denies, asks people or asks more of them is never dropped for
 * that: the call cannot be judged.
 */
export function matchRows<Row extends PolicyRow>(
  rows: readonly Row[],
  call: { toolName: string; role: string; facts: JsonObject },
): Matched<Row> {
  const matched: Row[] = [];
  for (const row of rows) {
    if (!row.is_active || !isAbout(row, call)) continue;
    const verdict = judgeRow(row, call.facts);
    if (verdict === "holds") matched.push(row);
    else if (verdict === "unreadable" || (verdict === "unknown" && isStrict(row)))
      return { kind: "unreadable", policyId: typeof row.id === "string" ? row.id : null };
  }
  return { kind: "rows", rows: matched };
}

function isAbout(row: PolicyRow, { toolName, role }: { toolName: string; role: string }): boolean {
  const isOfTool = row.tool_name === toolName || row.tool_name === "*";
  return isOfTool && (row.role === role || row.role === "*");
}

function judgeRow(row: PolicyRow, facts: JsonObject) {
  if (!isWhole(row)) return "unreadable";
  try {
    return judgeCondition(row.condition_json, facts);
  } catch {
    return "unreadable";
  }
}

/** What stands in the table may be older, or written by other hands, than the check on saving. */
function isWhole(row: PolicyRow): boolean {
  const limits = [row.max_calls_per_run, row.max_payload_size, row.approvals_required];
  return (
    typeof row.allow_call === "boolean" &&
    typeof row.requires_approval === "boolean" &&
    limits.every(Number.isFinite) &&
    (row.approval_ttl_s === null || Number.isFinite(row.approval_ttl_s)) &&
    (row.approver_role === "operator" || row.approver_role === "admin")
  );
}

/** Dropping it would let more through than its author wanted. */
function isStrict(row: PolicyRow): boolean {
  const asksMore = row.approvals_required > 1 || row.approver_role === "admin";
  return !row.allow_call || row.requires_approval || asksMore;
}
