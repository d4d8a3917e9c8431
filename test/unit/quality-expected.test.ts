import { describe, expect, it } from "vitest";
import type { ActionableLabel } from "../../src/domain/feedback.ts";
import { expectedOf, type GivenExpectation, toolOfCase } from "../../src/quality/expected.ts";

describe("what is expected when the reviewer says nothing", () => {
  it.each<[ActionableLabel, GivenExpectation, object]>([
    [
      "wrong_tool",
      {},
      {
        ...{ behavior: "a is not called here", proposalKind: "tool_selection" },
        forbiddenTools: ["a"],
      },
    ],
    [
      "missing_tool",
      { tool: "b" },
      { behavior: "b is called here", proposalKind: "tool_coverage", tool: "b" },
    ],
    [
      "bad_args",
      {},
      {
        ...{ behavior: "the arguments of a are refused or differ", proposalKind: "tool_arguments" },
        policyResult: "schema_failed",
      },
    ],
  ])("of %s %j", (label, given, expected) => {
    expect(expectedOf(label, "a", given)).toEqual({ ...expected, actionItems: [] });
  });
});

describe("what the reviewer says", () => {
  it.each<[ActionableLabel, GivenExpectation, object]>([
    [
      "bad_args",
      { args: { sum: "1" } },
      {
        behavior: "a is called with the arguments that are given here",
        args: { sum: "1" },
      },
    ],
    ["bad_args", { tool: "b" }, { behavior: "b is called here, not a", tool: "b" }],
    [
      "bad_args",
      { tool: "b", args: { sum: "1" } },
      {
        behavior: "b is called with the arguments that are given here",
        ...{ tool: "b", args: { sum: "1" } },
      },
    ],
    ["bad_args", { tool: null }, { behavior: "no tool is called here", tool: null }],
    [
      "bad_args",
      { tool: "a" },
      {
        behavior: "the arguments of a are refused or differ",
        ...{ tool: "a", policyResult: "schema_failed" },
      },
    ],
    [
      "bad_args",
      { policyResult: "deny" },
      { behavior: "a with these arguments comes out as deny", policyResult: "deny" },
    ],
    [
      "wrong_tool",
      { tool: "b" },
      { behavior: "b is called here, not a", tool: "b", forbiddenTools: ["a"] },
    ],
    [
      "wrong_tool",
      { tool: null },
      { behavior: "no tool is called here", tool: null, forbiddenTools: ["a"] },
    ],
    [
      "wrong_tool",
      { forbiddenTools: [], tool: "a" },
      { behavior: "a is called here, not a", tool: "a", forbiddenTools: [] },
    ],
    [
      "missing_tool",
      { tool: "b", behavior: "offers a call", actionItems: ["say when"] },
      { behavior: "offers a call", tool: "b", actionItems: ["say when"] },
    ],
  ])("of %s: %j", (label, given, expected) => {
    const { proposalKind: _kind, ...rest } = expectedOf(label, "a", given);
    expect(rest).toEqual({ actionItems: [], ...expected });
  });

  it("may not contradict itself", () => {
    expect(() => expectedOf("wrong_tool", "a", { tool: "a" })).toThrow(
      expect.objectContaining({ code: "unprocessable", path: "expected_tool" }),
    );
    expect(() => expectedOf("bad_args", "a", { tool: "b", forbiddenTools: ["b"] })).toThrow(
      "expected_tool: wants another tool than those that are forbidden here",
    );
  });
});

describe("expected arguments", () => {
  it.each<[ActionableLabel, GivenExpectation, string]>([
    ["bad_args", { tool: null, args: {} }, "expected_args"],
    ["bad_args", { forbiddenTools: ["a"], args: {} }, "expected_args"],
    ["wrong_tool", { args: { sum: "1" } }, "expected_args"],
    ["bad_args", { args: { matches: "x" } }, "expected_args"],
    ["bad_args", { args: { sum: { matches: "(" } } }, "expected_args.sum.matches"],
    ["bad_args", { args: { of: [{ sum: { matches: 5 } }] } }, "expected_args.of.0.sum.matches"],
  ])("of %s as %j are refused by %s", (label, given, path) => {
    expect(() => expectedOf(label, "a", given)).toThrow(
      expect.objectContaining({ code: "unprocessable", path }),
    );
  });

  it("may hold expressions, and objects that have a field of that name among others", () => {
    const args = { sum: { matches: "^1" }, of: { matches: "(", more: 1 } };
    expect(expectedOf("bad_args", "a", { args })).toMatchObject({ args });
  });
});

describe("the tool that a case is about", () => {
  it.each<[ActionableLabel, string | null, Parameters<typeof toolOfCase>[2], string]>([
    ["wrong_tool", "a", {}, "a"],
    ["wrong_tool", "a", { toolName: "a", expectedTool: "b" }, "a"],
    ["missing_tool", "a", { expectedTool: "b" }, "a"],
    ["missing_tool", null, { expectedTool: "b" }, "b"],
    ["bad_args", null, { toolName: "c" }, "c"],
  ])("of %s on %s with %j is %s", (label, called, given, tool) => {
    expect(toolOfCase(label, called, given)).toBe(tool);
  });

  it.each<[ActionableLabel, string | null, Parameters<typeof toolOfCase>[2], string]>([
    ["missing_tool", "a", {}, "expected_tool"],
    ["missing_tool", null, { expectedTool: null }, "expected_tool"],
    ["missing_tool", null, { expectedTool: "b", toolName: "c" }, "tool_name"],
    ["wrong_tool", "a", { toolName: "b" }, "tool_name"],
    ["wrong_tool", null, { expectedTool: "b" }, "tool_name"],
  ])("of %s on %s with %j cannot be told: %s", (label, called, given, path) => {
    expect(() => toolOfCase(label, called, given)).toThrow(
      expect.objectContaining({ code: "unprocessable", path }),
    );
  });
});
