import type { EvalReport } from "../../src/quality/evals/run-cases.ts";
import { storeRun } from "../../src/quality/evals/store-run.ts";
import { openEmbedded, openPostgres } from "../../src/store/database.ts";
import { withTenant } from "../../src/store/db.ts";

/** What a case came to; null: it passed, else why it failed. */
export type Outcomes = Record<string, string | null>;

/** While the product is down: runs of the evals that ended at these times. The cases are there. */
export function endedBatches(batches: { batchId: string; at: number; outcomes: Outcomes }[]) {
  return async (databaseUrl: string | null, dataDir: string): Promise<void> => {
    const database = databaseUrl
      ? await openPostgres(databaseUrl)
      : await openEmbedded({ dir: `${dataDir}/db`, durable: false });
    for (const { batchId, at, outcomes } of batches)
      await withTenant(database.db, "default", (tx) =>
        storeRun(tx, "default", { report: reportOf(batchId, outcomes), now: at }),
      );
    await database.close();
  };
}

function reportOf(batchId: string, outcomes: Outcomes): EvalReport {
  const results = Object.entries(outcomes).map(([case_name, why]) => ({
    ...{ case_name, source: "api", risk_level: null, passed: why === null, failure_reason: why },
    ...{ forbidden_called: [], expected_tool: null, actual_tool: "compute_exchange_quote" },
    ...{ actual_arguments: { amount: "100" }, policy_result: "allow", reply: null, ms: 1 },
  }));
  const passed = results.filter((one) => one.passed).length;
  return {
    ...{ batch_id: batchId, generated_at: "2026-11-30T10:00:00Z", agent_version: "1.2.3" },
    ...{ model_id: "played-model", total: results.length, passed },
    ...{ failed: results.length - passed, forbidden: 0, results },
  };
}
