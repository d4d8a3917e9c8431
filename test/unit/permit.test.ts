import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { actionDigest } from "../../src/policy/digest.ts";
import { type Approval, type GateInput, gate, Permit } from "../../src/policy/permit.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { keepOutsideCalls } from "../../src/tools/outside.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { createRunner, type RunScope } from "../../src/tools/runner.ts";
import { SMALL_TOOL } from "../support/small-tool.ts";
import { policiesOf, voteOf, vouchedFor } from "../support/verified.ts";

const NOW = 1_000_000;
const ACTION = { amount: "40", to: "Lea" };
const OTHER = { amount: "41", to: "Mallory" };
const DIGEST = actionDigest("pay_out", ACTION);
const GRANTED = {
  ...{ id: "key", toolName: "pay_out", status: "approved" },
  ...{ effectiveActionJson: ACTION, schemaVersion: 2, approvalsRequired: 1 },
};
const VOTE = voteOf({ id: "key", digest: DIGEST });
const APPROVAL: Approval = { row: vouchedFor(GRANTED), votes: [VOTE] };

function approvalWith(over: Partial<typeof GRANTED>): Approval {
  return { ...APPROVAL, row: vouchedFor({ ...GRANTED, ...over }) };
}

function votesOf(...votes: Partial<Approval["votes"][number]>[]): Approval {
  return { ...APPROVAL, votes: votes.map((over) => vouchedFor({ ...VOTE, ...over })) };
}

const ROW: PolicyRow = {
  ...{ id: "row", tool_name: "*", role: "*", condition_json: {}, allow_call: true },
  ...{ requires_approval: false, approvals_required: 1, approver_role: "operator" as const },
  ...{ approval_ttl_s: null, max_calls_per_run: 3, max_payload_size: 1000, is_active: true },
};

function input(over: Partial<GateInput> = {}): GateInput {
  return {
    facts: {
      tool: { name: "pay_out", risk: "payment", isActive: true, stageAllowed: true },
      known: { actor_role: "support", source: "model" },
      ...{ sameAccount: true, callsInRun: 0, payloadBytes: 0, attemptsLeft: 6 },
      ...{ costLimitReached: false, readOnlyRun: false, hasBusinessKey: true },
      ...{
        rejectedBefore: false,
        toolWithdrawn: false,
        outcomeUnknown: false,
        payoutsStopped: false,
      },
      approvers: { operator: 2, admin: 1 },
    },
    policies: policiesOf([ROW]),
    execution: {
      ...{ tenantId: "t", executionId: "e", toolName: "pay_out", schemaVersion: 2 },
      ...{ action: ACTION, digest: DIGEST, idempotencyKey: "key" },
      lease: { token: "mine", untilMs: NOW + 1000 },
    },
    ...{ activeSchemaVersion: 2, approval: APPROVAL, realNow: NOW },
    ...over,
  };
}

function permit(over: Partial<GateInput> = {}): Permit {
  const result = gate(input(over));
  if (result.kind !== "permit") throw new Error(result.reason);
  return result.permit;
}

const execution = input().execution;

