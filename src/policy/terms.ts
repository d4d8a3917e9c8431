import type { Policies } from "../domain/policy-row.ts";
import { areBelieved } from "./believed-policies.ts";
import type { ApprovalTerms, GateDecision, GateFacts } from "./evaluate.ts";
import { matchRows } from "./match-rows.ts";

/** How many people decide, and as what. */
export type Terms = Pick<ApprovalTerms, "approvalsRequired" | "approverRole">;

/** What was asked for when it was proposed holds on; the rules may ask for more by now. */
export function strictestTerms(
  { approvalsRequired, approverRole }: Terms,
  decision: GateDecision,
): Terms {
  if (decision.kind !== "approval") return { approvalsRequired, approverRole };
  const { terms } = decision;
  return {
    approvalsRequired: Math.max(approvalsRequired, terms.approvalsRequired),
    approverRole: approverRole === "admin" ? "admin" : terms.approverRole,
  };
}

/**
 * Who has to decide on such a call by the rules, whether or not they let it be done at this moment. An
 * admin, where nobody can tell.
 */
export function roleAsked(
  { tool, known }: Pick<GateFacts, "tool" | "known">,
  policies: Policies,
): Terms["approverRole"] {
  if (!areBelieved(policies, tool.name)) return "admin";
  const call = { toolName: tool.name, role: known.actor_role, facts: known };
  const found = matchRows(policies.rows, call);
  if (found.kind === "unreadable") return "admin";
  return found.rows.some((row) => row.approver_role === "admin") ? "admin" : "operator";
}
