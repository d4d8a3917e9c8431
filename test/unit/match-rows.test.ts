import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { judgeCondition } from "../../src/policy/condition.ts";
import { matchRows } from "../../src/policy/match-rows.ts";

function row(over: Partial<PolicyRow> = {}): PolicyRow {
  return {
    ...{ id: "row", tool_name: "pay_out", role: "*", condition_json: {}, allow_call: true },
    ...{ requires_approval: false, approvals_required: 1, approver_role: "operator" },
    ...{ approval_ttl_s: null, max_calls_per_run: 3, max_payload_size: 1000, is_active: true },
    ...over,
  };
}

const match = (rows: PolicyRow[], facts: JsonObject) =>
  matchRows(rows, { toolName: "pay_out", role: "support", facts });

/** Nothing is known of a sum yet: there is no order. */
const NO_ORDER: JsonObject = { amount_to: null, kyc: "verified", currency: null };
const OVER_LIMIT = { amount_to: { $gt: "50000" } };

describe("a rule about a sum, while no sum is known", () => {
  const strict: [string, Partial<PolicyRow>][] = [
    ["denies", { allow_call: false }],
    ["asks people", { requires_approval: true }],
    ["asks more people", { approvals_required: 2 }],
    ["asks an admin", { approver_role: "admin" }],
  ];
  it.each(strict)("that %s is not dropped: the call cannot be judged", (_name, over) => {
    const strictRow = row({ id: "strict", condition_json: OVER_LIMIT, ...over });
    for (const rows of [
      [row(), strictRow],
      [strictRow, row()],
    ])
      expect(match(rows, NO_ORDER)).toEqual({ kind: "unreadable", policyId: "strict" });
  });

  it("that only allows is left out", () => {
    const allowing = row({ id: "small", condition_json: { amount_to: { $lte: "50000" } } });
    expect(match([allowing, row()], NO_ORDER)).toMatchObject({ rows: [{ id: "row" }] });
  });

  it("of another tool or role, or switched off, says nothing", () => {
    const other = { condition_json: OVER_LIMIT, allow_call: false };
    const rows = [
      row({ ...other, tool_name: "read_price" }),
      row({ ...other, role: "desk" }),
      row({ ...other, is_active: false }),
    ];
    expect(match(rows, NO_ORDER)).toEqual({ kind: "rows", rows: [] });
  });
});

describe("a condition on what is not known", () => {
  const cases: [JsonObject, string][] = [
    [OVER_LIMIT, "unknown"],
    [{ amount_to: { $not: { $gt: "50000" } } }, "unknown"],
    [{ $nor: [OVER_LIMIT] }, "unknown"],
    // whatever the sum is, the rest decides
    [{ kyc: "pending", ...OVER_LIMIT }, "fails"],
    [{ $or: [{ kyc: "verified" }, OVER_LIMIT] }, "holds"],
    [{ $or: [{ kyc: "pending" }, OVER_LIMIT] }, "unknown"],
    // that one of both holds for any sum is not seen: the strict answer
    [{ $or: [OVER_LIMIT, { amount_to: { $lte: "50000" } }] }, "unknown"],
    [{ amount_to: null }, "holds"],
    [{ amount_to: "50000" }, "fails"],
    [{ amount_to: { $exists: true } }, "holds"],
    [{ currency: { $ne: "THB" } }, "holds"],
    [{ currency: { $in: ["THB", null] } }, "holds"],
  ];
  it.each(cases)("%j: %s", (condition, verdict) => {
    expect(judgeCondition(condition, NO_ORDER)).toBe(verdict);
  });

  const ODD = [
    "NaN",
    "Infinity",
    "-5",
    "1e9",
    "",
    " 5",
    "0x10",
    "much",
    "5,5",
    "٥",
    "1".repeat(40),
  ];
  it.each(ODD)("and a sum that is no sum (%j) is not known either", (amount) => {
    expect(judgeCondition(OVER_LIMIT, { amount_to: amount })).toBe("unknown");
    expect(judgeCondition({ amount_to: { $lt: "1" } }, { amount_to: amount })).toBe("unknown");
  });

  it("nor is NaN, or true", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, true])
      expect(judgeCondition(OVER_LIMIT, { amount_to: value })).toBe("unknown");
  });

  it("with many comparisons is not worked through for ever", () => {
    const many = { $or: Array.from({ length: 40 }, (_, at) => ({ amount_to: { $gt: `${at}` } })) };
    expect(judgeCondition(many, NO_ORDER)).toBe("unknown");
  });
});

describe("a row that cannot be read", () => {
  const broken: [string, object][] = [
    ["a condition that is a list", { condition_json: [] }],
    ["a condition that is a word", { condition_json: "always" }],
    ["no condition", { condition_json: null }],
    ["an unknown fact", { condition_json: { kyk: "verified" } }],
    ["an unknown operator", { condition_json: { kyc: { $regex: "v" } } }],
    ["an operator without its sign", { condition_json: { amount_to: { gt: "5" } } }],
    ["a list for a value", { condition_json: { kyc: ["verified"] } }],
    ["a limit that is no number", { max_calls_per_run: "many" }],
    ["a limit that is NaN", { max_payload_size: Number.NaN }],
    ["nobody to ask", { approver_role: "owner" }],
    ["neither yes nor no", { allow_call: "yes" }],
  ];
  it.each(broken)("(%s) leaves nothing to go by", (_name, over) => {
    const bad = { ...row({ id: "bad" }), ...over } as PolicyRow;
    expect(match([row(), bad], NO_ORDER)).toEqual({ kind: "unreadable", policyId: "bad" });
  });
});
