import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import type { ApprovalRow } from "../../src/store/approvals.ts";
import { bulkOf } from "../../src/tools/bulk-group.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { changesOf, editOf, readEdit, readSum } from "../../src/tools/edit-action.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { SMALL_TOOL } from "../support/small-tool.ts";

function tool(edit: AnyTool["edit"]): AnyTool {
  return {
    ...{ name: "send_money", title: "Send", description: SMALL_TOOL, risk: "payment" },
    ...{ sideEffectType: "external_api", offered: true, staged: false, isAvailable: () => true },
    ...{ parameters: z.strictObject({}) as never, output: z.looseObject({}) },
    prepare: () => Promise.reject(new Error("not prepared here")),
    run: () => Promise.reject(new Error("not run here")),
    ...(edit ? { edit } : {}),
  };
}

describe("a sum that somebody types", () => {
  test.each([
    ["900", "900"],
    [" 900.50 ", "900.5"],
    ["60 000", "60000"],
    ["1 000 000.25", "1000000.25"],
    ["60\u00a0000", "60000"],
  ])("%j is %s", (typed, sum) => expect(readSum(typed)).toBe(sum));

  test.each(["", "0", "0.00", "-5", "900,50", "62,600", "60 00", "9e2", "900 THB", "½", "1.2.3"])(
    "%j is none: money is not guessed",
    (typed) => expect(readSum(typed)).toBeNull(),
  );
});

describe("what an approver may change", () => {
  const action = { amount: "1000", currency: "THB", body: "Hello" };
  const read = (given: object) =>
    readEdit(tool({ amount: "down", body: "text" }), action, given as never);

  it("is what the tool declares, a sum only downwards", () => {
    expect(read({ amount: "900" })).toEqual({ kind: "edit", edit: { amount: "900" } });
    expect(read({ amount: "900", body: " Dear all " })).toEqual({
      kind: "edit",
      edit: { amount: "900", body: "Dear all" },
    });
    expect(read({ amount: "1000", body: "Bye" })).toEqual({ kind: "edit", edit: { body: "Bye" } });
  });

  test.each([
    [{ amount: "1000.01" }, "not_lower"],
    [{ amount: 900 }, "not_a_sum"],
    [{ body: "" }, "not_a_text"],
    [{ body: "a\0b" }, "not_a_text"],
    [{ body: "\ud800" }, "not_a_text"],
    [{ body: "x".repeat(4_001) }, "not_a_text"],
    [{ currency: "USD" }, "not_editable"],
    [{ constructor: "x" }, "not_editable"],
    [{ amount: "1000" }, "unchanged"],
    [{}, "unchanged"],
  ])("%j is %s", (given, rule) => expect(read(given)).toMatchObject({ kind: "wrong", rule }));

  test.each([
    "currency",
    "destination",
    "payoutMethod",
    "location",
    "recipient",
    "to",
    "orderId",
    "contactId",
    "walletAddress",
  ])("%s can be declared by no tool", (field) => {
    expect(() => createRegistry([tool({ [field]: "text" })])).toThrow(
      `an approver must never change ${field}`,
    );
  });

  it("sums and texts can be declared", () => {
    expect(() => createRegistry([tool({ amount: "down", subject: "text" })])).not.toThrow();
  });
});

describe("the changes of a request", () => {
  const proposedActionJson = { amount: "1000", body: "Hello" };

  it("are found from its two actions, fields that follow from them left out", () => {
    const approvedActionJson = { amount: "900", body: "Hello", stillOwed: "100" };
    const row = { proposedActionJson, approvedActionJson };
    expect(changesOf(row)).toEqual([{ field: "amount", from: "1000", to: "900" }]);
    expect(editOf(row)).toEqual({ amount: "900" });
  });

  it("are none before anybody changed anything", () => {
    const row = { proposedActionJson, approvedActionJson: null };
    expect([changesOf(row), editOf(row)]).toEqual([[], undefined]);
  });
});

describe("requests that one press may grant", () => {
  const request = (id: string, over: object = {}, action: object = {}) =>
    ({
      ...{ id, toolName: "send_money", riskLevel: "payment", approvedActionJson: null, ...over },
      proposedActionJson: { amount: "100", currency: "THB", ...action },
    }) as unknown as ApprovalRow; // as far as the rule looks
  const below = { limit: "500", quoteAsset: "THB" };

  it("are of one tool and risk class, below the limit, in its currency", () => {
    const rows = [
      request("a"),
      request("b", {}, { amount: "499.99" }),
      request("at-the-limit", {}, { amount: "500" }),
      request("above", {}, { amount: "5000" }),
      request("other-currency", {}, { currency: "USD" }),
      request("no-sum", {}, { amount: null }),
      request("other-tool", { toolName: "send_gift" }),
      request("other-risk", { riskLevel: "external_write" }),
    ];
    expect(bulkOf(rows, below)).toEqual({ ids: ["a", "b"], limit: "500 THB" });
  });

  it("are none where only one fits", () => {
    expect(bulkOf([request("a"), request("b", { toolName: "send_gift" })], below)).toBeNull();
  });

  it("count as they were changed", () => {
    const edited = { approvedActionJson: { amount: "50", currency: "THB" } };
    const rows = [request("a", edited, { amount: "5000" }), request("b")];
    expect(bulkOf(rows, below)?.ids).toEqual(["a", "b"]);
  });
});
