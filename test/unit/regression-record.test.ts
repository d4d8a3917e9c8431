import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalogRegistry } from "../../src/cli/catalog-registry.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { knownTools } from "../../src/quality/known-tools.ts";
import { checkRecord } from "../../src/quality/regressions/check-record.ts";
import { regressionCase, withField } from "../support/regression-case.ts";

const faultsOf = (value: unknown) => checkRecord(value).faults;
const MISSING = undefined;

const POSITIVE = /^a whole number above 0$/;
const POSITIVE_OR_NULL = /^a whole number above 0, or null$/;
const NO_POSITIVE = ["2", 0, -1, 1.5, true, [], {}, 2 ** 53, MISSING];
const TEXT = /^a text that is not empty$/;
const NO_TEXT = ["", " \n", 5, null, [], {}, false, MISSING];
const SECONDS = /^positive epoch seconds/;
const NO_SECONDS = ["1764500000", 0, -5, 1.5, null, 1_764_500_000_000, MISSING];
const OBJECT = /^an object$/;
const NO_OBJECT = [[], null, "x", 4, MISSING];
const LABELS = /^one of wrong_tool, missing_tool, bad_args$/;

const FAULTY: [path: string, expected: RegExp, values: unknown[]][] = [
  ["recordType", /"tool_call_regression_case"/, ["tool_call_feedback", null, 1, MISSING]],
  ["id", POSITIVE, [...NO_POSITIVE, null]],
  ["source", /"tool_call_feedback"/, ["manual", null, MISSING]],
  ["toolName", TEXT, NO_TEXT],
  ["label", LABELS, ["good_reply", "other", "WRONG_TOOL", null, 1, MISSING]],
  ["title", TEXT, NO_TEXT],
  ["status", /^one of active, archived$/, ["all", "Active", null, true, MISSING]],
  ["proposalId", POSITIVE_OR_NULL, NO_POSITIVE],
  ["toolCallId", POSITIVE_OR_NULL, NO_POSITIVE],
  ["input", OBJECT, NO_OBJECT],
  ["input.toolName", TEXT, NO_TEXT],
  ["input.args", /^an object or null$/, [[], "{}", 0, false, MISSING]],
  ["input.feedback", OBJECT, NO_OBJECT],
  ["input.feedback.label", LABELS, ["other", 0, null, MISSING]],
  ["input.feedback.note", /^a text or null$/, [5, {}, [], false, MISSING]],
  ["input.messages", /^a list of messages$/, ["hello", {}, null]],
  ["input.messages", /^one message or more; left out where none is known$/, [[]]],
  ["expected", OBJECT, NO_OBJECT],
  ["expected.behavior", TEXT, NO_TEXT],
  ["expected.proposalKind", TEXT, ["", 5, null, []]],
  ["expected.actionItems", /^a list of texts$/, ["one", {}, null, MISSING]],
  ["expected.tool", /^a tool's name, or null for no tool$/, ["", 5, []]],
  ["expected.args", OBJECT, [[], null, "{}"]],
  ["expected.policyResult", /^one of allow, approval, deny, schema_failed$/, ["allowed", null]],
  ["expected.forbiddenTools", /^a list of tools' names$/, ["send_email", null]],
  ["context", OBJECT, NO_OBJECT],
  ["context.toolCall", OBJECT, ["x", [], 4, true]],
  ["context.toolCall.result", /^a value$/, [MISSING]],
  ["context.toolCall.error", /^true or false$/, ["false", 0, null, MISSING]],
  ["context.toolCall.cycle", /^a whole number$/, ["0", 0.5, null, true, MISSING]],
  ["context.toolCall.toolCallIndex", /^a whole number$/, ["0", 0.5, null, true, MISSING]],
  ["context.toolCall.latencyMs", /^a whole number or null$/, ["9", 9.5, false, MISSING]],
  ["createdAt", SECONDS, NO_SECONDS],
  ["updatedAt", SECONDS, NO_SECONDS],
  ["createdByAdminId", POSITIVE_OR_NULL, NO_POSITIVE],
];

const RIGHT: [path: string, values: unknown[]][] = [
  ["proposalId", [null, 1]],
  ["toolCallId", [null, 1]],
  ["createdByAdminId", [null, 12]],
  ["status", ["active", "archived"]],
  ["input.args", [null, {}, { constructor: 1, toString: null }]],
  ["input.feedback.note", [null, ""]],
  ["input.messages", [MISSING, [{ role: "user", content: "hello" }]]],
  ["expected.proposalKind", ["tool_arguments", MISSING]],
  ["expected.actionItems", [[], ["one"]]],
  ["expected.tool", [null, "send_email", MISSING]],
  ["expected.args", [{}, MISSING]],
  ["expected.policyResult", ["allow", "approval", "deny", "schema_failed", MISSING]],
  ["expected.forbiddenTools", [[], ["send_email"], MISSING]],
  ["expected.somethingNew", [1]],
  ["somethingNew", [[1]]],
  ["context.toolCall", [null, MISSING]],
  ["context.toolCall.result", [null, false, "text", 0]],
  ["context.toolCall.latencyMs", [null, 0]],
];

const rows = <T extends unknown[]>(table: [string, ...T, unknown[]][]) =>
  table.flatMap((row) => (row.at(-1) as unknown[]).map((value) => ({ path: row[0], row, value })));

describe("a regression case", () => {
  it("has nothing wrong with it when it is whole", () => {
    const record = regressionCase();
    expect(checkRecord(record)).toMatchObject({ faults: [], record: { id: 7, label: "bad_args" } });
  });

  it.each(rows(FAULTY))("is refused with $value as $path", ({ path, row, value }) => {
    const { record, faults } = checkRecord(withField(regressionCase(), path, value));
    expect(record).toBeNull();
    const own = faults.filter((fault) => !/, like (toolName|label)$/.test(fault.expected));
    expect(own).toEqual([
      { path, expected: expect.stringMatching(row[1] as RegExp), actual: expect.any(String) },
    ]);
    if (value === MISSING) expect(own[0]?.actual).toBe("(missing)");
  });

  it.each(rows(RIGHT))("may have $value as $path", ({ path, value }) => {
    expect(faultsOf(withField(regressionCase(), path, value))).toEqual([]);
  });

  it.each([
    ["input.toolName", "update_crm_field", '"send_email", like toolName'],
    ["input.feedback.label", "wrong_tool", '"bad_args", like label'],
  ])("is about one thing: %s", (path, other, expected) => {
    const record = withField(regressionCase(), path, other);
    expect(faultsOf(record)).toEqual([{ path, expected, actual: JSON.stringify(other) }]);
  });

  it("is told of a disagreement also when the other of the two is wrong, but of one fault a field", () => {
    const paths = (record: unknown) => faultsOf(record).map(({ path }) => path);
    expect(paths(regressionCase({ label: "other" }))).toEqual(["label", "input.feedback.label"]);
    const empty = withField(regressionCase(), "input.toolName", "");
    expect(paths(empty)).toEqual(["input.toolName"]);
  });

  it("names the entry of a list that is wrong", () => {
    let record = withField(regressionCase(), "expected.actionItems", ["one", 2]);
    record = withField(record, "expected.forbiddenTools", ["", "x"]);
    record = withField(record, "input.messages", [
      { role: "user", content: "hello" },
      { role: "robot", content: "hello" },
      { role: "user" },
      { role: "assistant", content: "", toolCalls: [{ id: "1", name: "x", arguments: {} }] },
      { role: "tool", content: "{}" },
      { role: "user", content: " \n" },
      { role: "assistant", content: "", toolCalls: [] },
    ]);
    expect(faultsOf(record).map(({ path, actual }) => [path, actual])).toEqual([
      ["input.messages[1].role", '"robot"'],
      ["input.messages[2].content", "(missing)"],
      ["input.messages[3].toolCalls[0].arguments", "{}"],
      ["input.messages[4].toolCallId", "(missing)"],
      ["input.messages[5].content", '" \\n"'],
      ["input.messages[6].content", '""'],
      ["expected.actionItems[1]", "2"],
      ["expected.forbiddenTools[0]", '""'],
    ]);
  });

  it.each<[JsonObject, string[]]>([
    [
      { tool: "send_emial" },
      ['expected.tool: a tool of this version (near: send_email) | "send_emial"'],
    ],
    [
      { tool: "send_email", forbiddenTools: ["send_email", "gone"] },
      [
        'expected.tool: another tool than those that are forbidden here | "send_email"',
        'expected.forbiddenTools[1]: a tool of this version | "gone"',
      ],
    ],
    [{ tool: null, args: {} }, ["expected.args: nothing: no tool may be called here | {}"]],
    [
      { args: { subject: { matches: "(" } } },
      ['expected.args.subject.matches: a regular expression as a text, like "rules|terms" | "("'],
    ],
    [
      { args: { subjekt: "x" } },
      ['expected.args.subjekt: no such field: send_email takes none of this name | "x"'],
    ],
  ])("is told of expectations that are in vain: %j", (change, told) => {
    const { expected } = regressionCase() as { expected: JsonObject }; // of the builder
    const record = regressionCase({ expected: { ...expected, ...change }, title: "" });
    const { faults } = checkRecord(record, knownTools(catalogRegistry()));
    expect(faults.map((one) => `${one.path}: ${one.expected} | ${one.actual}`)).toEqual([
      'title: a text that is not empty | ""',
      ...told,
    ]);
  });

  it("about a tool that is missing cannot want no tool at all", () => {
    const record = withField(regressionCase({ label: "missing_tool" }), "expected.tool", null);
    const paths = faultsOf(withField(record, "input.feedback.label", "missing_tool"));
    expect(paths).toEqual([
      { path: "expected.tool", expected: "the tool that is missing here", actual: "null" },
    ]);
  });

  it("tells everything that is wrong with it", () => {
    let record = regressionCase({ id: 0, createdAt: "today", label: "other" });
    record = withField(record, "input.toolName", "update_crm_field");
    record = withField(record, "context.toolCall.cycle", 1.5);
    const paths = faultsOf(record).map(({ path }) => path);
    expect(paths.toSorted()).toEqual([
      "context.toolCall.cycle",
      "createdAt",
      "id",
      "input.feedback.label",
      "input.toolName",
      "label",
    ]);
  });

  it.each([[[]], [null], [5], ["text"], [true]])("is no %j", (value) => {
    expect(faultsOf(value)).toEqual([
      { path: "(record)", expected: "an object", actual: JSON.stringify(value) },
    ]);
  });

  it("may be any JSON without an exception, and never passes with a field missing", () => {
    const keys = Object.keys(regressionCase());
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.jsonValue(), (key, value) => {
        const faults = faultsOf({ ...regressionCase(), [key]: value });
        expect(faults.every(({ actual }) => actual.length <= 120 * 8)).toBe(true);
        expect(faultsOf(value).length).toBeGreaterThan(0);
        expect(faultsOf(withField(regressionCase(), key, MISSING))).toHaveLength(1);
      }),
    );
  });

  it("is not confused by names that objects have by themselves", () => {
    const text = '{"__proto__":{"id":7},"constructor":3,"hasOwnProperty":1,"status":"toString"}';
    const faults = faultsOf(JSON.parse(text));
    expect(faults.map(({ path }) => path)).toContain("id");
    expect(faults.find(({ path }) => path === "status")?.actual).toBe('"toString"');
  });
});
