import { type Fault, oneLine } from "./fault.ts";
import { type RegressionReport, summaryLine } from "./report.ts";

/** A CI summary takes 1 MiB; a hundred rows of short texts stay far below. */
const MOST_ROWS = 100;
const CELL_LENGTH = 200;

/** For a CI's summary page: totals and what failed. */
export function markdownOf(report: RegressionReport): string {
  const { summary, metadata, notes, generatedAt } = report;
  const faults = report.results.flatMap((result) => result.faults);
  return [
    "## Tool call regressions",
    "",
    `${summary.failed > 0 ? "❌" : "✅"} ${summaryLine(summary)}`,
    "",
    "| total | passed | failed | skipped | active | archived | unsupported |",
    "|---:|---:|---:|---:|---:|---:|---:|",
    row(
      [summary.total, summary.passed, summary.failed, summary.skipped],
      [summary.active, summary.archived, summary.unsupported],
    ),
    "",
    ...notes.map((note) => `> ${plain(note)}\n`),
    ...failedTable(faults),
    `Source: ${plain(metadata.source)}, version ${plain(metadata.version)}, ${generatedAt}`,
    "",
  ].join("\n");
}

function failedTable(faults: readonly Fault[]): string[] {
  if (faults.length === 0) return [];
  const left = faults.length - MOST_ROWS;
  return [
    "### Failed",
    "",
    "| line | case | tool | path | expected | actual |",
    "|---:|---:|---|---|---|---|",
    ...faults
      .slice(0, MOST_ROWS)
      .map((fault) =>
        row(
          [fault.line, fault.case ?? "?", fault.tool ?? "?"],
          [fault.path, fault.expected, fault.actual],
        ),
      ),
    "",
    ...(left > 0 ? [`${left} more faults are left out here; the JSON report has them all.\n`] : []),
  ];
}

function row(...cells: (string | number)[][]): string {
  return `| ${cells
    .flat()
    .map((cell) => plain(String(cell)))
    .join(" | ")} |`;
}

/** Texts of clients are in it: no markup, no link, no image and no cell may come of them. */
function plain(text: string): string {
  return oneLine(text, CELL_LENGTH)
    .replace(/[\\`*[\]|~#!@]/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/:(?=\/\/)|(?<=www)\./gi, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
}
