import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY, runProgram } from "../support/process.ts";

const CASES = join(REPOSITORY, "test/data");
const shell = (...args: string[]) => runProgram("cli.ts", args, { env: {}, cwd: tmpdir() });

it("computes every handed quote as expected", async () => {
  const { code, out } = await shell("quote", "--cases", join(CASES, "quote_cases.json"));
  const report = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "");
  expect(report.failed).toEqual([]);
  expect(report.passed).toBe(report.total);
  expect(code).toBe(0);
});

it("gives a verdict on every handed reply", async () => {
  const { code, out } = await shell("guard", "--cases", join(CASES, "guard_examples.jsonl"));
  const verdicts = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).verdict);
  expect(new Set(verdicts)).toEqual(new Set(["pass", "block"]));
  expect(code).toBe(0);
});

it.each(["sandbox", "kb"])("explains %s --help", async (name) => {
  const { code, out, err } = await shell(name, "--help");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`npm run ${name}`);
});

it.each([
  ["an unknown command", ["nonsense"]],
  ["an unknown option", ["quote", "--case", "x"]],
])("ends with 2 and one line on %s", async (_what, args) => {
  const { code, out, err } = await shell(...args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err.trimEnd().split("\n")).toEqual([expect.stringMatching(/usage: npm run/)]);
});

it("names a file of cases that is not there, in one line", async () => {
  const { code, err } = await shell("quote", "--cases", "/nowhere/cases.json");
  expect(code).not.toBe(0);
  expect(err.trimEnd().split("\n")).toEqual([expect.stringContaining("/nowhere/cases.json")]);
});
