import { expect, it } from "vitest";
import { examineConfig } from "../../src/config.ts";

const REAL = { TELEGRAM_BOT_TOKEN: "123456:a-token-of-the-test", OPENAI_API_KEY: "key" };

it("finds nothing wrong where a start would not", () => {
  expect(examineConfig({}).problems).toEqual([]);
  expect(examineConfig(REAL).problems).toEqual([]);
});

it("names every value that does not fit and reads the others", () => {
  const { problems, config } = examineConfig({ PORT: "x", ROLE: "boss", COALESCE_MS: "70" });
  expect(problems.map((line) => line.split(":")[0])).toEqual(["PORT", "ROLE"]);
  expect(config).toMatchObject({ port: 3000, role: "all", coalesceMs: 70 });
});

it("names what is missing beside what does not fit", () => {
  const { problems } = examineConfig({ ...REAL, OPENAI_API_KEY: "", PORT: "x" });
  expect(problems).toEqual([
    expect.stringMatching(/^PORT: got/),
    expect.stringMatching(/^OPENAI_API_KEY: is missing/),
  ]);
});

it("does not take a messenger's token that does not fit for a wish to play", () => {
  const { problems, config } = examineConfig({ ...REAL, TELEGRAM_BOT_TOKEN: "secret-thing" });
  expect(config.sandbox).toBe(false);
  expect(problems).toEqual([expect.stringMatching(/^TELEGRAM_BOT_TOKEN: got a value that does/)]);
});

it("names a mixture of played and real", () => {
  const { problems, config } = examineConfig({ ...REAL, SANDBOX: "on" });
  expect(config.sandbox).toBe(true);
  expect(problems).toEqual([expect.stringMatching(/never mixed/)]);
});
