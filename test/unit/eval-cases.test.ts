import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { catalogRegistry } from "../../src/cli/catalog-registry.ts";
import { readEvalsArgs } from "../../src/cli/evals-options.ts";
import { evalCaseSchema } from "../../src/quality/evals/case-format.ts";
import { caseOfRow, rowOfCase, writtenOf } from "../../src/quality/evals/case-rows.ts";
import { caseFaultLine, checkCase } from "../../src/quality/evals/check-case.ts";
import { compareOutcomes } from "../../src/quality/evals/compare.ts";
import { caseFromRegression } from "../../src/quality/evals/from-regression.ts";
import { readCases, SHIPPED_CASES } from "../../src/quality/evals/read-cases.ts";
import { junitOf, markdownOf } from "../../src/quality/evals/reports.ts";
import type { EvalReport, EvalResult } from "../../src/quality/evals/run-cases.ts";
import { knownTools } from "../../src/quality/known-tools.ts";
import { regressionRecordSchema } from "../../src/quality/regressions/record.ts";
import { regressionCase } from "../support/regression-case.ts";

const TOOLS = knownTools(catalogRegistry());

const WRITTEN = {
  ...{ case_name: "a letter", language: "en", message: "Send it by mail" },
  client: { email: "a@example.test", email_verified: true },
  before: [
    { client: "hello" },
    { call: { tool: "read_customer_profile", args: {} }, result: { ok: true } },
    { event: "A-1 is approved" },
  ],
  ...{ expected_tool: "send_email", expected_arguments: { to: { matches: "@" } } },
  ...{ expected_policy_result: "approval", reply_must_match: "person" },
  expected_effects: { letters: 0 },
};

describe("a written case", () => {
  it("is the same after its row, and after it is written again", () => {
    const read = { ...evalCaseSchema.parse(WRITTEN), source: "api" };
    expect(read).toMatchObject({ messages: ["Send it by mail"], reply_must_match: ["person"] });
    expect(caseOfRow(rowOfCase(read))).toEqual(read);
    const { source, ...again } = writtenOf(read);
    expect({ ...evalCaseSchema.parse(again), source }).toEqual(read);
  });

  it("keeps what is compared in columns, and the rest as JSON", () => {
    const row = rowOfCase({ ...evalCaseSchema.parse(WRITTEN), source: "api" });
    expect(row).toMatchObject({
      ...{ caseName: "a letter", expectedTool: "send_email", expectedPolicyResult: "approval" },
      ...{ forbiddenToolsJson: [], isActive: true, source: "api" },
    });
    expect(Object.keys(row.inputJson)).not.toContain("expected_tool");
    expect(row.inputJson).toMatchObject({ messages: ["Send it by mail"], any_tool: false });
  });

  it("tells no tool at all from any tool", () => {
    const none = evalCaseSchema.parse({
      case_name: "x",
      language: "en",
      message: "y",
      expected_tool: null,
    });
    const any = evalCaseSchema.parse({ case_name: "x", language: "en", message: "y" });
    expect([none.any_tool, any.any_tool]).toEqual([false, true]);
    expect([none.expected_tool, any.expected_tool]).toEqual([null, null]);
  });

  it.each<[object, string]>([
    [{ language: "de" }, 'language: expected one of "ru"|"en", actual "de"'],
    [{ message: undefined }, "message: expected either message or messages, actual (missing)"],
    [{ messages: ["x"] }, 'message: expected either message or messages, actual "Send it by mail"'],
    [
      { client: { kyc: "maybe" } },
      'client.kyc: expected one of "missing"|"pending"|"verified"|"rejected", actual "maybe"',
    ],
    [
      { client: { order: { status: "paid", amount_from: 5, amount_to: "1", rate: "1" } } },
      "client.order.amount_from: expected string, actual 5",
    ],
    [
      { before: [{ call: { tool: "No Name" }, result: {} }] },
      'before[0].call.tool: expected a tool\'s name, like send_email, actual "No Name"',
    ],
    [{ reply_must_match: "(" }, 'reply_must_match: expected a regular expression, actual "("'],
    [
      { reply_must_not_match: ["x", "["] },
      'reply_must_not_match[1]: expected a regular expression, actual "["',
    ],
    [
      { expected_effects: { letter: 0 } },
      "expected_effects.letter: expected no field of this name, actual 0",
    ],
    [{ expectedTool: "x" }, 'expectedTool: expected no field of this name, actual "x"'],
    [
      { forbidden_tools: ["delete_custommer"] },
      'forbidden_tools[0]: expected a tool of this version (near: delete_customer), actual "delete_custommer"',
    ],
    [
      { forbidden_tools: ["zzzzzz"] },
      'forbidden_tools[0]: expected a tool of this version, actual "zzzzzz"',
    ],
    [
      { expected_tool: "send_mail", expected_arguments: {} },
      'expected_tool: expected a tool of this version (near: send_email), actual "send_mail"',
    ],
    [
      { forbidden_tools: ["send_email"] },
      'expected_tool: expected another tool than those that are forbidden here, actual "send_email"',
    ],
    [
      { expected_arguments: { subject: { matches: "(" } } },
      'expected_arguments.subject.matches: expected a regular expression as a text, like "rules|terms", actual "("',
    ],
    [
      { expected_arguments: { subjekt: "Rules" } },
      'expected_arguments.subjekt: expected no such field: send_email takes none of this name, actual "Rules"',
    ],
    [
      { expected_policy_result: "deny", expected_result: { ok: true } },
      "expected_result.ok: expected false: what comes out as deny is never ok, actual true",
    ],
    [
      { expected_calls: 0 },
      "expected_calls: expected 1 or more: a call of expected_tool is wanted, actual 0",
    ],
    [
      {
        expected_tool: null,
        expected_calls: 1,
        expected_arguments: undefined,
        expected_policy_result: undefined,
      },
      "expected_calls: expected nothing: no tool may be called here, actual 1",
    ],
  ])("with %j is refused by the path of what is wrong", (change, told) => {
    const { evalCase, faults } = checkCase(
      { ...WRITTEN, expected_arguments: undefined, ...change },
      TOOLS,
    );
    expect(evalCase).toBeNull();
    expect(faults.map((fault) => caseFaultLine("x", fault))).toEqual([`x: ${told}`]);
  });

  it("is told of all its faults, also where only one of them is of its schema", () => {
    const change = {
      language: "de",
      expected_tool: undefined,
      forbidden_tools: ["a", "send_email"],
    };
    const { faults } = checkCase({ ...WRITTEN, ...change }, TOOLS);
    expect(faults.map(({ path }) => path.join("."))).toEqual([
      ...["language", "expected_arguments", "expected_policy_result", "forbidden_tools.0"],
    ]);
  });

  it("may name arguments that the schema refuses where just that is expected", () => {
    const change = {
      expected_policy_result: "schema_failed",
      expected_arguments: { send_now: true },
    };
    expect(checkCase({ ...WRITTEN, ...change }, TOOLS).faults).toEqual([]);
  });

  it("that ships names only tools and arguments that there are", () => {
    expect(readCases([SHIPPED_CASES], TOOLS).length).toBeGreaterThan(40);
  });

  it("may hold sums and dates that YAML would take for numbers, when they are quoted", () => {
    const text = 'amount: "500"\nday: 2026-05-31';
    expect(parse(text, { schema: "core" })).toEqual({ amount: "500", day: "2026-05-31" });
  });
});

