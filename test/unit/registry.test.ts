import { describe, expect, it } from "vitest";
import { z } from "zod";
import { RISK_CLASSES } from "../../src/domain/tool.ts";
import { approvalNeed } from "../../src/policy/approval-need.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { SMALL_TOOL } from "../support/small-tool.ts";

function tool(over: object = {}): AnyTool {
  return {
    ...{ name: "read_price", title: "Price", description: SMALL_TOOL },
    ...{ risk: "read_only", sideEffectType: "none", offered: true, staged: false },
    ...{ parameters: z.strictObject({ item: z.string() }), output: z.looseObject({}) },
    isAvailable: () => true,
    run: () => Promise.reject(new Error("not run here")),
    ...over,
  } as unknown as AnyTool; // broken ones, too
}

describe("a tool that lacks part of the contract is refused by name", () => {
  const broken: [string, object][] = [
    ["a name with capitals", { name: "ReadPrice" }],
    ["a name with a dot", { name: "read.price" }],
    ["no description", { description: undefined }],
    ["a description in one text", { description: "Reads a price." }],
    ["B48 no risk class", { risk: undefined }],
    ["no schema", { parameters: { type: "object" } }],
    ["no run", { run: undefined }],
    ["an unknown risk", { risk: "harmless" }],
    ["effects without prepare", { risk: "payment" }],
  ];
  it.each(broken)("%s", (_name, over) => {
    expect(() => createRegistry([tool(over)])).toThrow(/^tool /);
  });

  it.each(Object.keys(SMALL_TOOL))("B42 a description that does not say: %s", (part) => {
    for (const missing of [undefined, "", "  "]) {
      const description = { ...SMALL_TOOL, [part]: missing };
      expect(() => createRegistry([tool({ description })])).toThrow(`does not say: ${part}`);
    }
  });

  const talkative: [string, string][] = [
    ["an address", "asks https://api.example.com for it"],
    ["a path", "asks /v1/payouts for it"],
    ["a variable's name", "works while PAYOUT_SECRET is set"],
    ["a token", "signs with 5f2c9a1be2d34f0c9a1be2d34f0c"],
    ["more than", "very ".repeat(200)],
  ];
  it.each(talkative)("B42 a description that holds %s", (what, limits) => {
    const description = { ...SMALL_TOOL, limits };
    expect(() => createRegistry([tool({ description })])).toThrow(what);
  });

  it("two of one name", () => {
    expect(() => createRegistry([tool(), tool()])).toThrow("registered twice");
  });
});

describe("the registry", () => {
  it("knows exact names only", () => {
    const registry = createRegistry([tool()]);
    expect(registry.find("read_price")?.tool.title).toBe("Price");
    const others = ["constructor", "__proto__", "toString", "Read_Price", " read_price", ""];
    for (const name of others) expect(registry.find(name), name).toBeUndefined();
  });

  it("offers schemas that are closed at every depth", () => {
    const parameters = z.strictObject({
      inner: z.strictObject({ a: z.string() }),
      list: z.array(z.strictObject({ b: z.int() })),
    });
    const schema = createRegistry([tool({ parameters })]).definitionOf("read_price").parameters;
    expect(JSON.stringify(schema).match(/"additionalProperties":false/g)).toHaveLength(3);
    expect(schema).not.toHaveProperty("$schema");
  });

  it("B42 tells a model seven things of a tool, in few lines", () => {
    const { description } = createRegistry([tool()]).definitionOf("read_price");
    expect(description.split("\n").map((line) => line.split(":")[0])).toEqual([
      "A small tool of the tests.",
      ...["Use", "Not", "Needs", "Limits", "Risk", "Returns", "Approval"],
    ]);
  });

  it("B48 tells the risk of every class, and that a person decides where one does", () => {
    const told = RISK_CLASSES.map((risk) => {
      const prepare = async () => ({});
      const { description } = createRegistry([tool({ risk, prepare })]).definitionOf("read_price");
      return description.split("\n").filter((line) => /^(Risk|Approval):/.test(line));
    });
    expect(new Set(told.map(([risk]) => risk)).size).toBe(RISK_CLASSES.length);
    expect(told.filter(([, approval]) => approval === "Approval: none.")).toHaveLength(2);
  });

  it("tells that people approve a call where only the policy says so", () => {
    const registry = createRegistry([tool()]);
    const [first] = defaultPolicies();
    if (!first) throw new Error("no default rules");
    const need = (over: object) => {
      const asking = { ...first, tool_name: "read_price", role: "*", requires_approval: true };
      return approvalNeed({ name: "read_price", risk: "read_only" }, [
        { ...asking, condition_json: {}, ...over },
      ]);
    };
    const told = (over: object) => registry.definitionOf("read_price", need(over)).description;
    expect(told({})).toContain("an operator has to approve each call");
    expect(told({ condition_json: { kyc: "pending" } })).toContain("may have to approve");
    expect(told({ role: "support" })).toContain("may have to approve");
    for (const silent of [{ is_active: false }, { tool_name: "x" }, { requires_approval: false }])
      expect(told(silent)).toContain("Approval: none.");
  });

  it("gives a changed schema another hash, and an equal one the same", () => {
    const hashOf = (over: object) => createRegistry([tool(over)]).find("read_price")?.schemaHash;
    const wider = z.strictObject({ item: z.string(), count: z.int().optional() });
    expect(hashOf({ parameters: wider })).not.toBe(hashOf({}));
    expect(hashOf({ output: z.strictObject({}) })).not.toBe(hashOf({}));
    expect(hashOf({ title: "Another title" })).toBe(hashOf({}));
  });
});
