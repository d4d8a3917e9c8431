import type { CaseRow } from "../store/quality-cases.ts";
import type { RegressionRecord } from "./regressions/record.ts";

/** A case as lists and exports hold it: times in epoch seconds, ids as people say them. */
export function caseRecord(row: CaseRow): RegressionRecord {
  const { toolName, label, title, status } = row;
  return {
    ...{ recordType: "tool_call_regression_case", id: row.number, source: "tool_call_feedback" },
    ...{ toolName, label, title, status },
    proposalId: row.proposalNumber,
    toolCallId: row.toolCallNumber,
    input: row.inputJson as RegressionRecord["input"], // as `makeCase` wrote it
    expected: row.expectedJson as RegressionRecord["expected"],
    context: row.contextJson as RegressionRecord["context"],
    createdAt: seconds(row.createdAt),
    updatedAt: seconds(row.updatedAt),
    createdByAdminId: row.createdByNumber,
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
