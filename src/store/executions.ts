import { and, desc, eq, inArray, lte, ne, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Json } from "../domain/json.ts";
import { writeAudit } from "./audit.ts";
import { stoppedRow } from "./audit-calls.ts";
import type { Tx } from "./db.ts";
import { LeaseLostError } from "./lease.ts";
import {
  idempotencyKeys,
  toolExecutionQueue,
  toolResultLog,
  toolRetryLog,
} from "./schema/tools.ts";
import { insertRows } from "./statement.ts";
import { storable } from "./storable.ts";

/** One approved or permitted call on its way, with the lease of whoever works on it. */
export type Execution = typeof toolExecutionQueue.$inferSelect;

/** Locks one execution row. */
export async function lockExecution(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<Execution | null> {
  const rows = await tx
    .select()
    .from(toolExecutionQueue)
    .where(and(eq(toolExecutionQueue.tenantId, tenantId), eq(toolExecutionQueue.id, id)))
    .for("update");
  return rows[0] ?? null;
}

/** The caller holds the row's lock, or its lease. */
export async function setExecution(
  tx: Tx,
  change: { tenantId: string; id: string } & Partial<Omit<Execution, "tenantId" | "id">>,
): Promise<void> {
  const { tenantId, id, ...set } = change;
  await tx
    .update(toolExecutionQueue)
    .set(set)
    .where(and(eq(toolExecutionQueue.tenantId, tenantId), eq(toolExecutionQueue.id, id)));
}

/** Locks an execution that is still ours; LeaseLostError otherwise. */
export async function lockOwnExecution(
  tx: Tx,
  own: { tenantId: string; id: string; token: string },
): Promise<Execution> {
  const row = await lockExecution(tx, own.tenantId, own.id);
  if (!row || row.leaseToken !== own.token)
    throw new LeaseLostError(`execution ${own.id} is no longer ours`);
  return row;
}

/**
 * Ends what is still running under the own lease, and tells which that was: a result of anything
 * else comes too late, or twice, and is not written.
 */
export async function finishExecutions(
  tx: Tx,
  finish: { tenantId: string; ids: string[]; token: string; now: number },
): Promise<Set<string>> {
  if (finish.ids.length === 0) return new Set();
  const rows = await tx
    .update(toolExecutionQueue)
    .set({ status: "completed", finishedAt: finish.now, leaseUntil: null })
    .where(
      and(
        eq(toolExecutionQueue.tenantId, finish.tenantId),
        inArray(toolExecutionQueue.id, finish.ids),
        eq(toolExecutionQueue.leaseToken, finish.token),
        eq(toolExecutionQueue.status, "running"),
      ),
    )
    .returning({ id: toolExecutionQueue.id });
  return new Set(rows.map((row) => row.id));
}

/** Calls of a run that came to nothing, or may not go on; the latter is audited here. */
export async function endExecutions(
  tx: Tx,
  end: { tenantId: string; ids: string[]; status: "failed" | "cancelled"; now: number },
): Promise<void> {
  if (end.ids.length === 0) return;
  const ended = await tx
    .update(toolExecutionQueue)
    .set({ status: end.status, finishedAt: end.now, leaseUntil: null })
    .where(
      and(eq(toolExecutionQueue.tenantId, end.tenantId), inArray(toolExecutionQueue.id, end.ids)),
    )
    .returning(stoppedColumns);
  if (end.status === "cancelled") await noteStopped(tx, ended, { reason: "refused", now: end.now });
}

export const stoppedColumns = {
  id: toolExecutionQueue.id,
  tenantId: toolExecutionQueue.tenantId,
  candidateId: toolExecutionQueue.candidateId,
  runId: toolExecutionQueue.runId,
  conversationId: toolExecutionQueue.conversationId,
  toolName: toolExecutionQueue.toolName,
};

/** Calls that will not go on. */
export async function noteStopped(
  tx: Tx,
  executions: readonly Pick<Execution, keyof typeof stoppedColumns>[],
  why: { reason: string; now: number },
): Promise<void> {
  const rows = executions.map((execution) => stoppedRow(execution, why));
  await writeAudit(tx, rows);
}

/** Another attempt of calls of a run begins; written before it does. */
export async function countAttempts(
  tx: Tx,
  count: { tenantId: string; ids: string[]; now: number },
): Promise<void> {
  if (count.ids.length === 0) return;
  await tx
    .update(toolExecutionQueue)
    .set({ attempts: sql`${toolExecutionQueue.attempts} + 1`, startedAt: count.now })
    .where(
      and(
        eq(toolExecutionQueue.tenantId, count.tenantId),
        inArray(toolExecutionQueue.id, count.ids),
      ),
    );
}

/** What a call has ended with, for the record; `resultJson` holds no secret. */
export interface ResultRow {
  tenantId: string;
  runId: string | null;
  executionId: string;
  toolName: string;
  status: string;
  resultJson: Json;
  resultSummary: string;
  externalId: string | null;
  createdAt: number;
}

/** Texts that the database refuses are cleaned on the way. */
export async function insertResults(tx: Tx, rows: ResultRow[]): Promise<void> {
  await insertRows(
    tx,
    toolResultLog,
    rows.map((row) => storable({ id: newId(), ...row })),
  );
}

/** What an execution came to, newest first; null: nothing was recorded. */
export async function resultOf(
  tx: Tx,
  tenantId: string,
  executionId: string,
): Promise<{ status: string; resultJson: Json } | null> {
  const rows = await tx
    .select({ status: toolResultLog.status, resultJson: toolResultLog.resultJson })
    .from(toolResultLog)
    .where(and(eq(toolResultLog.tenantId, tenantId), eq(toolResultLog.executionId, executionId)))
    .orderBy(desc(toolResultLog.createdAt), desc(toolResultLog.id))
    .limit(1);
  return rows[0] ?? null;
}

/** The provider has taken the action in, whatever it said of it later. */
export async function wasAccepted(tx: Tx, tenantId: string, executionId: string): Promise<boolean> {
  const rows = await tx
    .select({ id: toolResultLog.id })
    .from(toolResultLog)
    .where(
      and(
        eq(toolResultLog.tenantId, tenantId),
        eq(toolResultLog.executionId, executionId),
        eq(toolResultLog.status, "pending"),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** It goes out a second time: what became of the first sending nobody could tell. */
export async function wasSentAgain(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const rows = await tx
    .select({ resent: toolExecutionQueue.resent })
    .from(toolExecutionQueue)
    .where(and(eq(toolExecutionQueue.tenantId, tenantId), eq(toolExecutionQueue.id, id)));
  return rows[0]?.resent === true;
}

/** One row for each attempt that is followed by another. */
export async function insertRetries(
  tx: Tx,
  rows: readonly Omit<typeof toolRetryLog.$inferInsert, "id">[],
): Promise<void> {
  if (rows.length > 0)
    await tx.insert(toolRetryLog).values(rows.map((row) => ({ id: newId(), ...row })));
}

export interface KeyToReserve {
  tenantId: string;
  idempotencyKey: string;
  runId: string | null;
  toolName: string;
  digest: string;
  executionId: string;
  now: number;
  /** After it the key is free for another; left out: never. An unknown outcome holds it on. */
  expiresAt?: number;
}

export type Reserved =
  | { kind: "reserved" }
  /** The key belongs to another action: they never share one. */
  | { kind: "conflict" }
  /** The same action has it in another execution. */
  | { kind: "held"; executionId: string; status: "reserved" | "completed" | "unknown" };

/**
 * Reserves a key before an effect. The same execution may reserve again: it is sent once more with the
 * same key and body.
 */
export async function reserveKey(tx: Tx, key: KeyToReserve): Promise<Reserved> {
  await freeExpired(tx, key);
  await tx
    .insert(idempotencyKeys)
    .values({
      id: newId(),
      tenantId: key.tenantId,
      idempotencyKey: key.idempotencyKey,
      runId: key.runId,
      toolName: key.toolName,
      argumentsHash: key.digest,
      status: "reserved",
      resultRef: key.executionId,
      createdAt: key.now,
      expiresAt: key.expiresAt ?? null,
    })
    .onConflictDoNothing();
  const rows = await tx
    .select({
      digest: idempotencyKeys.argumentsHash,
      ref: idempotencyKeys.resultRef,
      status: idempotencyKeys.status,
    })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.tenantId, key.tenantId),
        eq(idempotencyKeys.idempotencyKey, key.idempotencyKey),
        ne(idempotencyKeys.status, "freed"),
      ),
    );
  const row = rows[0];
  if (row?.digest !== key.digest) return { kind: "conflict" };
  if (row.ref === key.executionId) return { kind: "reserved" };
  const { status } = row;
  if (status === "freed") throw new Error("a freed key was read as live"); // the query leaves these out
  return { kind: "held", executionId: row.ref ?? "", status };
}

async function freeExpired(tx: Tx, key: KeyToReserve): Promise<void> {
  await tx
    .update(idempotencyKeys)
    .set({ status: "freed" })
    .where(
      and(
        eq(idempotencyKeys.tenantId, key.tenantId),
        eq(idempotencyKeys.idempotencyKey, key.idempotencyKey),
        inArray(idempotencyKeys.status, ["reserved", "completed"]),
        lte(idempotencyKeys.expiresAt, key.now),
      ),
    );
}

/** `freed` after a certain failure: the key may be used by a new approval. */
export async function settleKeys(
  tx: Tx,
  settle: { tenantId: string; executionId: string; status: "completed" | "unknown" | "freed" },
): Promise<void> {
  await tx
    .update(idempotencyKeys)
    .set({ status: settle.status })
    .where(
      and(
        eq(idempotencyKeys.tenantId, settle.tenantId),
        eq(idempotencyKeys.resultRef, settle.executionId),
        ne(idempotencyKeys.status, "freed"),
      ),
    );
}

/** An embedded start is the only process: leases of other boots are over. */
export async function dropForeignExecutionLeases(
  tx: Tx,
  drop: { tenantId: string; owner: string; realNow: number },
): Promise<void> {
  await tx
    .update(toolExecutionQueue)
    .set({ leaseUntil: drop.realNow - 1 })
    .where(
      and(
        eq(toolExecutionQueue.tenantId, drop.tenantId),
        inArray(toolExecutionQueue.status, ["running", "unknown"]),
        sql`${toolExecutionQueue.leaseOwner} is distinct from ${drop.owner}`,
      ),
    );
}

/** Locks the row. null: it was never approved. */
export async function executionOfApproval(
  tx: Tx,
  tenantId: string,
  approvalId: string,
): Promise<Execution | null> {
  const rows = await tx
    .select()
    .from(toolExecutionQueue)
    .where(
      and(eq(toolExecutionQueue.tenantId, tenantId), eq(toolExecutionQueue.approvalId, approvalId)),
    )
    .for("update");
  return rows[0] ?? null;
}

/** Which execution of its tool in the conversation it is, from 1: ids that are newer sort later. */
export async function executionPlace(
  tx: Tx,
  of: { tenantId: string; conversationId: string; toolName: string; executionId: string },
): Promise<number> {
  const upTo = await tx.$count(
    toolExecutionQueue,
    and(
      eq(toolExecutionQueue.tenantId, of.tenantId),
      eq(toolExecutionQueue.conversationId, of.conversationId),
      eq(toolExecutionQueue.toolName, of.toolName),
      lte(toolExecutionQueue.id, of.executionId),
    ),
  );
  return Math.max(1, upTo);
}
