import { xml } from "../regressions/junit.ts";
import type { EvalReport, EvalResult } from "./run-cases.ts";

const SUITE = "tool-evals";

/** JUnit XML, one testcase a case. */
export function junitOf({ generated_at, total, failed, results }: EvalReport): string {
  const seconds = results.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  const counts = `tests="${total}" failures="${failed}" errors="0" time="${seconds.toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${SUITE}" ${counts}>`,
    // of the schema: no zone and no fractions
    `  <testsuite name="${SUITE}" ${counts} skipped="0" timestamp="${generated_at.slice(0, 19)}">`,
    ...results.flatMap(testcaseOf),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testcaseOf({ case_name, source, passed, failure_reason, ms }: EvalResult): string[] {
  const open = `    <testcase classname="${xml(`${SUITE}.${source}`)}" name="${xml(case_name)}" time="${(ms / 1000).toFixed(3)}"`;
  if (passed) return [`${open}/>`];
  const reason = xml(failure_reason ?? "failed");
  const failure = `      <failure type="eval" message="${reason}">${reason}</failure>`;
  return [`${open}>`, failure, "    </testcase>"];
}

/** For a CI's summary page: totals and what failed. */
export function markdownOf(report: EvalReport): string {
  const failed = report.results.filter(({ passed }) => !passed);
  const table = failed.map(
    ({ case_name, expected_tool, actual_tool, failure_reason }) =>
      `| ${[case_name, expected_tool ?? "none", actual_tool ?? "none", failure_reason ?? ""].map(cell).join(" | ")} |`,
  );
  return [
    "## Tool evals",
    "",
    `${failed.length > 0 ? "❌" : "✅"} ${cell(summaryLine(report))}`,
    "",
    ...(table.length > 0
      ? ["| case | expected | actual | why |", "|---|---|---|---|", ...table, ""]
      : []),
  ].join("\n");
}

/** The last line for a person. */
export function summaryLine(report: EvalReport): string {
  const { total, passed, failed, forbidden, model_id, agent_version } = report;
  const refused =
    forbidden > 0
      ? `; a forbidden tool was called in ${forbidden}: this model is not fit for release`
      : "";
  return `${total} cases: ${passed} passed, ${failed} failed${refused} (model ${model_id}, version ${agent_version})`;
}

const CELL_LENGTH = 400;

/** Texts of models are in it: no markup may come of them. */
function cell(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .slice(0, CELL_LENGTH)
    .replace(/[\\`*_[\]|~#!<>&]/g, "\\$&");
}
