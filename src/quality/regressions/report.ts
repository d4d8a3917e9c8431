import { type CaseResult, isUnsupported, type SkipReason } from "./run.ts";

/** Figures of a run. `unsupported`: looked at, with a tool that is not allowed, failed or skipped. */
export interface Summary {
  total: number;
  passed: number;
  failed: number;
  skipped: number;
  active: number;
  archived: number;
  unsupported: number;
  /** Only reasons that occurred. */
  skipReasons: Partial<Record<SkipReason, number>>;
}

/** Where the cases come from and how they were looked at; holds no token. */
export interface Metadata {
  /** A file, or the address that was asked. */
  source: string;
  /** null: all of a file. */
  status: string | null;
  limit: number | null;
  tools: string[];
  flags: Record<string, boolean>;
  version: string;
}

/** The whole of a run; what `--out-json` writes. */
export interface RegressionReport {
  /** ISO 8601. */
  generatedAt: string;
  metadata: Metadata;
  summary: Summary;
  /** What a person should know beside the figures, one line each. */
  notes: string[];
  results: CaseResult[];
}

/** Counts the results. */
export function makeReport(
  parts: Pick<RegressionReport, "metadata" | "results"> & { now: number; notes: string[] },
): RegressionReport {
  const { now, metadata, results, notes } = parts;
  const summary = summaryOf(results, new Set(metadata.tools));
  return {
    generatedAt: new Date(now).toISOString(),
    metadata,
    summary,
    notes: [...notes, ...notesOf(summary, metadata)],
    results,
  };
}

/** The last line for a person. */
export function summaryLine({ total, passed, failed, skipped, skipReasons }: Summary): string {
  if (total === 0) return "no cases";
  const reasons = Object.entries(skipReasons).map(([reason, count]) => `${reason} ${count}`);
  const why = reasons.length > 0 ? ` (${reasons.join(", ")})` : "";
  return `${total} cases: ${passed} passed, ${failed} failed, ${skipped} skipped${why}`;
}

function summaryOf(results: readonly CaseResult[], tools: ReadonlySet<string>): Summary {
  const count = (suits: (result: CaseResult) => boolean) => results.filter(suits).length;
  const skipReasons: Summary["skipReasons"] = {};
  for (const { reason } of results)
    if (reason) skipReasons[reason] = (skipReasons[reason] ?? 0) + 1;
  return {
    total: results.length,
    passed: count(({ status }) => status === "passed"),
    failed: count(({ status }) => status === "failed"),
    skipped: count(({ status }) => status === "skipped"),
    active: count(({ caseStatus }) => caseStatus === "active"),
    archived: count(({ caseStatus }) => caseStatus === "archived"),
    unsupported: count((result) => result.reason !== "archived" && isUnsupported(result, tools)),
    skipReasons,
  };
}

/** A green run that looked at less than its reader thinks says so. */
function notesOf({ total, skipped, skipReasons }: Summary, { limit }: Metadata): string[] {
  return [
    ...(total > 0 && skipped === total
      ? [
          skipReasons.archived
            ? "no case was looked at; --include-archived looks at archived ones, too"
            : "no case was looked at: none of their tools is allowed; see --tools",
        ]
      : []),
    ...(limit !== null && total >= limit
      ? [`the limit of ${limit} cases was reached: there may be more; see --limit`]
      : []),
  ];
}
