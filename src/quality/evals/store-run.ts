import { dropBegunRun } from "../../store/begun-eval-runs.ts";
import type { Tx } from "../../store/db.ts";
import { evalCaseIds } from "../../store/eval-cases.ts";
import { insertEvalRuns } from "../../store/eval-runs.ts";
import { runRowsOf } from "./case-rows.ts";
import type { EvalReport } from "./run-cases.ts";

/** Writes the results of a run beside the stored cases that they are about. */
export async function storeRun(
  tx: Tx,
  tenantId: string,
  { report, now }: { report: EvalReport; now: number },
): Promise<void> {
  const names = report.results.map(({ case_name }) => case_name);
  const ids = await evalCaseIds(tx, tenantId, names);
  await dropBegunRun(tx, tenantId, report.batch_id);
  await insertEvalRuns(tx, runRowsOf(report, { tenantId, ids, now }));
}
