import { describe, expect, it } from "vitest";
import type { Policies, PolicyRow } from "../../src/domain/policy-row.ts";
import { RISK_CLASSES, type RiskClass } from "../../src/domain/tool.ts";
import {
  BLOCK_REASONS,
  type BlockReason,
  evaluate,
  type GateFacts,
  simulate,
} from "../../src/policy/evaluate.ts";
import { policiesOf, vouchedFor } from "../support/verified.ts";

const TOOL = "pay_out";

function facts(over: Partial<GateFacts> = {}, risk: RiskClass = "payment"): GateFacts {
  return {
    tool: { name: TOOL, risk, isActive: true, stageAllowed: true },
    known: {
      ...{ actor_role: "support", source: "model", kyc: "verified", amount_to: "40000" },
      ...{ first_deal: false },
    },
    sameAccount: true,
    callsInRun: 0,
    payloadBytes: 100,
    attemptsLeft: 6,
    costLimitReached: false,
    readOnlyRun: false,
    hasBusinessKey: true,
    approvers: { operator: 3, admin: 1 },
    rejectedBefore: false,
    toolWithdrawn: false,
    outcomeUnknown: false,
    payoutsStopped: false,
    ...over,
  };
}

function row(over: Partial<PolicyRow> = {}): PolicyRow {
  return {
    ...{ id: "row", tool_name: TOOL, role: "*", condition_json: {}, allow_call: true },
    ...{ requires_approval: false, approvals_required: 1, approver_role: "operator" },
    ...{ approval_ttl_s: null, max_calls_per_run: 3, max_payload_size: 1000, is_active: true },
    ...over,
  };
}

function reasonOf(given: GateFacts, rules: PolicyRow[] | Policies): string {
  const decision = evaluate(given, Array.isArray(rules) ? policiesOf(rules) : rules);
  return decision.kind === "deny" ? decision.reason : decision.kind;
}

const tool = (over: Partial<GateFacts["tool"]>) => ({ tool: { ...facts().tool, ...over } });

const RULES = policiesOf([row(), row({ id: "other", tool_name: "read_price" })]);
const vouched = (over: Partial<PolicyRow>) => vouchedFor(row(over));
const EVERYWHERE = { "*": "*" };

interface Case {
  reason: BlockReason;
  facts?: Partial<GateFacts>;
  rows?: PolicyRow[] | Policies;
}

const CASES: Case[] = [
  { reason: "tool_inactive", facts: tool({ isActive: false }) },
  { reason: "schema_changed", facts: tool({ isCurrent: false }) },
  { reason: "stage_not_allowed", facts: tool({ stageAllowed: false }) },
  { reason: "role_not_allowed", rows: [] },
  { reason: "role_not_allowed", rows: [row({ allow_call: false })] },
  { reason: "role_not_allowed", rows: [row({ role: "intern" })] },
  { reason: "role_not_allowed", rows: [row({ is_active: false })] },
  { reason: "role_not_allowed", rows: [row({ tool_name: "another_tool" })] },
  { reason: "role_not_allowed", rows: [row({ condition_json: { kyc: "pending" } })] },
  { reason: "resource_access", facts: { sameAccount: false } },
  { reason: "call_limit", facts: { callsInRun: 3 } },
  { reason: "payload_too_large", facts: { payloadBytes: 1001 } },
  { reason: "risk_class", facts: tool({ risk: "delete" }) },
  { reason: "side_effect_not_allowed", facts: { readOnlyRun: true } },
  { reason: "cost_limit", facts: { costLimitReached: true } },
  { reason: "idempotency_key_missing", facts: { hasBusinessKey: false } },
  { reason: "budget_exhausted", facts: { attemptsLeft: 0 } },
  { reason: "too_few_approvers", rows: [row({ approvals_required: 4 })] },
  {
    reason: "too_few_approvers",
    rows: [row({ approver_role: "admin", approvals_required: 2 })],
  },
  { reason: "tool_withdrawn", facts: { toolWithdrawn: true } },
  { reason: "rejected_before", facts: { rejectedBefore: true } },
  { reason: "payouts_stopped", facts: { payoutsStopped: true } },
  { reason: "outcome_unknown", facts: { outcomeUnknown: true } },
  { reason: "condition_error", rows: [row({ condition_json: { kyk: "verified" } })] },
  {
    reason: "condition_error",
    rows: [row(), row({ condition_json: { amount_to: { $lt: "x" } } })],
  },
  // a rule about this tool that somebody else wrote, or deleted
  { reason: "policy_forged", rows: { ...RULES, forgedTools: [TOOL] } },
  { reason: "policy_forged", rows: { ...RULES, forgedTools: ["*"] } },
  { reason: "policy_forged", rows: { ...RULES, rows: [] } },
  { reason: "policy_forged", rows: { ...RULES, rows: [vouched({ tool_name: "read_price" })] } },
  { reason: "policy_forged", rows: { ...RULES, rows: [...RULES.rows, vouched({ id: "old" })] } },
  { reason: "policy_forged", rows: { ...RULES, list: vouchedFor({ rows: EVERYWHERE }) } },
  // nobody can tell which rules there are, or vouches for them
  { reason: "policy_forged", rows: { ...RULES, list: null } },
  { reason: "policy_forged", rows: { ...RULES, list: { ...RULES.list } as never } },
  { reason: "policy_forged", rows: { ...RULES, rows: RULES.rows.map((one) => ({ ...one })) } },
];

