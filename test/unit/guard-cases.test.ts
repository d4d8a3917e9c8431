import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runGuardCases } from "../../src/cli/guard-cases.ts";

const EXAMPLES = new URL("../data/guard_examples.jsonl", import.meta.url).pathname;

describe("guard cases from a file", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guard-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("gives every handed example the expected verdict", async () => {
    const expected = (await readFile(EXAMPLES, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .map(({ id, expect: verdict }) => ({ id, verdict }));
    const lines: string[] = [];
    const summary = await runGuardCases(EXAMPLES, (line) => lines.push(line));
    const given = lines.map((line) => JSON.parse(line));
    expect(given.map(({ id, verdict }) => ({ id, verdict }))).toEqual(expected);
    expect(summary.total).toBe(expected.length);
  });

  it("names the line that is no JSON", async () => {
    const file = join(folder, "broken.jsonl");
    await writeFile(file, '{"id":"a","reply":"hi"}\n\n{"id":\n');
    await expect(runGuardCases(file, () => {})).rejects.toThrow(
      /broken\.jsonl:3: not a line of JSON/,
    );
  });

  it("names the field that is missing", async () => {
    const file = join(folder, "short.jsonl");
    await writeFile(file, '{"id":"a","lang":"en"}\n');
    await expect(runGuardCases(file, () => {})).rejects.toThrow(/short\.jsonl:1: .*reply/);
  });
});
