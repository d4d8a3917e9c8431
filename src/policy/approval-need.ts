import type { PolicyRow } from "../domain/policy-row.ts";
import type { RiskClass } from "../domain/tool.ts";
import { type Floor, riskFloor } from "./risk.ts";

/** `sometimes`: a rule asks people, but not about every call. */
export type ApprovalNeed = Floor | "sometimes";

/** What a model is told beforehand of people's part in a tool's calls; the gate decides each call. */
export function approvalNeed(
  tool: { name: string; risk: RiskClass },
  rows: readonly PolicyRow[],
): ApprovalNeed {
  const floor = riskFloor(tool.risk);
  if (floor !== "allow") return floor;
  const asking = rows.filter(
    (row) =>
      row.is_active &&
      row.allow_call &&
      row.requires_approval &&
      (row.tool_name === tool.name || row.tool_name === "*"),
  );
  if (asking.length === 0) return "allow";
  const isAlways = asking.some(
    (row) => row.role === "*" && Object.keys(row.condition_json).length === 0,
  );
  return isAlways ? "approval" : "sometimes";
}
