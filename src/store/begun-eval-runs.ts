import { and, desc, eq, isNull } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { insertEvalRuns } from "./eval-runs.ts";
import { toolEvalRuns } from "./schema/runs.ts";

/** A run of the evals whose end is not written yet. */
export interface BegunEvalRun {
  tenantId: string;
  batchId: string;
  /** Empty: the model in use. */
  modelId: string;
  /** The process that it belongs to: when that is gone, nobody will write its end. */
  bootId: string;
  startedAt: number;
}

/** A row about the whole run that says nothing of its end yet: its results take its place. */
export async function insertBegunRun(tx: Tx, run: BegunEvalRun): Promise<void> {
  const { tenantId, batchId, modelId, bootId, startedAt } = run;
  await insertEvalRuns(tx, [
    {
      ...{ id: newId(), tenantId, evalCaseId: OF_NO_CASE, batchId, createdAt: startedAt },
      ...{ agentVersion: "", modelId, passed: false, policyResult: null, failureReason: null },
      ...{ actualTool: null, actualArgumentsJson: { boot: bootId } },
    },
  ]);
}

/** Why a whole run came to nothing; in place of what said that it began. */
export async function failEvalRun(
  tx: Tx,
  run: Pick<BegunEvalRun, "tenantId" | "batchId" | "modelId"> & { reason: string; now: number },
): Promise<void> {
  const { tenantId, batchId, modelId, reason, now } = run;
  await dropBegunRun(tx, tenantId, batchId);
  await insertEvalRuns(tx, [
    {
      ...{ id: newId(), tenantId, evalCaseId: OF_NO_CASE, batchId, createdAt: now },
      ...{ agentVersion: "", modelId, passed: false, policyResult: null },
      ...{ actualTool: null, actualArgumentsJson: null },
      failureReason: `the evals did not run: ${reason}`.slice(0, 2000),
    },
  ]);
}

/** Before the results of the run are written: what is told of the whole run is not true any more. */
export async function dropBegunRun(tx: Tx, tenantId: string, batchId: string): Promise<void> {
  await tx
    .delete(toolEvalRuns)
    .where(
      and(
        eq(toolEvalRuns.tenantId, tenantId),
        eq(toolEvalRuns.batchId, batchId),
        eq(toolEvalRuns.evalCaseId, OF_NO_CASE),
      ),
    );
}

/** Of all processes, newest first. */
export async function runsUnderWay(tx: Tx, tenantId: string): Promise<BegunEvalRun[]> {
  return (await underWay(tx, tenantId)).map(begunOf);
}

/** The same, held until the transaction ends; one that ends meanwhile is not among them. */
export async function lockRunsUnderWay(tx: Tx, tenantId: string): Promise<BegunEvalRun[]> {
  return (await underWay(tx, tenantId).for("update")).map(begunOf);
}

const OF_NO_CASE = "";

function underWay(tx: Tx, tenantId: string) {
  return tx
    .select()
    .from(toolEvalRuns)
    .where(
      and(
        eq(toolEvalRuns.tenantId, tenantId),
        eq(toolEvalRuns.evalCaseId, OF_NO_CASE),
        isNull(toolEvalRuns.failureReason),
      ),
    )
    .orderBy(desc(toolEvalRuns.createdAt), desc(toolEvalRuns.id));
}

function begunOf(row: typeof toolEvalRuns.$inferSelect): BegunEvalRun {
  const { tenantId, batchId, modelId, createdAt: startedAt } = row;
  const { boot } = row.actualArgumentsJson as { boot: string }; // as it was written above
  return { tenantId, batchId, modelId, bootId: boot, startedAt };
}
