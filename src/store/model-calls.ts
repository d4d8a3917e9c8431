import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { AttemptStatus, ModelAttempt } from "../domain/model-attempt.ts";
import { type CostRow, insertCosts } from "./costs.ts";
import { queryRows, type Tx } from "./db.ts";
import { insertLatencies, type LatencyRow } from "./latencies.ts";
import { costLog, latencyLog, modelCallLog } from "./schema/runs.ts";
import { insertRows } from "./statement.ts";

export type ModelCallRow = typeof modelCallLog.$inferInsert;

export async function insertModelCalls(tx: Tx, rows: ModelCallRow[]): Promise<void> {
  await insertRows(tx, modelCallLog, rows);
}

/** `runId`: null: of no run, as what a coach asks. */
export function modelCallRow(
  attempt: ModelAttempt,
  { tenantId, runId }: { tenantId: string; runId: string | null },
): ModelCallRow {
  const { callId, at, llmName, scope: _tenant, ...rest } = attempt;
  return { ...rest, id: callId, tenantId, runId, provider: llmName, createdAt: at };
}

/** In no run's own transaction: rows of the call, its time and its cost. */
export async function insertAttempts(
  tx: Tx,
  tenantId: string,
  attempts: readonly ModelAttempt[],
): Promise<void> {
  const of = { tenantId, runId: null };
  await insertModelCalls(
    tx,
    attempts.map((one) => modelCallRow(one, of)),
  );
  await insertLatencies(
    tx,
    attempts.map((one) => latencyOf(one, of)),
  );
  await insertCosts(
    tx,
    attempts.flatMap((one) => costOfAttempt(one, { ...of, isRepeated: false }) ?? []),
  );
}

interface OfRun {
  tenantId: string;
  runId: string | null;
}

export function latencyOf({ operation, latencyMs, at }: ModelAttempt, of: OfRun): LatencyRow {
  const { tenantId, runId } = of;
  return { tenantId, runId, component: "model", operation, latencyMs, createdAt: at };
}

/** null: no price is known. A later attempt of a call is a repeat, whatever the run says. */
export function costOfAttempt(
  { cost, attempt, llmName, at }: ModelAttempt,
  { isRepeated, tenantId, runId }: OfRun & { isRepeated: boolean },
): CostRow | null {
  if (cost === null) return null;
  const costType = isRepeated || attempt > 1 ? "model_retry" : "model";
  return {
    ...{ tenantId, runId, costType, provider: llmName, amount: cost, currency: "USD" },
    createdAt: at,
  };
}

export interface ModelCallQuery {
  tenantId: string;
  /** Product time, inclusive. */
  since?: number | undefined;
  operation?: string | undefined;
  traceId?: string | undefined;
  callId?: string | undefined;
  status?: AttemptStatus | undefined;
  limit: number;
}

/** Newest first. */
export async function modelCalls(tx: Tx, query: ModelCallQuery): Promise<ModelAttempt[]> {
  const { tenantId, since, operation, traceId, callId, status, limit } = query;
  const wanted: (SQL | undefined)[] = [
    eq(modelCallLog.tenantId, tenantId),
    since === undefined ? undefined : gte(modelCallLog.createdAt, since),
    operation === undefined ? undefined : eq(modelCallLog.operation, operation),
    traceId === undefined ? undefined : eq(modelCallLog.traceId, traceId),
    callId === undefined ? undefined : eq(modelCallLog.id, callId),
    status === undefined ? undefined : eq(modelCallLog.status, status),
  ];
  const rows = await tx
    .select()
    .from(modelCallLog)
    .where(and(...wanted))
    .orderBy(desc(modelCallLog.createdAt), desc(modelCallLog.id))
    .limit(limit);
  return rows.map(attemptOf);
}

function attemptOf(row: typeof modelCallLog.$inferSelect): ModelAttempt {
  const { id, tenantId, runId: _run, provider, createdAt, ...rest } = row;
  return { ...rest, callId: id, at: createdAt, llmName: provider, scope: tenantId };
}

/** Sets the verdict of a call and gives the one before; null: there is no such call. */
export async function scoreModelCall(
  tx: Tx,
  { tenantId, callId, score }: { tenantId: string; callId: string; score: number | null },
): Promise<{ llmName: string; operation: string; previous: number | null } | null> {
  // locked first: of two at once each sees what it replaces
  const [row] = await tx
    .select({
      llmName: modelCallLog.provider,
      operation: modelCallLog.operation,
      previous: modelCallLog.score,
    })
    .from(modelCallLog)
    .where(and(eq(modelCallLog.tenantId, tenantId), eq(modelCallLog.id, callId)))
    .for("update");
  if (!row) return null;
  if (row.previous !== score)
    await tx
      .update(modelCallLog)
      .set({ score })
      .where(and(eq(modelCallLog.tenantId, tenantId), eq(modelCallLog.id, callId)));
  return row;
}

/** Rows at once: a long table is cleaned in many short transactions. */
const AT_ONCE = 2_000;

/** Old rows of what models cost and took. Answers whether more are left. */
export async function forgetOldCalls(
  tx: Tx,
  { tenantId, before }: { tenantId: string; before: number },
): Promise<boolean> {
  let isMoreLeft = false;
  for (const table of [modelCallLog, latencyLog, costLog]) {
    const old = tx
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.tenantId, tenantId), lt(table.createdAt, before)))
      .limit(AT_ONCE);
    const gone = await queryRows(tx, sql`delete from ${table} where id in ${old} returning id`);
    isMoreLeft ||= gone.length === AT_ONCE;
  }
  return isMoreLeft;
}
