import { faultLine } from "./fault.ts";
import type { RegressionReport } from "./report.ts";
import type { CaseResult } from "./run.ts";

const SUITE = "tool-call-regressions";

/** JUnit XML, one testcase a case. */
export function junitOf({ generatedAt, summary, results }: RegressionReport): string {
  const { total, failed, skipped } = summary;
  const counts = `tests="${total}" failures="${failed}" errors="0" skipped="${skipped}" time="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${SUITE}" ${counts}>`,
    // of the schema: no zone and no fractions
    `  <testsuite name="${SUITE}" ${counts} timestamp="${generatedAt.slice(0, 19)}">`,
    ...results.flatMap(testcaseOf),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testcaseOf(result: CaseResult): string[] {
  const { id, line, tool, title, reason, faults } = result;
  const name = `${id === null ? "(no id)" : `REG-${id}`} ${title ?? "(no title)"} (line ${line})`;
  const className = `${SUITE}.${tool || "unknown"}`;
  const open = `    <testcase classname="${xml(className)}" name="${xml(name)}" time="0"`;
  if (result.status === "passed") return [`${open}/>`];
  const inner =
    result.status === "skipped"
      ? `<skipped message="${xml(reason ?? "skipped")}"/>`
      : failureOf(faults.map(faultLine));
  return [`${open}>`, `      ${inner}`, "    </testcase>"];
}

function failureOf(lines: string[]): string {
  const [first = "failed"] = lines;
  return `<failure type="regression" message="${xml(first)}">${xml(lines.join("\n"))}</failure>`;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** What XML 1.0 cannot hold, not even escaped: controls, lone surrogates, U+FFFE, U+FFFF. */
const NO_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** For text and for attributes. */
export function xml(text: string): string {
  return text.replace(NO_XML, "\uFFFD").replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
