import { describe, expect, it } from "vitest";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { policyLine } from "../../src/tools/change-authority/policy-line.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import { toolTitle } from "../../src/tools/tool-titles.ts";

const ROW: PolicyRow = {
  ...{ id: "pay", tool_name: "issue_exchange_payout", role: "*", condition_json: {} },
  ...{ allow_call: true, requires_approval: true, approvals_required: 1, is_active: true },
  ...{ approver_role: "operator", approval_ttl_s: null, max_calls_per_run: 2 },
  max_payload_size: 2000,
};

describe("a rule on a card", () => {
  it("that is new is one line with the tool's title, who it is for and what it says", () => {
    expect(policyLine(null, ROW, "en")).toBe(
      "new: Payout, every role: people are asked, approvals 1 (operator), calls a run 2, bytes 2000",
    );
    expect(policyLine(null, { ...ROW, role: "support", requires_approval: false }, "ru")).toBe(
      "новое: Выплата, роль support: разрешено, вызовов за ответ 2, байт 2000",
    );
  });

  it("that goes says what it said", () => {
    const limited = { ...ROW, allow_call: false, requires_approval: false, is_active: false };
    const line = policyLine({ ...limited, condition_json: { kyc: "none" } }, null, "en");
    expect(line).toBe(
      'removed: Payout, every role: forbidden, when {"kyc":"none"}, calls a run 2, bytes 2000, rule off',
    );
  });

  it.each<[keyof PolicyRow, Partial<PolicyRow>, string]>([
    ["tool_name", { tool_name: "send_email" }, "tool Payout → Letter to the client"],
    ["role", { role: "support" }, "role every role → role support"],
    ["condition_json", { condition_json: { kyc: "none" } }, 'when always → {"kyc":"none"}'],
    [
      "allow_call",
      { allow_call: false },
      "people are asked → forbidden (asking people is set too)",
    ],
    ["requires_approval", { requires_approval: false }, "people are asked → allowed"],
    ["approvals_required", { approvals_required: 2 }, "approvals 1 (operator) → 2 (operator)"],
    ["approver_role", { approver_role: "admin" }, "approvals 1 (operator) → 1 (admin)"],
    ["approval_ttl_s", { approval_ttl_s: 600 }, "seconds to decide the usual time → 600"],
    ["max_calls_per_run", { max_calls_per_run: 9 }, "calls a run 2 → 9"],
    ["max_payload_size", { max_payload_size: 9 }, "bytes 2000 → 9"],
    ["is_active", { is_active: false }, "rule on → off"],
  ])("that changes tells old and new of what changed alone: %s", (_field, over, change) => {
    expect(policyLine(ROW, { ...ROW, ...over }, "en")).toBe(`Payout, every role: ${change}`);
  });
});

it("every tool that has a rule has a title in both languages", () => {
  for (const { tool_name: name } of defaultPolicies()) {
    expect(toolTitle(name, "en")).not.toContain("_");
    expect(toolTitle(name, "ru")).toMatch(/[а-я]/);
  }
  expect(toolTitle("constructor", "en")).toBe("constructor");
});
