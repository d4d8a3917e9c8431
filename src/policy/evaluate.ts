import type { JsonObject } from "../domain/json.ts";
import type { Policies, PolicyRow } from "../domain/policy-row.ts";
import type { RiskClass } from "../domain/tool.ts";
import { areBelieved } from "./believed-policies.ts";
import { matchRows } from "./match-rows.ts";
import { hasSideEffect, riskFloor } from "./risk.ts";

/**
 * Why the gate denies. They stand in the records of the gate and in audit rows, so that a name is
 * never reused for something else.
 */
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
  "tool_withdrawn",
  "outcome_unknown",
  "condition_error",
  "policy_forged",
  "schema_changed",
] as const;
/** The first reason found is the one that is told; it is no list of all that is wrong. */
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** What the gate decides on. From the session and the database, never from arguments. */
export interface GateFacts {
  tool: {
    name: string;
    risk: RiskClass;
    isActive: boolean;
    stageAllowed: boolean;
    /** False: another process has registered a newer version. Left out in records of before. */
    isCurrent?: boolean;
  };
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
  /** A model proposes it, and people have just declined its proposals several times running. */
  toolWithdrawn: boolean;
  outcomeUnknown: boolean;
  /** The call would send money out, and people have stopped that. */
  payoutsStopped: boolean;
}

/**
 * `policyId`: the row that decided; null: the refusal came before any row, or no row spoke of the
 * call. Only `gate` turns a decision into a permit.
 */
export type GateDecision =
  | { kind: "allow"; policyId: string }
  | { kind: "approval"; policyId: string; terms: ApprovalTerms }
  | { kind: "deny"; policyId: string | null; reason: BlockReason };

/** The strictest of all matching rows, part by part: most people, highest role, shortest time. */
export interface ApprovalTerms {
  approvalsRequired: number;
  approverRole: "operator" | "admin";
  /** Seconds; null: the installation's default. */
  ttlS: number | null;
}

/**
 * Deny by default, the strictest wins: any deny over any approval over allow. Pure: serves the
 * proposal and an edit, and gives nobody the right to run anything. Rules that the store does not
 * vouch for deny.
 */
export function evaluate(facts: GateFacts, policies: Policies): GateDecision {
  if (!areBelieved(policies, facts.tool.name))
    return { kind: "deny", policyId: null, reason: "policy_forged" };
  return simulate(facts, policies.rows);
}

/** What any rules would say, also ones that somebody only proposes. No gate takes its word. */
export function simulate(facts: GateFacts, rows: readonly PolicyRow[]): GateDecision {
  const refusal = refusalBeforePolicy(facts);
  if (refusal) return { kind: "deny", policyId: null, reason: refusal };
  const { name: toolName } = facts.tool;
  const found = matchRows(rows, { toolName, role: facts.known.actor_role, facts: facts.known });
  if (found.kind === "unreadable")
    return { kind: "deny", policyId: found.policyId, reason: "condition_error" };
  const matched = found.rows;
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
  if (tool.isCurrent === false) return "schema_changed";
  if (riskFloor(tool.risk) === "deny") return "risk_class";
  if (!tool.stageAllowed) return "stage_not_allowed";
  if (!facts.sameAccount) return "resource_access";
  if (facts.readOnlyRun && tool.risk !== "read_only") return "side_effect_not_allowed";
  if (facts.payoutsStopped) return "payouts_stopped";
  if (facts.outcomeUnknown) return "outcome_unknown";
  if (facts.rejectedBefore) return "rejected_before";
  if (facts.toolWithdrawn) return "tool_withdrawn";
  if (facts.costLimitReached) return "cost_limit";
  if (facts.attemptsLeft <= 0) return "budget_exhausted";
  if (hasSideEffect(tool.risk) && !facts.hasBusinessKey) return "idempotency_key_missing";
  return null;
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
