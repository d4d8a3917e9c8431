import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalogRegistry } from "../../src/cli/catalog-registry.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { knownTools } from "../../src/quality/known-tools.ts";
import { readCaseLines } from "../../src/quality/regressions/case-lines.ts";
import { junitOf, xml } from "../../src/quality/regressions/junit.ts";
import { markdownOf } from "../../src/quality/regressions/markdown.ts";
import { makeReport, summaryLine } from "../../src/quality/regressions/report.ts";
import { runRegressions } from "../../src/quality/regressions/run.ts";
import { caseAbout, jsonl, regressionCase } from "../support/regression-case.ts";

const NOW = Date.UTC(2026, 0, 5, 12, 30, 0, 250);

async function reportOf(
  records: JsonObject[],
  changes: { includeArchived?: boolean; skipUnsupported?: boolean; limit?: number } = {},
) {
  const { includeArchived = false, skipUnsupported = false, limit = null } = changes;
  const tools = ["send_email"];
  const flags = { includeArchived, skipUnsupported };
  const options = { tools: new Set(tools), known: knownTools(catalogRegistry()), ...flags };
  const results = await runRegressions({ lines: readCaseLines(jsonl(...records)), options });
  const metadata = { source: "cases.jsonl", status: null, limit, tools, flags, version: "1.2.3" };
  return makeReport({ now: NOW, metadata, notes: [], results });
}

const MIXED = [
  regressionCase(),
  regressionCase({ id: 8, title: "", createdAt: 0 }),
  regressionCase({ id: 9, status: "archived" }),
  caseAbout("delete_customer", { id: 10 }),
];

describe("the summary", () => {
  it("counts a tool that is not allowed among the failed", async () => {
    const { generatedAt, summary, metadata, results } = await reportOf(MIXED);
    expect(generatedAt).toBe("2026-01-05T12:30:00.250Z");
    expect(metadata).toMatchObject({ source: "cases.jsonl", version: "1.2.3" });
    expect(results).toHaveLength(4);
    expect(summary).toEqual({
      total: 4,
      passed: 1,
      failed: 2,
      skipped: 1,
      active: 3,
      archived: 1,
      unsupported: 1,
      skipReasons: { archived: 1 },
    });
  });

  it("counts it among the skipped when it is skipped", async () => {
    const { summary } = await reportOf(MIXED, { skipUnsupported: true });
    expect(summary).toMatchObject({
      failed: 1,
      skipped: 2,
      unsupported: 1,
      skipReasons: { archived: 1, unsupported_tool: 1 },
    });
    expect(summaryLine(summary)).toBe(
      "4 cases: 1 passed, 1 failed, 2 skipped (archived 1, unsupported_tool 1)",
    );
  });

  it("counts archived cases also when they were looked at", async () => {
    const { summary } = await reportOf(MIXED, { includeArchived: true });
    expect(summary).toMatchObject({ passed: 2, skipped: 0, archived: 1, skipReasons: {} });
  });

  it("says that there is none, that none was looked at, that there may be more", async () => {
    const none = await reportOf([]);
    expect([summaryLine(none.summary), none.notes]).toEqual(["no cases", []]);
    const archived = await reportOf([regressionCase({ status: "archived" })]);
    expect(archived.notes).toEqual([expect.stringContaining("--include-archived")]);
    const foreign = await reportOf([caseAbout("delete_customer")], { skipUnsupported: true });
    expect(foreign.notes).toEqual([expect.stringContaining("--tools")]);
    const full = await reportOf([regressionCase()], { limit: 1 });
    expect(full.notes).toEqual([expect.stringContaining("--limit")]);
    expect((await reportOf([regressionCase()], { limit: 2 })).notes).toEqual([]);
  });
});

describe("JUnit", () => {
  it("has one testcase a case, with the failure or the reason for the skip", async () => {
    const elements = parseXml(junitOf(await reportOf(MIXED)));
    const counts = { tests: "4", failures: "2", errors: "0", skipped: "1" };
    expect(elements[0]).toMatchObject({ name: "testsuites", attributes: counts });
    expect(elements[1]).toMatchObject({
      name: "testsuite",
      attributes: { ...counts, timestamp: "2026-01-05T12:30:00" },
    });
    expect(elements.slice(2).map(({ name, attributes }) => [name, attributes.name ?? ""])).toEqual([
      ["testcase", "REG-7 A letter without a subject (line 1)"],
      ["testcase", "REG-8  (line 2)"],
      ["failure", ""],
      ["testcase", "REG-9 A letter without a subject (line 3)"],
      ["skipped", ""],
      ["testcase", "REG-10 A letter without a subject (line 4)"],
      ["failure", ""],
    ]);
    expect(elements[4]?.text.split("\n")).toEqual([
      expect.stringContaining("path title: expected a text that is not empty"),
      expect.stringContaining("path createdAt: expected positive epoch seconds"),
    ]);
    expect(elements[6]?.attributes.message).toBe("archived");
  });

  it("is XML whatever a case holds", async () => {
    const title = `<b>"&'\u0000\u001B[31m]]>\uFFFF\uD800`;
    const record = caseAbout('a"><x>&', { title, label: title });
    const elements = parseXml(junitOf(await reportOf([record])));
    expect(elements.map(({ name }) => name)).toEqual([
      "testsuites",
      "testsuite",
      "testcase",
      "failure",
    ]);
    expect(elements[2]?.attributes.classname).toBe('tool-call-regressions.a"><x>&');
    expect(elements[2]?.attributes.name).toContain(`<b>"&'\\u{0}\\u{1b}[31m]]>`);
  });

  it("escapes every text so that it can be read again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const [element] = parseXml(`<a b="${xml(text)}">${xml(text)}</a>`);
        const kept = text.replace(/[^\t\n\r\u{20}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
        expect(element).toEqual({ name: "a", attributes: { b: kept }, text: kept });
      }),
    );
  });
});