describe("B31 a call is denied", () => {
  it.each(CASES)("$reason ($#)", ({ reason, facts: given, rows }) => {
    expect(reasonOf(facts(given), rows ?? [row()])).toBe(reason);
  });

  it("for each reason there is", () => {
    const tried = new Set(CASES.map((one) => one.reason));
    expect(BLOCK_REASONS.filter((reason) => !tried.has(reason))).toEqual([]);
  });

  it("by one rule of many, wherever it stands", () => {
    const deny = row({ id: "deny", allow_call: false });
    const rows = [row(), row({ requires_approval: true }), deny];
    for (const order of [rows, rows.toReversed()])
      expect(evaluate(facts(), policiesOf(order))).toMatchObject({
        kind: "deny",
        policyId: "deny",
      });
  });

  it("only for the tools that a forged rule is about", () => {
    expect(reasonOf(facts(), { ...RULES, forgedTools: ["read_price"] })).toBe("approval");
  });
});

describe("rules that somebody only proposes", () => {
  it("are simulated as they stand, by a function whose word no gate takes", () => {
    const proposed = [row({ requires_approval: true, approvals_required: 2 })];
    const terms = { approvalsRequired: 2, approverRole: "operator", ttlS: null };
    expect(simulate(facts(), proposed)).toEqual({ kind: "approval", policyId: "row", terms });
  });
});

describe("the strictest of the matching rules wins", () => {
  const read = (rows: PolicyRow[]) => evaluate(facts({}, "read_only"), policiesOf(rows));

  it("asking over allowing", () => {
    const asking = row({ id: "ask", requires_approval: true });
    expect(read([row(), asking])).toMatchObject({ kind: "approval", policyId: "ask" });
    expect(read([row()])).toEqual({ kind: "allow", policyId: "row" });
  });

  it("most approvals, admins over operators, the shortest time, the lowest limits", () => {
    const rows = [
      row({ requires_approval: true, approvals_required: 1, approval_ttl_s: 600 }),
      row({ approver_role: "admin", approval_ttl_s: 60 }),
      row({ approvals_required: 2 }),
    ];
    const given = facts({ approvers: { operator: 5, admin: 2 } });
    const terms = { approvalsRequired: 2, approverRole: "admin", ttlS: 60 };
    expect(evaluate(given, policiesOf(rows))).toMatchObject({ kind: "approval", terms });
    const limits = [row(), row({ max_calls_per_run: 1 })];
    expect(reasonOf(facts({ callsInRun: 1 }), limits)).toBe("call_limit");
  });

  it("a rule for every tool counts like one for this tool", () => {
    const everywhere = row({ tool_name: "*", allow_call: false });
    expect(reasonOf(facts(), [row(), everywhere])).toBe("role_not_allowed");
  });

  it("rules that do not match say nothing", () => {
    const others = [
      row({ role: "desk", allow_call: false }),
      row({ condition_json: { kyc: "x" } }),
    ];
    expect(read([row(), ...others]).kind).toBe("allow");
  });
});

describe("the floor of a risk class", () => {
  const FLOORS: Record<RiskClass, string> = {
    ...{ read_only: "allow", draft_only: "allow", write_internal: "approval" },
    ...{ external_write: "approval", send_message: "approval", payment: "approval" },
    ...{ permission_change: "approval", delete: "risk_class" },
  };
  it.each(RISK_CLASSES)("of %s cannot be lowered by data", (risk) => {
    const generous = row({ requires_approval: false, approvals_required: 0 });
    expect(reasonOf(facts({}, risk), [generous])).toBe(FLOORS[risk]);
  });

  it("asks at least one person", () => {
    const decision = evaluate(facts(), policiesOf([row({ approvals_required: 0 })]));
    expect(decision).toMatchObject({ kind: "approval", terms: { approvalsRequired: 1 } });
  });
});