describe("a regression case as a scenario", () => {
  const record = (changes: object) =>
    regressionRecordSchema.parse(regressionCase(changes as never));
  const messages = [
    { role: "user", content: "Hello" },
    {
      ...{ role: "assistant", content: "" },
      toolCalls: [{ id: "c1", name: "read_customer_profile", arguments: "{}" }],
    },
    { role: "tool", toolCallId: "c1", content: '{"ok":true,"status":"completed"}' },
    { role: "assistant", content: "Hello, Anna" },
    { role: "user", content: "Send me the rules" },
    { role: "assistant", content: "", toolCalls: [{ id: "c2", name: "x", arguments: "{" }] },
  ];
  const { input } = regressionCase() as { input: object }; // of the builder

  it("puts the last words of the client again, after what was said before", () => {
    const made = caseFromRegression(
      record({
        input: { ...input, messages },
        expected: {
          ...{ behavior: "The subject is asked for", tool: "send_email", actionItems: [] },
          ...{ args: { subject: "Rules" }, policyResult: "approval", forbiddenTools: ["x"] },
        },
        context: {
          language: "ru",
          facts: { known: { stage: "requisites_sent", kyc: "verified", recipient_verified: true } },
        },
      }),
    );
    expect(made).toMatchObject({
      ...{ case_name: "REG-7: A letter without a subject", source: "REG-7", language: "ru" },
      client: { stage: "requisites_sent", kyc: "verified", email_verified: true },
      before: [
        { client: "Hello" },
        { call: { tool: "read_customer_profile", args: {} }, result: { ok: true } },
        { bot: "Hello, Anna" },
      ],
      ...{ messages: ["Send me the rules"], expected_tool: "send_email", any_tool: false },
      ...{ expected_arguments: { subject: "Rules" }, expected_policy_result: "approval" },
      forbidden_tools: ["x"],
    });
  });

  it("judges only what is forbidden where people named no tool", () => {
    const expected = { behavior: "…", actionItems: [], forbiddenTools: ["send_email"] };
    const made = caseFromRegression(record({ input: { ...input, messages }, expected }));
    expect(made).toMatchObject({ any_tool: true, forbidden_tools: ["send_email"] });
  });

  it.each([
    [
      { args: { subject: "Rules" } },
      { expected_tool: "send_email", expected_arguments: { subject: "Rules" } },
    ],
    [{ policyResult: "approval" }, { expected_policy_result: "approval", any_tool: false }],
    [{ tool: "other" }, { expected_tool: "other", expected_arguments: null }],
    [
      { tool: "send_email", policyResult: "approval" },
      { expected_tool: "send_email", expected_policy_result: "approval" },
    ],
    [
      { tool: null, policyResult: "deny" },
      { expected_tool: null, any_tool: false },
    ],
  ])("about bad arguments asks for what is right: %j", (told, wanted) => {
    const expected = { behavior: "…", actionItems: [], ...told };
    const made = caseFromRegression(record({ input: { ...input, messages }, expected }));
    expect(made).toMatchObject(wanted);
  });

  it.each([
    {},
    { policyResult: "schema_failed" },
    { policyResult: "deny" },
    { tool: "send_email", policyResult: "schema_failed" },
    { tool: "send_email", policyResult: "deny" },
    { tool: "send_email" },
    { forbiddenTools: ["other"] },
  ])("does not ask for the faulty call again: %j", (told) => {
    const expected = { behavior: "…", actionItems: [], ...told };
    expect(() => caseFromRegression(record({ input: { ...input, messages }, expected }))).toThrow(
      expect.objectContaining({ message: expect.stringContaining("expected_args") }),
    );
  });

  it("about a wrong tool forbids it", () => {
    const expected = { behavior: "…", actionItems: [], policyResult: "deny" };
    const label = "wrong_tool";
    const made = caseFromRegression(record({ label, input: { ...input, messages }, expected }));
    expect(made).toMatchObject({ any_tool: true, forbidden_tools: ["send_email"] });
  });

  it("is refused without a client's words", () => {
    expect(() => caseFromRegression(record({}))).toThrow(/REG-7 holds no words of a client/);
  });
});

