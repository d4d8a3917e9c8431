import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runQuoteCases } from "../../src/cli/quote-cases.ts";

const HANDED = new URL("../data/quote_cases.json", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "quote-cases-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface CaseFile {
  version: number;
  cases: Record<string, Record<string, unknown>>[];
}

function fileWith(change: (file: CaseFile) => void): string {
  const content: CaseFile = JSON.parse(readFileSync(HANDED, "utf8"));
  change(content);
  return write(JSON.stringify(content));
}

function write(text: string): string {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(path, text);
  return path;
}

function firstCase(file: CaseFile, part: string): Record<string, unknown> {
  const found = file.cases[0]?.[part];
  if (!found) throw new Error(`no ${part}`);
  return found;
}

describe("a file of quote cases", () => {
  it("passes as a whole when it is the published one", () => {
    expect(runQuoteCases(HANDED)).toEqual({ total: 22, passed: 22, failed: [] });
  });

  it("says field by field where a case differs", () => {
    const path = fileWith((file) => {
      firstCase(file, "expect").amountTo = "15601";
    });
    expect(runQuoteCases(path)).toEqual({
      total: 22,
      passed: 21,
      failed: [
        {
          id: "q01",
          title: "crypto, base margin, no fee",
          differences: [{ field: "amountTo", expected: "15601", actual: "15600" }],
        },
      ],
    });
  });

  it("takes 15600.00 and 15600 for one sum", () => {
    const path = fileWith((file) => {
      firstCase(file, "expect").amountTo = "15600.00";
    });
    expect(runQuoteCases(path).failed).toEqual([]);
  });

  it.each<[string, (file: CaseFile) => void, string]>([
    ["an unknown input field", (file) => (firstCase(file, "input").tenant = "x"), "cases.0.input"],
    [
      "an amount as a number",
      (file) => (firstCase(file, "input").amount = 500),
      "cases.0.input.amount",
    ],
    [
      "a rate with an exponent",
      (file) => (firstCase(file, "rate").baseRate = "3e1"),
      "cases.0.rate.baseRate",
    ],
    ["another version", (file) => (file.version = 2), "version"],
    ["no cases", (file) => (file.cases = []), "cases"],
  ])("is refused by file and path for %s", (_, change, path) => {
    const file = fileWith(change);
    expect(() => runQuoteCases(file)).toThrow(`${file}: ${path}: `);
  });

  it("is refused when it is no JSON or not there", () => {
    const broken = write("{");
    expect(() => runQuoteCases(broken)).toThrow(`${broken}: (root): not JSON`);
    expect(() => runQuoteCases("/nowhere.json")).toThrow("/nowhere.json: cannot be read");
  });
});
