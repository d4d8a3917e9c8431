import { describe, expect, it } from "vitest";
import { catalogRegistry } from "../../src/cli/catalog-registry.ts";
import { type Expectation, expectationFaults } from "../../src/quality/expectation-faults.ts";
import { knownTools } from "../../src/quality/known-tools.ts";
import { nearNames } from "../../src/quality/near-names.ts";

const TOOLS = knownTools(catalogRegistry(), ["one_of_ours"]);
const about = (toolName: string | null, expectation: Partial<Expectation>) =>
  expectationFaults({ toolName, ...expectation }, TOOLS).map(
    ({ field, path }) => `${[field, ...path].map(String).join(".")}`,
  );

describe("an expectation that can hold and can fail", () => {
  it.each<Partial<Expectation>>([
    {},
    { tool: null },
    { tool: null, policyResult: "deny" },
    { tool: "send_email", args: { subject: "Rules" } },
    { tool: "send_email", args: { subject: { matches: "rules|terms" } } },
    { tool: "one_of_ours", args: { anything: 1 } },
    { args: { priority: "high" } },
    { args: { title: { matches: "(?:call)+" }, priority: { matches: "^(low|high)$" } } },
    { args: { priority: "soon", send_now: true }, policyResult: "schema_failed" },
    { forbiddenTools: ["create_task_draft", "delete_customer"] },
    { policyResult: "deny", result: { ok: false } },
    { policyResult: "approval", result: { ok: true } },
  ])("has no fault: %j", (expectation) => {
    expect(about("create_task_draft", expectation)).toEqual([]);
  });

  it("may forbid the tool that it is about, of this version or not", () => {
    expect(about("gone_tool", { forbiddenTools: ["gone_tool"] })).toEqual([]);
  });
});

describe("an expectation that can never hold, or never fail", () => {
  it.each<[Partial<Expectation>, string[]]>([
    [{ tool: "send_emial" }, ["tool"]],
    [
      { forbiddenTools: ["send_email", "send_emial", ""] },
      ["forbiddenTools.1", "forbiddenTools.2"],
    ],
    [{ forbiddenTools: ["constructor"] }, ["forbiddenTools.0"]],
    [{ tool: "send_email", forbiddenTools: ["send_email"] }, ["tool"]],
    [{ tool: null, args: {} }, ["args"]],
    [{ args: {}, forbiddenTools: ["create_task_draft"] }, ["args"]],
    [{ args: { matches: "x" } }, ["args"]],
    [{ args: { title: { matches: "(" } } }, ["args.title.matches"]],
    [{ args: { title: { matches: 5 } } }, ["args.title.matches"]],
    [{ args: { titel: "Call" } }, ["args.titel"]],
    [{ args: { titel: { matches: "Call" } } }, ["args.titel"]],
    [{ args: { priority: "soon" } }, ["args.priority"]],
    [{ args: { title: 7 } }, ["args.title"]],
    [{ args: { title: ["Call"] } }, ["args.title"]],
    [{ policyResult: "deny", result: { ok: true } }, ["result.ok"]],
    [{ policyResult: "schema_failed", result: { ok: true } }, ["result.ok"]],
    [{ result: { data: [{ name: { matches: "[" } }] } }, ["result.data.0.name.matches"]],
    [
      { tool: "gone_tool", args: { a: { matches: "(" } }, forbiddenTools: ["other_gone"] },
      ["tool", "forbiddenTools.0", "args.a.matches"],
    ],
  ])("has a fault: %j", (expectation, paths) => {
    expect(about("create_task_draft", expectation)).toEqual(paths);
  });

  it("may be nested without end", () => {
    let deep: Record<string, never> = {};
    for (let depth = 0; depth < 50_000; depth += 1) deep = { a: deep } as never;
    expect(about("create_task_draft", { args: deep })).toEqual(["args"]);
  });

  it("is told without the tools of this version as far as it can be", () => {
    const expectation = { toolName: null, tool: "gone", forbiddenTools: ["gone"], args: { x: 1 } };
    expect(expectationFaults(expectation, null).map(({ field }) => field)).toEqual(["tool"]);
  });
});

it("a name with a slip of the pen is near, another one is not", () => {
  const names = ["send_email", "delete_customer", "issue_exchange_payout"];
  expect(nearNames("sendemail", names)).toEqual(["send_email"]);
  expect(nearNames("Delete_Custommer", names)).toEqual(["delete_customer"]);
  expect(nearNames("tell_a_joke", names)).toEqual([]);
  expect(nearNames("x".repeat(1_000_000), names)).toEqual([]);
});
