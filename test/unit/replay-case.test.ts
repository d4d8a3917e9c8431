import { describe, expect, test } from "vitest";
import type { ChatModel } from "../../src/domain/chat-model.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import type { GateFacts } from "../../src/policy/evaluate.ts";
import { differencesOf } from "../../src/quality/match-arguments.ts";
import type { Fault } from "../../src/quality/regressions/fault.ts";
import type { RegressionRecord } from "../../src/quality/regressions/record.ts";
import { replayCase } from "../../src/quality/replay/replay-case.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { createTaskDraft } from "../../src/tools/crm/create-task-draft.ts";
import { deleteCustomer } from "../../src/tools/crm/delete-customer.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { createScriptedModel } from "../support/scripted-model.ts";

const registry = createRegistry([createTaskDraft(), deleteCustomer()] as unknown as AnyTool[]);
const allowed: PolicyRow = {
  ...{ id: "drafts", tool_name: "create_task_draft", role: "*", condition_json: {} },
  ...{ allow_call: true, requires_approval: false, approvals_required: 1, is_active: true },
  ...{ approver_role: "operator", approval_ttl_s: null, max_calls_per_run: 3 },
  max_payload_size: 50_000,
};
const forbidden = { ...allowed, allow_call: false, condition_json: { kyc: "missing" } };
const asked = { ...allowed, requires_approval: true };
const FACTS: GateFacts = {
  tool: { name: "create_task_draft", risk: "draft_only", isActive: true, stageAllowed: true },
  known: { actor_role: "support", source: "model", kyc: "missing" },
  ...{ sameAccount: true, callsInRun: 0, payloadBytes: 10, attemptsLeft: 6 },
  ...{ costLimitReached: false, readOnlyRun: false, hasBusinessKey: false },
  approvers: { operator: 2, admin: 1 },
  ...{ rejectedBefore: false, toolWithdrawn: false, outcomeUnknown: false },
  payoutsStopped: false,
};
const ARGS = { title: "Call back", description: "At noon", priority: "normal" };
const WHERE = { line: 3, case: 7, tool: "create_task_draft" };

/** A case about a drafted task. */
function record(over: Partial<RegressionRecord["expected"]>, more: object = {}): RegressionRecord {
  return {
    ...{ recordType: "tool_call_regression_case", id: 7, source: "tool_call_feedback" },
    ...{ toolName: "create_task_draft", label: "wrong_tool", title: "No task", status: "active" },
    ...{ proposalId: 1, toolCallId: 2, createdAt: 1, updatedAt: 1, createdByAdminId: null },
    input: {
      ...{ toolName: "create_task_draft", args: ARGS },
      feedback: { label: "wrong_tool", note: null },
      messages: [{ role: "user", content: "When do you open?" }],
    },
    expected: { behavior: "no task is drafted", ...over },
    context: { facts: FACTS as unknown as JsonObject },
    ...more,
  } as RegressionRecord;
}

async function replay(
  one: RegressionRecord,
  { policies = [allowed], model }: { policies?: PolicyRow[]; model?: ChatModel } = {},
) {
  const undecided: number[] = [];
  const faults = await replayCase(
    {
      rules: { registry, policies, activeTools: null },
      model: model ? { model, modelId: "m", tools: [], systemFor: () => "rules" } : null,
      onUndecided: ({ id }) => undecided.push(id),
    },
    one,
    WHERE,
    AbortSignal.timeout(60_000),
  );
  return { undecided, faults: faults.map(line) };
}

const line = ({ path, expected, actual }: Fault) => `${path}: ${expected} | ${actual}`;