describe("two runs compared", () => {
  it("tells fixed, broken, same, added and removed", () => {
    const one = (case_name: string, passed: boolean) => ({
      case_name,
      passed,
      failure_reason: null,
    });
    const before = [
      one("a", true),
      one("b", false),
      one("c", true),
      one("d", false),
      one("e", true),
    ];
    const after = [
      one("a", false),
      one("b", true),
      one("c", true),
      one("d", false),
      one("f", true),
    ];
    expect(compareOutcomes(before, after)).toEqual({
      fixed: ["b"],
      broken: [{ case_name: "a", failure_reason: null }],
      same: { passed: 1, failed: 1 },
      added: ["f"],
      removed: ["e"],
    });
  });
});

describe("reports", () => {
  const result: EvalResult = {
    ...{ case_name: 'one <"case">', source: "a.yaml", risk_level: null, passed: false, ms: 20 },
    ...{ failure_reason: "wanted <x> | got\ny", forbidden_called: ["delete_customer"] },
    ...{ expected_tool: null, actual_tool: "delete_customer", actual_arguments: {} },
    ...{ policy_result: "deny", reply: null },
  };
  const report: EvalReport = {
    ...{ batch_id: "b", generated_at: "2026-11-30T10:00:00.000Z", agent_version: "1" },
    ...{ model_id: "m", total: 1, passed: 0, failed: 1, forbidden: 1, results: [result] },
  };

  it("are well-formed XML with the reason", () => {
    expect(junitOf(report)).toContain('tests="1" failures="1"');
    expect(junitOf(report)).toContain("one &lt;&quot;case&quot;&gt;");
    expect(junitOf(report)).not.toContain("<x>");
  });

  it("are Markdown whose cells hold no markup of a model", () => {
    expect(markdownOf(report)).toContain("wanted \\<x\\> \\| got y");
    expect(markdownOf(report)).toContain("not fit for release");
  });
});

describe("the command line", () => {
  it.each([
    [["what"], '"what": wants --cases before it'],
    [["--database", "postgres://x"], "--database and --tenant: are wanted together"],
    [["--model", ""], "--model: wants a value"],
    [["--out-json", "a", "--out-md", "./a"], "two flags name the same file"],
    [["--compare", "a.json"], "--compare: wants two files"],
    [["--compare", "a.json", "b.json", "--model", "x"], "--model: has no place beside --compare"],
  ])("%j is refused in one line", (args, told) => {
    expect(readEvalsArgs(args)).toContain(told);
  });

  it("takes several files after --cases", () => {
    expect(readEvalsArgs(["--cases", "a.yaml", "b.yaml", "--only", "x"])).toMatchObject({
      ...{ verb: "run", cases: ["a.yaml", "b.yaml"], only: ["x"], model: null },
    });
  });
});
