import { describe, expect, it } from "vitest";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { isEverAllowed, policyWarnings } from "../../src/policy/policy-warnings.ts";

const ROW: PolicyRow = {
  ...{ id: "r", tool_name: "quote", role: "*", condition_json: {}, allow_call: true },
  ...{ requires_approval: false, approvals_required: 1, approver_role: "operator" },
  ...{ approval_ttl_s: null, max_calls_per_run: 2, max_payload_size: 2000, is_active: true },
};
const QUOTE = { name: "quote", risk: "read_only" } as const;
const PAYOUT = { name: "payout", risk: "payment" } as const;
const TOOLS = [QUOTE, PAYOUT, { name: "erase", risk: "delete" } as const];
const payout = { ...ROW, id: "p", tool_name: "payout", requires_approval: true };

describe("rules that leave tools without a call", () => {
  it("name every tool that could have one", () => {
    const [warning, ...others] = policyWarnings(TOOLS, [ROW, payout], []);
    expect(others).toEqual([]);
    expect(warning).toMatch(/^no active rule allows quote, payout:/); // nobody could allow erase
  });

  it.each<[string, Partial<PolicyRow>, boolean]>([
    ["as it stands", {}, true],
    ["for all tools", { tool_name: "*" }, true],
    ["for one role", { role: "support" }, true],
    ["on a condition", { condition_json: { kyc: "verified" } }, true],
    ["of another tool", { tool_name: "payout" }, false],
    ["switched off", { is_active: false }, false],
    ["that forbids", { allow_call: false }, false],
    ["of no call", { max_calls_per_run: 0 }, false],
    ["of no bytes", { max_payload_size: 1 }, false],
  ])("a rule %s allows: %j", (_what, over, allowed) => {
    expect(isEverAllowed("quote", [{ ...ROW, ...over }])).toBe(allowed);
  });

  it.each<[string, Partial<PolicyRow>, boolean]>([
    ["for all", {}, false],
    ["for all tools", { tool_name: "*" }, false],
    ["on a condition", { condition_json: { kyc: "none" } }, true],
    ["for one role", { role: "support" }, true],
    ["that is off", { is_active: false }, true],
  ])("beside one that forbids %s", (_what, over, allowed) => {
    const forbidding = { ...ROW, id: "no", allow_call: false, ...over };
    expect(isEverAllowed("quote", [ROW, forbidding])).toBe(allowed);
  });
});

describe("rules that ask nobody any more", () => {
  it("say what the risk class still does", () => {
    const after = [ROW, { ...payout, requires_approval: false }];
    const [warning, ...others] = policyWarnings(TOOLS, [ROW, payout], after);
    expect(others).toEqual([]);
    expect(warning).toMatch(/^payout: .*risk class \(payment\) still does: .*one person/);
  });

  it("say that calls run where no risk class asks", () => {
    const asking = { ...ROW, requires_approval: true };
    const [warning] = policyWarnings([QUOTE], [asking], [ROW]);
    expect(warning).toBe("quote: its calls will run without asking anybody");
  });

  it("are no news where people were not asked before", () => {
    const free = { ...payout, requires_approval: false };
    expect(policyWarnings(TOOLS, [ROW, free], [ROW, free])).toEqual([]);
    expect(policyWarnings(TOOLS, [ROW, payout], [ROW, payout])).toEqual([]);
  });
});