describe("by schemas and rules", () => {
  test("a rule that still lets the call through is a fault, one that refuses it is none", async () => {
    const wanted = record({ policyResult: "deny" });
    expect((await replay(wanted)).faults).toEqual(["replay.policyResult: deny | allow"]);
    expect((await replay(wanted, { policies: [allowed, forbidden] })).faults).toEqual([]);
  });

  test("an approval that is wanted is no refusal", async () => {
    const wanted = record({ policyResult: "approval" });
    expect((await replay(wanted, { policies: [asked] })).faults).toEqual([]);
    expect((await replay(wanted, { policies: [forbidden] })).faults).toEqual([
      "replay.policyResult: approval | deny: role_not_allowed",
    ]);
  });

  test("arguments that the schema should refuse, and does", async () => {
    const bad = { args: { ...ARGS, send_now: true } };
    const one = record({ policyResult: "schema_failed" });
    expect((await replay({ ...one, input: { ...one.input, ...bad } })).faults).toEqual([]);
    expect((await replay(one)).faults).toEqual(["replay.policyResult: schema_failed | allow"]);
  });

  test("the call that is expected instead is what is judged", async () => {
    const good = record({ args: ARGS, policyResult: "allow" });
    expect((await replay(good)).faults).toEqual([]);
    const unfit = record({ args: { ...ARGS, title: 7 } });
    expect((await replay(unfit)).faults[0]).toMatch(
      /^replay\.args: arguments that the schema takes/,
    );
    const gone = record({ tool: "offer_rate" });
    expect((await replay(gone)).faults).toEqual([
      "replay.tool: offer_rate to be there and switched on | it is not",
    ]);
  });

  test("a case without the facts of its gate says so", async () => {
    const one = record({ policyResult: "deny" }, { context: {} });
    expect((await replay(one)).faults[0]).toMatch(/holds no facts/);
  });

  test("what only a model can answer is told, not passed over", async () => {
    const one = record({ forbiddenTools: ["create_task_draft"] });
    expect(await replay(one)).toEqual({ undecided: [7], faults: [] });
  });
});

