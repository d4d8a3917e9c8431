import { and, desc, eq, lt, max, or, sql } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { toolEvalCases, toolEvalRuns } from "./schema/runs.ts";
import { insertRows } from "./statement.ts";
import { storable } from "./storable.ts";

export type EvalRunRow = typeof toolEvalRuns.$inferSelect;

/** All results of one run of the evals share `batchId`. */
export async function insertEvalRuns(tx: Tx, rows: readonly EvalRunRow[]): Promise<void> {
  await insertRows(tx, toolEvalRuns, rows.map(storable));
}

const columns = {
  id: toolEvalRuns.id,
  batchId: toolEvalRuns.batchId,
  evalCaseId: toolEvalRuns.evalCaseId,
  /** null: the row is about the whole run. */
  caseName: toolEvalCases.caseName,
  agentVersion: toolEvalRuns.agentVersion,
  modelId: toolEvalRuns.modelId,
  actualTool: toolEvalRuns.actualTool,
  actualArgumentsJson: toolEvalRuns.actualArgumentsJson,
  policyResult: toolEvalRuns.policyResult,
  passed: toolEvalRuns.passed,
  failureReason: toolEvalRuns.failureReason,
  createdAt: toolEvalRuns.createdAt,
};

const ofNoCase = sql`${toolEvalRuns.evalCaseId} = ''`;
/** Leaves out what only says that a run began. */
const hasEnded = sql`not (${ofNoCase} and ${toolEvalRuns.failureReason} is null)`;

/** Newest first; `after` is time and id of the last row of the page before. */
export function listEvalRuns(
  tx: Tx,
  query: {
    tenantId: string;
    batchId?: string | undefined;
    limit: number;
    after: { at: number; id: string } | null;
  },
) {
  const { after, batchId } = query;
  return tx
    .select(columns)
    .from(toolEvalRuns)
    .leftJoin(toolEvalCases, ofCase())
    .where(
      and(
        eq(toolEvalRuns.tenantId, query.tenantId),
        hasEnded,
        batchId === undefined ? undefined : eq(toolEvalRuns.batchId, batchId),
        after === null
          ? undefined
          : or(
              lt(toolEvalRuns.createdAt, after.at),
              and(eq(toolEvalRuns.createdAt, after.at), lt(toolEvalRuns.id, after.id)),
            ),
      ),
    )
    .orderBy(desc(toolEvalRuns.createdAt), desc(toolEvalRuns.id))
    .limit(query.limit);
}

const batchAt = max(toolEvalRuns.createdAt);

/** Runs that have ended, newest first, each with its totals. */
export function listEvalBatches(
  tx: Tx,
  query: { tenantId: string; limit: number; after: { at: number; id: string } | null },
) {
  const { after } = query;
  const at = after && sql.param(after.at, toolEvalRuns.createdAt);
  return tx
    .select({
      batchId: toolEvalRuns.batchId,
      modelId: sql<string>`max(${toolEvalRuns.modelId})`,
      agentVersion: sql<string>`max(${toolEvalRuns.agentVersion})`,
      total: sql<number>`count(*) filter (where not ${ofNoCase})::int`,
      passed: sql<number>`count(*) filter (where ${toolEvalRuns.passed})::int`,
      /** Why the whole run came to nothing. */
      error: sql<string | null>`max(${toolEvalRuns.failureReason}) filter (where ${ofNoCase})`,
      createdAt: batchAt,
    })
    .from(toolEvalRuns)
    .where(and(eq(toolEvalRuns.tenantId, query.tenantId), hasEnded))
    .groupBy(toolEvalRuns.batchId)
    .having(
      after === null
        ? undefined
        : sql`(${batchAt} < ${at} or (${batchAt} = ${at} and ${toolEvalRuns.batchId} < ${after.id}))`,
    )
    .orderBy(desc(batchAt), desc(toolEvalRuns.batchId))
    .limit(query.limit);
}

/** What one run said of each case. */
export function evalBatch(tx: Tx, tenantId: string, batchId: string) {
  return tx
    .select(columns)
    .from(toolEvalRuns)
    .leftJoin(toolEvalCases, ofCase())
    .where(and(eq(toolEvalRuns.tenantId, tenantId), eq(toolEvalRuns.batchId, batchId), hasEnded))
    .orderBy(toolEvalCases.caseName);
}

function ofCase() {
  return and(
    eq(toolEvalCases.tenantId, toolEvalRuns.tenantId),
    eq(toolEvalCases.id, toolEvalRuns.evalCaseId),
  );
}
