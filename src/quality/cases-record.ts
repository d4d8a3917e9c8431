import type { JsonObject } from "../domain/json.ts";
import type { Tx } from "../store/db.ts";
import { codesOfConversations } from "../store/payout-codes.ts";
import type { CaseRow } from "../store/quality-cases.ts";
import type { Secrets } from "../store/secrets.ts";
import { keptObject, keptText } from "./kept-words.ts";
import type { RegressionRecord } from "./regressions/record.ts";

/**
 * Cases as lists and exports hold them. Rows of an earlier build may hold secrets as they were
 * written, so that none leaves without passing here.
 */
export async function caseRecords(
  tx: Tx,
  secrets: Secrets,
  of: { tenantId: string; rows: readonly CaseRow[] },
): Promise<RegressionRecord[]> {
  const { tenantId, rows } = of;
  const conversationIds = rows.map(conversationOf).filter((id) => id !== "");
  const codes = await codesOfConversations(tx, secrets, { tenantId, conversationIds });
  return rows.map((row) => caseRecord(row, codes.get(conversationOf(row)) ?? []));
}

/** Times in epoch seconds, ids as people say them. */
function caseRecord(row: CaseRow, codes: readonly string[]): RegressionRecord {
  const { toolName, label, status } = row;
  const kept = (json: JsonObject) => keptObject(json, codes);
  return {
    ...{ recordType: "tool_call_regression_case", id: row.number, source: "tool_call_feedback" },
    ...{ toolName, label, title: keptText(row.title, codes), status },
    proposalId: row.proposalNumber,
    toolCallId: row.toolCallNumber,
    input: kept(row.inputJson) as RegressionRecord["input"], // as `makeCase` wrote it
    expected: kept(row.expectedJson) as RegressionRecord["expected"],
    context: kept(row.contextJson) as RegressionRecord["context"],
    createdAt: seconds(row.createdAt),
    updatedAt: seconds(row.updatedAt),
    createdByAdminId: row.createdByNumber,
  };
}

function conversationOf({ contextJson: { conversationId } }: CaseRow): string {
  return typeof conversationId === "string" ? conversationId : "";
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