describe("the gate gives no permit", () => {
  const cases: [string, Partial<GateInput>, string][] = [
    ["without an approval for an effect", { approval: null }, "not_approved"],
    ["for too few approvals", { approval: { ...APPROVAL, votes: [] } }, "not_approved"],
    [
      "when the policy wants more of them",
      { policies: policiesOf([{ ...ROW, approvals_required: 2 }]) },
      "not_approved",
    ],
    [
      "when one person stands there twice",
      {
        policies: policiesOf([{ ...ROW, approvals_required: 2 }]),
        approval: votesOf({}, {}),
      },
      "not_approved",
    ],
    ["for a vote against it", { approval: votesOf({ decision: "reject" }) }, "not_approved"],
    ["for a vote that was voided", { approval: votesOf({ voidedAt: NOW }) }, "not_approved"],
    ["for a vote on another", { approval: votesOf({ approvalId: "other" }) }, "not_approved"],
    ["for a vote on what was edited", { approval: votesOf({ actionDigest: "x" }) }, "not_approved"],
    [
      "for a vote that nobody vouches for",
      { approval: { ...APPROVAL, votes: [{ ...VOTE }] } },
      "not_approved",
    ],
    [
      "for an approval that nobody vouches for",
      { approval: { ...APPROVAL, row: { ...APPROVAL.row } } },
      "not_approved",
    ],
    ["for an approval that was forged", { approval: "forged" }, "approval_forged"],
    [
      "for an approval that waits still",
      { approval: approvalWith({ status: "pending" }) },
      "not_approved",
    ],
    [
      "for another approval's action",
      { execution: { ...execution, action: OTHER, digest: actionDigest("pay_out", OTHER) } },
      "digest_mismatch",
    ],
    [
      "under another key than the approval's own",
      { execution: { ...execution, idempotencyKey: "another" } },
      "digest_mismatch",
    ],
    [
      "for an action that is not the digest's",
      { execution: { ...execution, action: { ...ACTION, amount: "41" } } },
      "digest_mismatch",
    ],
    [
      "for another tool's execution",
      { execution: { ...execution, toolName: "refund_all" } },
      "digest_mismatch",
    ],
    ["when the schema changed", { activeSchemaVersion: 3 }, "schema_changed"],
    [
      "when the approval was for another schema",
      { approval: approvalWith({ schemaVersion: 1 }) },
      "schema_changed",
    ],
    ["when the lease is over", { realNow: NOW + 1000 }, "lease_lost"],
    [
      "for an effect without a key",
      { execution: { ...execution, idempotencyKey: null } },
      "idempotency_key_missing",
    ],
    ["when the policy denies by now", { policies: policiesOf([]) }, "role_not_allowed"],
    [
      "by rules that nobody vouches for",
      { policies: { ...policiesOf([ROW]), list: null } },
      "policy_forged",
    ],
  ];
  it.each(cases)("%s", (_name, over, reason) => {
    expect(gate(input(over))).toMatchObject({ kind: "deny", reason });
  });

  it("and nothing else can make one", () => {
    expect(() => new Permit(Symbol("gate"), execution)).toThrow("only the gate");
  });
});

describe("a permit", () => {
  it("is redeemed once, for exactly its execution", () => {
    const given = permit();
    expect(Permit.redeem(given, NOW)).toEqual(execution);
    expect(Permit.redeem(given, NOW)).toBeNull();
  });

  it("ends with its lease", () => {
    expect(Permit.redeem(permit(), NOW + 999)).not.toBeNull();
    expect(Permit.redeem(permit(), NOW + 1000)).toBeNull();
  });

  it("cannot be imitated", () => {
    const real = permit();
    const alike: unknown[] = [
      Object.create(Permit.prototype),
      Object.assign(Object.create(Permit.prototype), { ...real }),
      structuredClone(real),
      { ...real },
      new Proxy(real, {}),
      null,
      "permit",
    ];
    for (const one of alike) expect(Permit.redeem(one as Permit, NOW)).toBeNull();
    expect(Permit.redeem(real, NOW)).not.toBeNull();
  });

  it("tells nobody what it holds", () => {
    expect(JSON.stringify(permit())).toBe("{}");
  });
});

describe("the runner", () => {
  const ran: string[] = [];
  const tool: AnyTool = {
    ...{ name: "pay_out", title: "Pay out", description: SMALL_TOOL },
    ...{ risk: "payment", sideEffectType: "external_api", offered: true, staged: false },
    ...{ parameters: z.strictObject({}) as never, output: z.looseObject({}) },
    isAvailable: () => true,
    prepare: async () => ({ kind: "action", action: ACTION, businessKey: "k", material: [] }),
    async run(call) {
      ran.push(`${call.executionId} ${call.idempotencyKey} ${JSON.stringify(call.action)}`);
      const data = { amount: "40" };
      const result = { ok: true, resource_type: "payout", resource_id: "p", summary: "paid", data };
      return { kind: "result", result };
    },
  };
  const registry = createRegistry([tool]);
  const runner = createRunner({ registry, realNow: () => NOW, timeoutMs: 5000 });
  const scope = (tenantId: string): RunScope => ({
    ...{ tenantId, conversationId: "c", contactId: "l", runId: null, language: "en", now: NOW },
    signal: new AbortController().signal,
    outside: keepOutsideCalls(() => NOW),
    read: () => Promise.reject(new Error("nothing is read here")),
  });

  it("runs what the permit says, once", async () => {
    const given = permit();
    expect(await runner.run(given, scope("t"))).toMatchObject({ kind: "result" });
    const again = await runner.run(given, scope("t"));
    expect(again).toMatchObject({ result: { ok: false, error: { code: "PERMISSION_DENIED" } } });
    expect(ran).toEqual([`e key ${JSON.stringify(ACTION)}`]);
  });

  it("runs nothing for another tenant, or for a look-alike", async () => {
    const before = ran.length;
    await runner.run(permit(), scope("another"));
    await runner.run({} as Permit, scope("t"));
    expect(ran).toHaveLength(before);
  });
});