describe("with a model", () => {
  const answering = (...calls: { name: string; args: object }[]) => {
    const model = createScriptedModel();
    model.next.push(calls.length > 0 ? { calls } : "We open at nine.");
    return model;
  };

  test("a forbidden tool is a fault though the rules would refuse it", async () => {
    const one = record({ forbiddenTools: ["delete_customer"] });
    const model = answering({ name: "delete_customer", args: { customer_id: "c-1" } });
    expect((await replay(one, { model })).faults).toEqual([
      "replay.tool: no call of delete_customer | delete_customer called",
    ]);
    expect((await replay(one, { model: answering() })).faults).toEqual([]);
  });

  test("no call is wanted", async () => {
    const one = record({ tool: null });
    const model = answering({ name: "create_task_draft", args: ARGS });
    expect((await replay(one, { model })).faults).toEqual([
      "replay.tool: no call | create_task_draft",
    ]);
    expect((await replay(one, { model: answering() })).faults).toEqual([]);
  });

  test("tool, arguments and policy result are compared, named fields only", async () => {
    const one = record({
      ...{ tool: "create_task_draft", args: { title: { matches: "call" }, priority: "high" } },
      policyResult: "schema_failed",
    });
    const model = answering({ name: "create_task_draft", args: ARGS });
    const { faults } = await replay(
      { ...one, expected: { ...one.expected, policyResult: undefined } as never },
      { model },
    );
    expect(faults.at(-1)).toBe('replay.args.priority: "high" | "normal"');
  });

  test("arguments that people marked as bad must not come again", async () => {
    const one = { ...record({}), label: "bad_args" as const };
    const again = answering({ name: "create_task_draft", args: ARGS });
    expect((await replay(one, { model: again })).faults[0]).toMatch(
      /^replay\.args: other arguments/,
    );
    const mended = answering({ name: "create_task_draft", args: { ...ARGS, title: "Call Anna" } });
    expect((await replay(one, { model: mended })).faults).toEqual([]);
  });

  describe("of arguments that people marked, without others that are right,", () => {
    const marked = { ...ARGS, send_now: true };
    const about = (over: Partial<RegressionRecord["expected"]>, args: object = marked) => {
      const one = { ...record(over), label: "bad_args" as const };
      return { ...one, input: { ...one.input, args } } as RegressionRecord;
    };
    const call = (args: object) => answering({ name: "create_task_draft", args });
    const mended = { ...ARGS, title: "Call Anna" };
    const own = "create_task_draft";

    test.each([
      {},
      { tool: own },
      { policyResult: "schema_failed" },
      { tool: own, policyResult: "schema_failed" },
    ] as const)("the same are red and mended ones are not: %j", async (over) => {
      const again = await replay(about(over), { model: call(marked) });
      expect(again.faults).toEqual([
        expect.stringMatching(/^replay\.args: other arguments than those that people marked/),
      ]);
      expect((await replay(about(over), { model: call(mended) })).faults).toEqual([]);
    });

    test("the same are red, too, where the schema takes them and a rule is to refuse them", async () => {
      const one = about({ tool: own, policyResult: "deny" }, ARGS);
      const rules = { policies: [allowed, forbidden] };
      const again = await replay(one, { ...rules, model: call(ARGS) });
      expect(again.faults).toEqual([expect.stringMatching(/^replay\.args: other arguments/)]);
    });

    test("a refusal that is expected is one of the marked call, not of the model's", async () => {
      const one = about({ policyResult: "deny" }, ARGS);
      const { faults } = await replay(one, { model: call(mended) });
      expect(faults).toEqual(["replay.policyResult: deny | allow"]); // of the recorded call
      const refusing = { ...forbidden, condition_json: {} };
      const model = call(mended);
      expect((await replay(one, { policies: [refusing], model })).faults).toEqual([]);
    });

    test("others are judged by tool and policy result", async () => {
      const one = about({ tool: own, policyResult: "approval" }, ARGS);
      const good = await replay(one, { policies: [asked], model: call(mended) });
      expect(good.faults).toEqual([]);
      const through = await replay(one, { policies: [allowed], model: call(mended) });
      expect(through.faults).toContain("replay.policyResult: approval | allow");
      const none = await replay(one, { policies: [asked], model: answering() });
      expect(none.faults).toEqual(["replay.tool: create_task_draft | no call"]);
    });

    test("the recorded ones meet the schema without a model, also where the tool is named", async () => {
      const one = about({ tool: own, policyResult: "schema_failed" }, ARGS);
      expect(await replay(one)).toEqual({
        undecided: [],
        faults: ["replay.policyResult: schema_failed | allow"],
      });
    });
  });

  test("an expression that would never come to its end is a fault, and the replay goes on", async () => {
    const one = record({ tool: "create_task_draft", args: { title: { matches: "^(a+)+$" } } });
    const title = `${"a".repeat(60)}!`;
    const model = answering({ name: "create_task_draft", args: { ...ARGS, title } });
    expect((await replay(one, { model })).faults).toEqual([
      expect.stringMatching(/^replay\.args\.title: .* \| "a+!": the expression takes too long$/),
    ]);
  });

  test("the model is shown the recorded messages under today's rules", async () => {
    const model = answering();
    await replay(record({ tool: null }), { model });
    expect(model.requests[0]?.messages).toEqual([
      { role: "system", content: "rules" },
      { role: "user", content: "When do you open?" },
    ]);
  });
});

describe("arguments", () => {
  test.each([
    [{ a: 1 }, { a: 1, b: 2 }, []],
    [{ a: { b: "x" } }, { a: { b: "y" } }, [".a.b"]],
    [[1, 2], [1], [""]],
    [[1, 2], [1, 3], [".1"]],
    [{ a: { matches: "^\\d+$" } }, { a: "12" }, []],
    [{ a: { matches: "^\\d+$" } }, { a: 12 }, []],
    [{ a: { matches: "(" } }, { a: "(" }, [".a"]],
    [{ a: null }, {}, [".a"]],
    [{ toString: "x" }, {}, [".toString"]],
    [{ a: "2" }, { a: 2 }, [".a"]],
  ])("%j in %j", (wanted, got, paths) => {
    expect(differencesOf(wanted, got).map(({ path }) => path)).toEqual(paths);
  });
});
