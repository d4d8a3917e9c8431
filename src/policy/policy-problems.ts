import type { JsonObject } from "../domain/json.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import { conditionHolds } from "./condition.ts";

/** Every fact a condition may name, with a value of its own kind. */
const SAMPLE_FACTS: JsonObject = {
  actor_role: "support",
  source: "model",
  stage: "exchange_request",
  kyc: "verified",
  amount_from: "1",
  amount_to: "1",
  currency: "THB",
  order_status: "paid",
  same_account: true,
  recipient_verified: true,
  first_deal: true,
  day_total: "1",
  run_calls: 1,
};

/** What is wrong with rows that are well formed; null when nothing is. Each line names its row. */
export function policyProblems(
  rows: readonly PolicyRow[],
  toolNames: ReadonlySet<string>,
): string[] | null {
  const problems = rows.flatMap((row) => {
    const found: string[] = [];
    if (row.tool_name !== "*" && !toolNames.has(row.tool_name))
      found.push(`${row.id}: there is no tool "${row.tool_name}"`);
    try {
      conditionHolds(row.condition_json, SAMPLE_FACTS);
    } catch (error) {
      found.push(
        `${row.id}: ${error instanceof Error ? error.message : "the condition cannot be read"}`,
      );
    }
    return found;
  });
  return problems.length > 0 ? problems : null;
}
