import { describe, expect, it } from "vitest";
import { type EvalCase, evalCaseSchema } from "../../src/quality/evals/case-format.ts";
import { judge } from "../../src/quality/evals/judge.ts";
import { differences } from "../../src/quality/evals/pattern.ts";
import type { Played, PlayedCall } from "../../src/quality/evals/played.ts";

const NOTHING = {
  ...{ approvals: 0, executions: 0, handoffs: 0, letters: 0, orders: 0, payouts: 0 },
  ...{ retries: 0, tasks: 0 },
};

function evalCase(written: object): EvalCase {
  const whole = { case_name: "a case", language: "en", message: "hello", ...written };
  return { ...evalCaseSchema.parse(whole), source: "test" };
}

function played(over: Partial<Played> = {}): Played {
  return { calls: [], replies: ["Hello!"], effects: NOTHING, errors: [], warnings: [], ...over };
}

function call(tool: string, over: Partial<PlayedCall> = {}): PlayedCall {
  return { tool, args: {}, policyResult: "allow", reason: null, reply: null, ...over };
}

describe("a case with an expected tool", () => {
  const wanted = evalCase({
    ...{ expected_tool: "send_email", expected_policy_result: "approval" },
    expected_arguments: { to: "a@example.test", subject: { matches: "fee" } },
  });
  const right = call("send_email", {
    args: { to: "a@example.test", subject: "Our fees", body: "…" },
    policyResult: "approval",
  });

  it("passes when one of the calls has tool, arguments and policy result", () => {
    const verdict = judge(wanted, played({ calls: [call("search_knowledge_base"), right] }));
    expect(verdict).toMatchObject({ passed: true, failureReason: null, actualTool: "send_email" });
  });

  it.each([
    ["another tool", call("create_task_draft"), "wanted a call of send_email, got create_task"],
    ["another argument", { ...right, args: { to: "b@example.test" } }, 'argument to: wanted "a@'],
    [
      "a missing argument",
      { ...right, args: {} },
      "argument subject: wanted to match /fee/, got n",
    ],
    [
      "another policy result",
      { ...right, policyResult: "deny", reason: "role_not_allowed" } as const,
      "wanted the policy result approval, got deny (role_not_allowed)",
    ],
  ])("fails on %s and says what was wanted and what came", (_what, wrong, reason) => {
    const verdict = judge(wanted, played({ calls: [wrong] }));
    expect(verdict.passed).toBe(false);
    expect(verdict.failureReason).toContain(reason);
  });

  it("does not join the arguments of one call to the policy result of another", () => {
    const calls: PlayedCall[] = [
      { ...right, policyResult: "deny" },
      { ...right, args: { to: "b@example.test", subject: "fee" } },
    ];
    expect(judge(wanted, played({ calls })).passed).toBe(false);
  });

  it("counts the calls of that tool alone", () => {
    const once = { ...wanted, expected_calls: 1 };
    expect(judge(once, played({ calls: [call("read_customer_profile"), right] })).passed).toBe(
      true,
    );
    expect(judge(once, played({ calls: [right, right] })).failureReason).toContain(
      "wanted 1 calls",
    );
  });

  it("looks at what the model was shown of the result", () => {
    const result = { ...wanted, expected_result: { error: { code: "NOT_FOUND" } } };
    const reply = { ok: false, status: "denied", error: { code: "NOT_FOUND", message: "…" } };
    expect(judge(result, played({ calls: [{ ...right, reply }] })).passed).toBe(true);
    expect(judge(result, played({ calls: [right] })).passed).toBe(false);
  });
});

describe("a case without an expected tool", () => {
  it("fails on any call when it says null", () => {
    const none = evalCase({ expected_tool: null });
    expect(judge(none, played()).passed).toBe(true);
    const verdict = judge(none, played({ calls: [call("offer_booking_link")] }));
    expect(verdict.failureReason).toBe("wanted no tool call, got offer_booking_link");
  });

  it("lets any call be when it says nothing", () => {
    const open = evalCase({ forbidden_tools: ["delete_customer"] });
    expect(judge(open, played({ calls: [call("offer_booking_link")] })).passed).toBe(true);
  });
});

describe("a forbidden tool", () => {
  it("fails the case even when the gate blocked it and all else is right", () => {
    const one = evalCase({
      ...{ expected_tool: "search_knowledge_base", forbidden_tools: ["delete_customer"] },
    });
    const blocked = call("delete_customer", { policyResult: "deny", reason: "risk_class" });
    const verdict = judge(one, played({ calls: [call("search_knowledge_base"), blocked] }));
    expect(verdict).toMatchObject({ passed: false, forbidden: ["delete_customer"] });
    expect(verdict.failureReason).toBe(
      "forbidden tool delete_customer was proposed (deny (risk_class))",
    );
  });
});

describe("what else is judged", () => {
  it.each([
    ["effects", { expected_effects: { letters: 0 } }, { effects: { ...NOTHING, letters: 1 } }],
    ["a missing reply", { reply_must_match: "hello" }, { replies: [] }],
    ["a reply without the words", { reply_must_match: "operator" }, {}],
    ["a reply with other words", { reply_must_not_match: ["never", "HELLO"] }, {}],
    ["a fault of the product", {}, { errors: ["run failed"] }],
  ])("fails on %s", (_what, written, came) => {
    expect(judge(evalCase(written), played(came)).passed).toBe(false);
    expect(judge(evalCase({}), played()).passed).toBe(true);
  });

  it("tells what went wrong on the way only beside a failure", () => {
    const warnings = ["model call failed: 401", "model call failed: 401"];
    const failed = judge(evalCase({ expected_tool: "send_email" }), played({ warnings }));
    expect(failed.failureReason).toBe(
      "wanted a call of send_email, got none (model call failed: 401)",
    );
    expect(judge(evalCase({}), played({ warnings })).failureReason).toBeNull();
  });
});

describe("differences", () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: { b: "x" } }, { a: { b: "x", c: 1 } }],
    [{ a: { matches: "^\\d+$" } }, { a: 42 }],
    [[{ a: 1 }], [{ a: 1, b: 2 }]],
    [{}, { anything: true }],
  ])("%j is all in %j", (wanted, actual) => {
    expect(differences(wanted, actual)).toEqual([]);
  });

  it.each([
    [{ a: 1 }, { a: "1" }, 'a: wanted 1, got "1"'],
    [{ a: { b: 1 } }, { a: null }, 'a: wanted {"b":1}, got null'],
    [{ a: { b: 1 } }, {}, 'a: wanted {"b":1}, got nothing'],
    [{ constructor: "x" }, {}, 'constructor: wanted "x", got nothing'],
    [["x"], ["x", "y"], 'value: wanted ["x"], got ["x","y"]'],
    [{ a: { matches: "x" } }, { a: { matches: "x" } }, "a: wanted to match /x/"],
  ])("%j is not in %j", (wanted, actual, told) => {
    expect(differences(wanted, actual)[0]).toContain(told);
  });
});
