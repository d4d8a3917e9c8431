import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../support/process.ts";
import { jsonl, regressionCase } from "../support/regression-case.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-regression-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (name: string) => join(folder, name);
const linesOf = (text: string) => text.trimEnd().split("\n");

function runFile(content: string, ...args: string[]) {
  writeFileSync(inFolder("cases.jsonl"), content);
  return runProgram("cli.ts", ["quality:tool-regressions", "--file", "cases.jsonl", ...args], {
    cwd: folder,
  });
}

const right = regressionCase();
const wrong = regressionCase({ id: 8, title: "", createdAt: "1764500000" });
const archived = regressionCase({ id: 9, status: "archived" });

describe("a file, chosen from", () => {
  const content = jsonl(right, { ...archived, title: 5 }, regressionCase({ id: 10 }), wrong);

  it("--status leaves out what the bot would not send, and --limit the rest", async () => {
    const active = await runFile(content, "--status", "active", "--limit", "2", "--json");
    expect(active.code).toBe(0);
    expect(JSON.parse(active.out)).toMatchObject({
      metadata: { source: "cases.jsonl", status: "active", limit: 2 },
      summary: { total: 2, passed: 2, archived: 0 },
    });
    expect(active.err).toContain("the limit of 2 cases was reached");
    const old = await runFile(content, "--status", "archived");
    expect(linesOf(old.out)).toEqual([
      expect.stringContaining("line 2, case 9, tool send_email, path title"),
      "1 cases: 0 passed, 1 failed, 0 skipped",
    ]);
  });

  it.each([
    ["--limit", "abc", /^--limit: wants a whole number from 1 to 5000; usage/],
    ["--limit", "0", /^--limit: wants a whole number from 1 to 5000; usage/],
    ["--status", "foo", /^--status: wants one of active, archived, all; usage/],
  ])("%s %s is bad usage", async (flag, value, told) => {
    const { code, out, err } = await runFile(content, flag, value);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(linesOf(err)).toEqual([expect.stringMatching(told)]);
  });

  it("fails expectations that can never hold or fail, without a replay", async () => {
    const expected = {
      ...{ behavior: "…", actionItems: [], tool: "send_email" },
      ...{
        args: { subject: { matches: "(" }, copy: "x" },
        forbiddenTools: ["send_email", "send_emai"],
      },
    };
    const twice = jsonl(regressionCase({ expected })).replace('"id":7', '"id":6,"id":7');
    const { code, out } = await runFile(twice);
    expect(code).toBe(1);
    const place = "FAIL line 1, case 7, tool send_email, path";
    expect(linesOf(out)).toEqual([
      `${place} id: expected the field once, actual more than once`,
      `${place} expected.tool: expected another tool than those that are forbidden here, actual "send_email"`,
      `${place} expected.forbiddenTools[1]: expected a tool of this version (near: send_email), actual "send_emai"`,
      `${place} expected.args.subject.matches: expected a regular expression as a text, like "rules|terms", actual "("`,
      `${place} expected.args.copy: expected no such field: send_email takes none of this name, actual "x"`,
      "1 cases: 0 passed, 1 failed, 0 skipped",
    ]);
  });
});

describe("reports", () => {
  it.each([
    [
      "taken/report.md",
      /^--out-md: taken\/report\.md cannot be written: \S+\/taken is no folder; usage/,
    ],
    ["taken/x/report.md", /^--out-md: .* there is no folder \S+\/taken\/x; make it first; usage/],
    ["repotrs/x/report.md", /^--out-md: .* there is no folder \S+\/repotrs\/x; make it first/],
    [".", /^--out-md: \. cannot be written: it is a folder/],
  ])("that have no place end in one line with 2, before a case is looked at: %s", async (...of) => {
    const [file, told] = of;
    writeFileSync(inFolder("taken"), "");
    const { code, out, err } = await runFile(jsonl(wrong), "--out-md", file);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(linesOf(err)).toEqual([expect.stringMatching(told)]);
    expect(readdirSync(folder).toSorted()).toEqual(["cases.jsonl", "taken"]);
  });
});
