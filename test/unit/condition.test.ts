import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import { judgeCondition } from "../../src/policy/condition.ts";
import { FACTS as KNOWN } from "../../src/policy/facts.ts";
import { policyProblems } from "../../src/policy/policy-problems.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";

const FACTS: JsonObject = {
  ...{ kyc: "verified", amount_to: "40000", currency: "THB", first_deal: false },
  ...{ order_status: null, run_calls: 2 },
};

describe("a condition", () => {
  const holding: [string, JsonObject, boolean][] = [
    ["nothing asked", {}, true],
    ["an equal text", { kyc: "verified" }, true],
    ["another text", { kyc: "pending" }, false],
    ["a sum below the limit, as numbers and not as text", { amount_to: { $lt: "50000" } }, true],
    ["a short number before a long one", { amount_to: { $gt: "9" } }, true],
    ["an equal sum written otherwise", { amount_to: "40000.00" }, true],
    ["a limit as a number", { amount_to: { $lte: 40000 } }, true],
    ["a range", { amount_to: { $gte: "40000", $lt: "40000.01" } }, true],
    ["one of a list", { currency: { $in: ["USD", "THB"] } }, true],
    ["none of a list", { currency: { $nin: ["USD", "THB"] } }, false],
    ["a yes or no", { first_deal: false }, true],
    ["a fact that is not known, against a sum", { order_status: { $gt: "1" } }, false],
    ["a fact that is not known, as such", { order_status: null }, true],
    ["all of several", { $and: [{ kyc: "verified" }, { currency: "USD" }] }, false],
    ["one of several", { $or: [{ kyc: "pending" }, { currency: "THB" }] }, true],
    ["none of several", { $nor: [{ kyc: "pending" }, { currency: "USD" }] }, true],
    ["the opposite", { amount_to: { $not: { $gt: "50000" } } }, true],
    ["not this", { kyc: { $ne: "pending" } }, true],
    ["a whole number", { run_calls: { $lt: 3 } }, true],
  ];
  it.each(holding)("with %s", (_name, condition, holds) => {
    expect(judgeCondition(condition, FACTS) === "holds").toBe(holds);
  });

  const broken: [string, JsonObject][] = [
    ["a misspelt fact", { kyk: "verified" }],
    ["a misspelt fact in a group", { $or: [{ kyc: "verified" }, { curency: "THB" }] }],
    ["an unknown operator", { kyc: { $like: "ver%" } }],
    ["code", { $where: "return true" }],
    ["a sum with an exponent", { amount_to: { $lt: "1e3" } }],
    ["a sum that is a word", { amount_to: { $lt: "much" } }],
    ["a sum below zero", { amount_to: { $gt: "-1" } }],
    ["an empty sum", { amount_to: { $lt: "" } }],
    ["a group that is no list", { $and: { kyc: "verified" } as JsonObject }],
    ["a group of words", { $or: ["verified"] }],
    ["a property of every object", { constructor: "x" }],
    ["a prototype", JSON.parse('{"__proto__":{"kyc":"verified"}}')],
    ["a list of lists", { kyc: { $in: [["verified"]] } }],
    ["a word for a list", { kyc: { $in: "verified" } }],
    ["an object for a value", { kyc: { $eq: { a: 1 } } }],
  ];
  it.each(broken)("that cannot be read is an error: %s", (_name, condition) => {
    expect(() => judgeCondition(condition, FACTS)).toThrow();
  });

  it("compares any two sums as the numbers that they are", () => {
    const cents = fc.bigInt({ min: 0n, max: 10n ** 24n });
    const text = (value: bigint) => `${value / 100n}.${(value % 100n).toString().padStart(2, "0")}`;
    const verdict = (holds: boolean) => (holds ? "holds" : "fails");
    fc.assert(
      fc.property(cents, cents, (left, right) => {
        const given = { amount_to: text(left) };
        expect(judgeCondition({ amount_to: { $lt: text(right) } }, given)).toBe(
          verdict(left < right),
        );
        expect(judgeCondition({ amount_to: { $gte: text(right) } }, given)).toBe(
          verdict(left >= right),
        );
        expect(judgeCondition({ amount_to: text(right) }, given)).toBe(verdict(left === right));
      }),
    );
  });
});

describe("rules that an admin saves", () => {
  const names = new Set(defaultPolicies().map((row) => row.tool_name));
  it("are fine as they come with the product", () => {
    expect(policyProblems(defaultPolicies(), names)).toBeNull();
  });

  const [first] = defaultPolicies();
  const problemOf = (condition: JsonObject) =>
    first && policyProblems([{ ...first, id: "mine", condition_json: condition }], names)?.[0];

  it("may name every fact there is, by a value of its kind", () => {
    const values = {
      ...{ actor_role: "support", source: "model", stage: "payment_verified", kyc: "verified" },
      ...{ amount_from: "1", amount_to: { $lte: "50000" }, currency: { $in: ["THB", null] } },
      ...{ order_status: null, same_account: true, recipient_verified: { $ne: true } },
      ...{ first_deal: false, day_total: { $not: { $gt: 100 } }, run_calls: 2, run_cost: "0.5" },
    };
    expect(Object.keys(values).sort()).toEqual(Object.keys(KNOWN).sort());
    expect(problemOf(values)).toBeUndefined();
  });

  const useless: [string, JsonObject, string][] = [
    ["a word for yes or no", { first_deal: "true" }, "first_deal wants true or false"],
    ["a number for a word", { actor_role: 5 }, "actor_role wants a word"],
    ["a currency in small letters", { currency: "thb" }, "currency wants a code in capitals"],
    ["a misspelt status of an order", { order_status: "payed" }, "order_status is one of quote, "],
    ["a stage that there is not", { stage: { $in: ["paid"] } }, "stage is one of exchange_request"],
    ["a word for a sum", { amount_to: "much" }, "amount_to wants a decimal number"],
    ["a word further in", { $or: [{ run_cost: { $not: { $eq: "x" } } }] }, "run_cost wants"],
    ["a word in a list", { run_calls: { $in: [1, "two"] } }, "run_calls wants a whole number"],
    ["half of a thing that is counted", { run_calls: "1.5" }, "run_calls wants a whole number"],
    ["a status that does not exist", { kyc: { $ne: "verifed" } }, "kyc is one of missing, "],
    ["an operator without its sign", { kyc: { in: ["verified"] } }, 'kyc: unknown operator "in"'],
    ["a list for a value", { kyc: ["verified", "pending"] }, "kyc wants one value"],
    ["an empty query", { kyc: {} }, "kyc wants one value"],
  ];
  it.each(useless)("are refused when they could never match: %s", (_name, condition, problem) => {
    expect(problemOf(condition)).toContain(`mine: ${problem}`);
  });

  it("are refused with the rule's name and what is wrong", () => {
    if (!first) throw new Error("no default rules");
    const bad = { ...first, id: "mine", tool_name: "pay", condition_json: { kyk: "verified" } };
    expect(policyProblems([bad], names)).toEqual([
      'mine: there is no tool "pay"',
      'mine: unknown fact "kyk" in the condition',
    ]);
  });
});
