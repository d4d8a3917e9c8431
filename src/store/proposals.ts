import { and, eq, inArray } from "drizzle-orm";
import type { Json, JsonObject } from "../domain/json.ts";
import type { Tx } from "./db.ts";
import {
  policyGateLog,
  toolArgumentChecks,
  toolCallCandidates,
  toolExecutionQueue,
} from "./schema/tools.ts";
import { storable } from "./storable.ts";

export type CandidateRow = typeof toolCallCandidates.$inferInsert;
export type CheckRow = typeof toolArgumentChecks.$inferInsert;
export type GateRow = typeof policyGateLog.$inferInsert;
export type ExecutionRow = typeof toolExecutionQueue.$inferInsert;

export interface ProposalRows {
  candidates: CandidateRow[];
  checks: CheckRow[];
  gates: GateRow[];
  executions: ExecutionRow[];
}

/**
 * Everything a round decided, one statement a table: it does not grow with parallel calls. Texts of
 * a model may hold what the database refuses.
 */
export async function insertProposals(tx: Tx, rows: ProposalRows): Promise<void> {
  if (rows.candidates.length > 0)
    await tx.insert(toolCallCandidates).values(storable(rows.candidates));
  if (rows.checks.length > 0) await tx.insert(toolArgumentChecks).values(storable(rows.checks));
  if (rows.gates.length > 0) await tx.insert(policyGateLog).values(storable(rows.gates));
  if (rows.executions.length > 0)
    await tx.insert(toolExecutionQueue).values(storable(rows.executions));
}

/** One gate decision made later than the proposal: at a decision or a dispatch. */
export async function insertGate(tx: Tx, row: GateRow): Promise<void> {
  await tx.insert(policyGateLog).values(row);
}

/** The live execution that holds a business key, if any. */
export async function liveExecutionOf(
  tx: Tx,
  tenantId: string,
  businessKey: string,
): Promise<{ id: string; status: string; actionDigest: string } | null> {
  const rows = await tx
    .select({
      id: toolExecutionQueue.id,
      status: toolExecutionQueue.status,
      actionDigest: toolExecutionQueue.actionDigest,
    })
    .from(toolExecutionQueue)
    .where(
      and(
        eq(toolExecutionQueue.tenantId, tenantId),
        eq(toolExecutionQueue.businessKey, businessKey),
        eq(toolExecutionQueue.hasSideEffect, true),
        inArray(toolExecutionQueue.status, [
          "queued",
          "running",
          "unknown",
          "waiting_approval",
          "retry_scheduled",
          "completed",
        ]),
      ),
    )
    .limit(1);
  return rows[0] ?? null;
}

export interface StoredCandidate {
  id: string;
  runId: string | null;
  conversationId: string;
  toolName: string;
  maker: string;
  source: string;
  argumentsJson: Json;
  actionJson: JsonObject | null;
  schemaVersion: number;
  cycle: number;
  code: string | null;
}

export async function candidateById(
  tx: Tx,
  tenantId: string,
  candidateId: string,
): Promise<StoredCandidate | null> {
  const rows = await tx
    .select({
      id: toolCallCandidates.id,
      runId: toolCallCandidates.runId,
      conversationId: toolCallCandidates.conversationId,
      toolName: toolCallCandidates.toolName,
      maker: toolCallCandidates.maker,
      source: toolCallCandidates.source,
      argumentsJson: toolCallCandidates.argumentsJson,
      actionJson: toolCallCandidates.actionJson,
      schemaVersion: toolCallCandidates.schemaVersion,
      cycle: toolCallCandidates.cycle,
      code: toolCallCandidates.code,
    })
    .from(toolCallCandidates)
    .where(and(eq(toolCallCandidates.tenantId, tenantId), eq(toolCallCandidates.id, candidateId)));
  return rows[0] ?? null;
}

/** Gives a candidate its latest state and what the model is shown of it. */
export async function setCandidate(
  tx: Tx,
  change: { tenantId: string; id: string } & Partial<
    Pick<CandidateRow, "status" | "code" | "reply" | "settledAt" | "actionJson" | "actionDigest">
  >,
): Promise<void> {
  const { tenantId, id, ...set } = change;
  await tx
    .update(toolCallCandidates)
    .set(storable(set))
    .where(and(eq(toolCallCandidates.tenantId, tenantId), eq(toolCallCandidates.id, id)));
}
