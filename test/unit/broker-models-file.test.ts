import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { StartError } from "../../src/domain/errors.ts";
import { examineModelsFile, parseModelsFile } from "../../src/model/broker/models-file.ts";

const fast = { name: "fast", base_url: "https://a.test/v1/", model: "m", api_key_ref: "A_KEY" };
const file = (...models: unknown[]) => JSON.stringify({ models });
const problems = (...models: unknown[]) => examineModelsFile(file(...models), "m.json").problems;

describe("a models file", () => {
  it("holds what INTERFACES names, and the rest has usual values", () => {
    const full = { ...fast, weight: 0.5, parallel: 4, price_in: 0.15, price_out: "0.60" };
    expect(parseModelsFile(file({ ...full, params: { temperature: 0 } }), "m.json")).toEqual([
      {
        ...{ name: "fast", baseUrl: "https://a.test/v1", model: "m", apiKeyRef: "A_KEY" },
        ...{ enabled: true, weight: 0.5, parallel: 4, price: { input: "0.15", output: "0.6" } },
        ...{ params: { temperature: 0 }, paramsWithTools: {}, timeoutMs: 60_000 },
        capabilities: { tools: true, streaming: true, jsonSchema: true },
      },
    ]);
    expect(parseModelsFile(file(fast), "m.json")).toMatchObject([
      { weight: 0, parallel: null, price: null },
    ]);
  });

  it("of the examples is taken as it is", () => {
    const text = readFileSync(new URL("../../examples/models.json", import.meta.url), "utf8");
    const names = parseModelsFile(text, "models.json").map(({ name }) => name);
    expect(names).toEqual(["openai", "openrouter", "ollama", "vllm"]);
  });

  it("takes a price that JavaScript writes with an exponent", () => {
    const [model] = parseModelsFile(file({ ...fast, price_in: 1e-7, price_out: 0 }), "m.json");
    expect(model?.price).toEqual({ input: "0.0000001", output: "0" });
  });

  it.each([
    [{ weight: -1 }, "weight: wants a number from 0"],
    [{ weight: "1" }, "weight: wants a number from 0"],
    [{ parallel: 0 }, "parallel: wants a whole number from 1"],
    [{ base_url: "ftp://a.test" }, "base_url: wants an http(s) address"],
    [{ base_url: "https://u:p@a.test/v1" }, "base_url: wants an http(s) address"],
    [{ base_url: "https://a.test/v1#" }, "base_url: wants an http(s) address"],
    [{ base_url: "https://a.test/v1?" }, "base_url: wants an http(s) address"],
    [{ base_url: "https://a.test/v1 " }, "base_url: wants an http(s) address"],
    [{ base_url: "https://a.test/v 1" }, "base_url: wants an http(s) address"],
    [{ base_url: "https://a.test/v1\n/x" }, "base_url: wants an http(s) address"],
    [{ base_url: "https://a.test/v1/chat/completions/" }, "leave /chat/completions away"],
    [{ base_url: undefined }, "base_url: is missing, wants an http(s) address"],
    [{ price_in: 1 }, "price_out: is missing, wants USD"],
    [{ price_in: "1e5", price_out: 1 }, "price_in: wants USD"],
    [{ params: { messages: [] } }, "params: wants an object of request fields"],
    [{ params: { api_key: "x" } }, "params: wants an object of request fields"],
    [{ params_with_tools: [] }, "params_with_tools: wants an object"],
    [{ capabilities: { tools: "yes" } }, "capabilities.tools: wants an object of tools"],
    [{ capabilities: { vision: true } }, 'capabilities: does not know "vision"'],
    [{ wieght: 1 }, 'does not know "wieght"; see docs/models.md'],
    [{ timeout_ms: 5 }, "timeout_ms: wants whole milliseconds"],
  ])("with %j is refused by file, model and path", (over, words) => {
    const [problem] = problems({ ...fast, ...over });
    expect(problem).toMatch(/^m\.json: model "fast": /);
    expect(problem).toContain(words);
  });

  it("shows no key that stands where its name belongs", () => {
    const [problem] = problems({ ...fast, api_key_ref: "sk-proj-very-secret" });
    expect(problem).toContain('model "fast": api_key_ref: wants the name of an environment');
    expect(problem).not.toMatch(/sk-proj|very-secret/);
  });

  const secret = "sk-proj-4eC39HqLyjWDarjtT1zdp7dc";

  it.each([
    secret,
    `\n\n  ${secret}`,
    `{"models":[{"api_key_ref":"${secret}}]}`,
    `{"models":[{"name":${secret}}]}`,
  ])("of something else is refused by the place, and quoted nowhere: %j", (text) => {
    const [problem] = examineModelsFile(text, "m.json").problems;
    expect(problem).toMatch(/^m\.json: is no JSON: look at line \d+, column \d+$/);
  });

  it("tells the line and the column where it stops being JSON", () => {
    const text = '{\n  "models": [\n    {"name": "a",}\n  ]\n}';
    const [problem] = examineModelsFile(text, "m.json").problems;
    expect(problem).toBe("m.json: is no JSON: look at line 3, column 18");
  });

  it("may begin with a byte order mark", () => {
    expect(parseModelsFile(`\uFEFF${file(fast)}`, "m.json")).toHaveLength(1);
  });

  it.each([
    [{ name: secret }],
    [{ name: secret, weight: -1 }],
    [{ [secret]: true }],
    [{ capabilities: { [secret]: true } }],
    [{ base_url: secret }],
    [{ params: { api_key: secret } }],
  ])("shows a key in no wrong place: %j", (over) => {
    const shown = problems({ ...fast, ...over }).join("\n");
    expect(shown).toMatch(/^m\.json: /);
    expect(shown).not.toContain("4eC39HqLyjWDarjtT1zdp7dc");
  });

  it("has version 1, where it names one", () => {
    const versioned = (version: unknown) =>
      examineModelsFile(JSON.stringify({ version, models: [fast] }), "m.json").problems;
    expect(versioned(1)).toEqual([]);
    expect(versioned(2)).toEqual(["m.json: version: found 2, expected 1"]);
    expect(versioned("1")).toEqual(["m.json: version: found something else, expected 1"]);
    expect(versioned(null)).toEqual(["m.json: version: found something else, expected 1"]);
  });

  it("calls a model without a name by its place", () => {
    expect(problems(fast, { ...fast, name: "" })[0]).toMatch(/^m\.json: models\[1\]: name: wants/);
  });

  it.each([
    ["{", "is no JSON"],
    ["[]", 'wants an object like {"models":[…]}'],
    ["{}", "models: is missing, wants a list of at least one model"],
    ['{"models":[]}', "models: wants a list of at least one model"],
    [file(fast, fast), 'model "fast": name: stands twice'],
  ])("%s is refused", (text, words) => {
    expect(examineModelsFile(text, "m.json").problems[0]).toContain(words);
  });

  it("stops a start with one line, however much is wrong", () => {
    const bad = { ...fast, weight: -1, parallel: 0, timeout_ms: 0, enabled: 1 };
    expect(() => parseModelsFile(file(bad), "m.json")).toThrow(StartError);
    expect(() => parseModelsFile(file(bad), "m.json")).toThrow(/^[^\n]*; and 1 more$/);
  });
});
