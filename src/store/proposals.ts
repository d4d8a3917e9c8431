import { and, eq, inArray, sql } from "drizzle-orm";
import type { CandidateStatus } from "../domain/candidate.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { ToolReply } from "../domain/tool.ts";
import { writeAudit } from "./audit.ts";
import { type AuditedCall, gateRow, returnedRow } from "./audit-calls.ts";
import { beforeCommit, queryRows, type Tx } from "./db.ts";
import {
  policyGateLog,
  toolArgumentChecks,
  toolCallCandidates,
  toolExecutionQueue,
} from "./schema/tools.ts";
import { insertRows } from "./statement.ts";
import { storable } from "./storable.ts";

/** A proposed call as it is first written. */
export type CandidateRow = typeof toolCallCandidates.$inferInsert;
export type CheckRow = typeof toolArgumentChecks.$inferInsert;
/** One decision of the gate, with the facts that it rested on. */
export type GateRow = typeof policyGateLog.$inferInsert;
export type ExecutionRow = typeof toolExecutionQueue.$inferInsert;

/** Of one round; written together or not at all. */
export interface ProposalRows {
  candidates: CandidateRow[];
  checks: CheckRow[];
  gates: GateRow[];
  executions: ExecutionRow[];
}

/**
 * Everything a round decided, one statement a table: it does not grow with parallel calls. They go to
 * the server together, in this order. Texts of a model may hold what the database refuses.
 */
export async function insertProposals(tx: Tx, rows: ProposalRows): Promise<void> {
  await Promise.all([
    insertRows(tx, toolCallCandidates, storable(rows.candidates)),
    insertRows(tx, toolArgumentChecks, storable(rows.checks)),
    insertRows(tx, policyGateLog, storable(rows.gates)),
    insertRows(tx, toolExecutionQueue, storable(rows.executions)),
  ]);
}

/** Gate decisions made later than the proposal: at a decision or a dispatch. With their audit rows. */
export async function insertGates(tx: Tx, rows: readonly GateRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  await tx.insert(policyGateLog).values(storable([...rows]));
  const ids = rows.map(({ candidateId }) => candidateId);
  const calls = await candidatesByIds(tx, first.tenantId, ids);
  const places = new Map(calls.map(({ id, conversationId }) => [id, conversationId]));
  await writeAudit(
    tx,
    rows.map((row) => gateRow(row, places.get(row.candidateId) ?? null)),
  );
}

/** With its audit row. */
export function insertGate(tx: Tx, row: GateRow): Promise<void> {
  return insertGates(tx, [row]);
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

/** `actionJson`: null: it was never prepared. `code`: why it did not go on, or null. */
export interface StoredCandidate {
  id: string;
  runId: string | null;
  conversationId: string | null;
  toolName: string;
  maker: string;
  source: string;
  argumentsJson: Json;
  actionJson: JsonObject | null;
  schemaVersion: number;
  cycle: number;
  ordinal: number;
  code: string | null;
}

/** Without a lock: what a candidate asked for does not change, only its status does. */
export async function candidateById(
  tx: Tx,
  tenantId: string,
  candidateId: string,
): Promise<StoredCandidate | null> {
  return (await candidatesByIds(tx, tenantId, [candidateId]))[0] ?? null;
}

/** In no order; ids that do not exist are left out. */
export async function candidatesByIds(
  tx: Tx,
  tenantId: string,
  ids: string[],
): Promise<StoredCandidate[]> {
  if (ids.length === 0) return [];
  return tx
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
      ordinal: toolCallCandidates.ordinal,
      code: toolCallCandidates.code,
    })
    .from(toolCallCandidates)
    .where(and(eq(toolCallCandidates.tenantId, tenantId), inArray(toolCallCandidates.id, ids)));
}

/**
 * Gives a candidate its latest state and what the model is shown of it. Settled with a reply, its
 * result is returned: that is audited.
 */
export async function setCandidate(
  tx: Tx,
  change: { tenantId: string; id: string } & Partial<
    Pick<CandidateRow, "status" | "code" | "reply" | "settledAt" | "actionJson" | "actionDigest">
  >,
): Promise<void> {
  const { tenantId, id, ...set } = change;
  const [call] = await tx
    .update(toolCallCandidates)
    .set(storable(set))
    .where(and(eq(toolCallCandidates.tenantId, tenantId), eq(toolCallCandidates.id, id)))
    .returning(auditedColumns);
  const { reply, settledAt } = set;
  if (!call || !reply || !settledAt) return;
  const row = returnedRow(call, reply, settledAt);
  beforeCommit(tx, `returned ${call.id}`, (at) => writeAudit(at, [row])); // what led to it comes first
}

const auditedColumns = {
  id: toolCallCandidates.id,
  tenantId: toolCallCandidates.tenantId,
  runId: toolCallCandidates.runId,
  conversationId: toolCallCandidates.conversationId,
  toolName: toolCallCandidates.toolName,
  maker: toolCallCandidates.maker,
};

/** The state that a model is shown from now on. */
export interface SettledCandidate {
  id: string;
  status: CandidateStatus;
  code: string | null;
  reply: ToolReply;
}

/** The results of a round and their audit rows, one statement each however many calls it had. */
export async function settleCandidates(
  tx: Tx,
  settle: { tenantId: string; now: number; rows: readonly SettledCandidate[] },
): Promise<void> {
  if (settle.rows.length === 0) return;
  const calls = await queryRows<AuditedCall>(
    tx,
    sql`update tool_call_candidates c
        set status = v.status, code = v.code, reply = v.reply,
            settled_at = ${new Date(settle.now).toISOString()}::timestamptz
        from jsonb_to_recordset(${JSON.stringify(storable(settle.rows))}::jsonb)
          as v(id text, status text, code text, reply jsonb)
        where c.tenant_id = ${settle.tenantId} and c.id = v.id
        returning c.id, c.tenant_id as "tenantId", c.run_id as "runId",
          c.conversation_id as "conversationId", c.tool_name as "toolName", c.maker`,
  );
  const byId = new Map(calls.map((call) => [call.id, call]));
  const returned = settle.rows.flatMap((row) => {
    const call = byId.get(row.id);
    return call ? [returnedRow(call, row.reply, settle.now)] : [];
  });
  beforeCommit(tx, `returned ${calls[0]?.id}`, (at) => writeAudit(at, returned));
}