describe("Markdown", () => {
  it("has the totals and what failed", async () => {
    const lines = markdownOf(await reportOf(MIXED)).split("\n");
    expect(lines).toContain("| 4 | 1 | 2 | 1 | 3 | 1 | 1 |");
    expect(lines).toContain('| 2 | 8 | send_email | title | a text that is not empty | "" |');
    expect(lines).toContain(
      '| 4 | 10 | delete_customer | toolName | one of send_email | "delete_customer" |',
    );
  });

  it("has no table of failed cases when none failed", async () => {
    const text = markdownOf(await reportOf([regressionCase()]));
    expect(text).toContain("1 passed, 0 failed");
    expect(text).not.toContain("### Failed");
  });

  it("lets no text of a case become a cell, a line or markup", async () => {
    const label = "a|b\n| c\r\n![x](https://evil.test/x.png) <img> `@team` *b* www.evil.test";
    const report = await reportOf([regressionCase({ label })]);
    const row = markdownOf(report)
      .split("\n")
      .find((line) => line.includes("| label |"));
    expect(row).toContain("a\\|b\\\\n\\| c\\\\r\\\\n");
    expect(row).toContain(
      "\\!\\[x\\](https\\://evil.test/x.png) &lt;img&gt; \\`\\@team\\` \\*b\\*",
    );
    expect(row).toContain("www\\.evil.test");
    expect(row?.match(/(?<!\\)\|/g)).toHaveLength(7);
  });

  it("stays far below what a CI summary takes, and says what it leaves out", async () => {
    const label = "😀|".repeat(10_000);
    const many = Array.from({ length: 400 }, (_, at) => regressionCase({ id: at + 1, label }));
    const report = await reportOf(many);
    const text = markdownOf(report);
    const faults = report.results.flatMap((result) => result.faults).length;
    expect(
      text.split("\n").filter((line) => /^\| \d+ \| \d+ \| send_email/.test(line)),
    ).toHaveLength(100);
    expect(text).toContain(`${faults - 100} more faults are left out`);
    expect(Buffer.byteLength(text)).toBeLessThan(512 * 1024);
  });
});

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
}

const TOKEN =
  /<\?xml [^<>]*\?>|<\/([\w-]+)>|<([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>|((?:[^<>&]|&(?:amp|lt|gt|quot|apos);)+)/uy;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what XML 1.0 forbids
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF\p{Cs}]/u;

/** Elements in the order they open. Throws unless the text is well-formed. */
function parseXml(text: string): Element[] {
  if (FORBIDDEN.test(text)) throw new Error("a character that XML cannot hold");
  const elements: Element[] = [];
  const open: Element[] = [];
  for (const [, closes, opens, attributes = "", isEmpty, content = ""] of tokensOf(text)) {
    if (closes && open.pop()?.name !== closes) throw new Error(`</${closes}> closes nothing`);
    const holder = open.at(-1);
    if (holder) holder.text += unescaped(content);
    if (!opens) continue;
    const element = { name: opens, attributes: attributesIn(attributes), text: "" };
    elements.push(element);
    if (!isEmpty) open.push(element);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.name}> is not closed`);
  return elements;
}

function tokensOf(text: string): RegExpExecArray[] {
  const tokens: RegExpExecArray[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new Error(`no XML at ${at}: ${text.slice(at, at + 60)}`);
    tokens.push(found);
  }
  return tokens;
}

function attributesIn(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w-]+)="([^"]*)"/g)];
  for (const [, , value = ""] of pairs)
    if (/&(?!(amp|lt|gt|quot|apos);)/.test(value)) throw new Error(`a bare & in ${value}`);
  return Object.fromEntries(pairs.map(([, name, value = ""]) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  const chars: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replace(/&(\w+);/g, (_whole, name: string) => chars[name] ?? "");
}
