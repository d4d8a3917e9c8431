import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { AnyTool } from "../../src/tools/contract.ts";
import { createRegistry } from "../../src/tools/registry.ts";

function tool(over: object = {}): AnyTool {
  return {
    ...{ name: "read_price", title: "Price", description: "Reads a price; a tool of this test." },
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
    ["no description", { description: "short" }],
    ["no schema", { parameters: { type: "object" } }],
    ["no run", { run: undefined }],
    ["an unknown risk", { risk: "harmless" }],
    ["effects without prepare", { risk: "payment" }],
  ];
  it.each(broken)("%s", (_name, over) => {
    expect(() => createRegistry([tool(over)])).toThrow(/^tool /);
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

  it("gives a changed schema another hash, and an equal one the same", () => {
    const hashOf = (over: object) => createRegistry([tool(over)]).find("read_price")?.schemaHash;
    const wider = z.strictObject({ item: z.string(), count: z.int().optional() });
    expect(hashOf({ parameters: wider })).not.toBe(hashOf({}));
    expect(hashOf({ output: z.strictObject({}) })).not.toBe(hashOf({}));
    expect(hashOf({ title: "Another title" })).toBe(hashOf({}));
  });
});
