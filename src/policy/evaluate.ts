import type { JsonObject } from "../domain/json.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import type { RiskClass } from "../domain/tool.ts";
import { conditionHolds } from "./condition.ts";
import { hasSideEffect, riskFloor } from "./risk.ts";

export const BLOCK_REASONS = [
  "tool_inactive",
  "stage_not_allowed",
  "role_not_allowed",
  "resource_access",
  "call_limit",
  "payload_too_large",
  "risk_class",
  "side_effect_not_allowed",
  "payouts_stopped",
  "cost_limit",
  "idempotency_key_missing",
  "budget_exhausted",
  "too_few_approvers",
  "rejected_before",
  "outcome_unknown",
  "condition_error",
] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** What the gate decides on. From the session and the database, never from arguments. */
export interface GateFacts {
  tool: { name: string; risk: RiskClass; isActive: boolean; stageAllowed: boolean };
  /** Names usable in `condition_json`; sums are decimal strings, unknown ones null. */
  known: JsonObject & { actor_role: string; source: string };
  /** The resource the call is about belongs to the asking contact. */
  sameAccount: boolean;
  callsInRun: number;
  payloadBytes: number;
  attemptsLeft: number;
  costLimitReached: boolean;
  /** Only read-only calls may run (continuations). */
  readOnlyRun: boolean;
  hasBusinessKey: boolean;
  /** Active people who may decide, by role; admins count as operators too. */
  approvers: { operator: number; admin: number };
  /** The same action was rejected in this conversation, or its outcome is not known. */
  rejectedBefore: boolean;
  outcomeUnknown: boolean;
  /** The call would send money out, and people have stopped that. */
  payoutsStopped: boolean;
}

export type GateDecision =
  | { kind: "allow"; policyId: string }
  | { kind: "approval"; policyId: string; terms: ApprovalTerms }
  | { kind: "deny"; policyId: string | null; reason: BlockReason };

export interface ApprovalTerms {
  approvalsRequired: number;
  approverRole: "operator" | "admin";
  /** Seconds; null: the installation's default. */
  ttlS: number | null;
}

/**
 * Deny by default, the strictest wins: any deny over any approval over allow. Pure: serves the
 * proposal, an edit and a simulation alike, and gives nobody the right to run anything.
 */
export function evaluate(facts: GateFacts, rows: readonly PolicyRow[]): GateDecision {
  const refusal = refusalBeforePolicy(facts);
  if (refusal) return { kind: "deny", policyId: null, reason: refusal };
  const matched = matchingRows(facts, rows);
  if (matched === "error") return { kind: "deny", policyId: null, reason: "condition_error" };
  const first = matched[0];
  if (!first) return { kind: "deny", policyId: null, reason: "role_not_allowed" };
  const forbidding = matched.find((row) => !row.allow_call);
  if (forbidding) return { kind: "deny", policyId: forbidding.id, reason: "role_not_allowed" };
  const limited = refusalByLimits(facts, matched);
  if (limited) return { kind: "deny", ...limited };
  const asking = matched.find((row) => row.requires_approval);
  if (!asking && riskFloor(facts.tool.risk) === "allow")
    return { kind: "allow", policyId: first.id };
  return approvalOf(facts, matched, asking?.id ?? first.id);
}

function refusalBeforePolicy(facts: GateFacts): BlockReason | null {
  const { tool } = facts;
  if (!tool.isActive) return "tool_inactive";
  if (riskFloor(tool.risk) === "deny") return "risk_class";
  if (!tool.stageAllowed) return "stage_not_allowed";
  if (!facts.sameAccount) return "resource_access";
  if (facts.readOnlyRun && tool.risk !== "read_only") return "side_effect_not_allowed";
  if (facts.payoutsStopped) return "payouts_stopped";
  if (facts.outcomeUnknown) return "outcome_unknown";
  if (facts.rejectedBefore) return "rejected_before";
  if (facts.costLimitReached) return "cost_limit";
  if (facts.attemptsLeft <= 0) return "budget_exhausted";
  if (hasSideEffect(tool.risk) && !facts.hasBusinessKey) return "idempotency_key_missing";
  return null;
}

function matchingRows(facts: GateFacts, rows: readonly PolicyRow[]): PolicyRow[] | "error" {
  const role = facts.known.actor_role;
  try {
    return rows.filter(
      (row) =>
        row.is_active &&
        (row.tool_name === facts.tool.name || row.tool_name === "*") &&
        (row.role === "*" || row.role === role) &&
        conditionHolds(row.condition_json, facts.known),
    );
  } catch {
    return "error"; // what cannot be evaluated denies
  }
}

function refusalByLimits(
  facts: GateFacts,
  matched: readonly PolicyRow[],
): { policyId: string; reason: BlockReason } | null {
  for (const row of matched) {
    if (facts.callsInRun >= row.max_calls_per_run)
      return { policyId: row.id, reason: "call_limit" };
    if (facts.payloadBytes > row.max_payload_size)
      return { policyId: row.id, reason: "payload_too_large" };
  }
  return null;
}

function approvalOf(
  facts: GateFacts,
  matched: readonly PolicyRow[],
  policyId: string,
): GateDecision {
  const needed = Math.max(1, ...matched.map((row) => row.approvals_required));
  const approverRole = matched.some((row) => row.approver_role === "admin") ? "admin" : "operator";
  if (facts.approvers[approverRole] < needed)
    return { kind: "deny", policyId, reason: "too_few_approvers" };
  const limits = matched.flatMap((row) =>
    row.approval_ttl_s === null ? [] : [row.approval_ttl_s],
  );
  const ttlS = limits.length > 0 ? Math.min(...limits) : null;
  return { kind: "approval", policyId, terms: { approvalsRequired: needed, approverRole, ttlS } };
}
