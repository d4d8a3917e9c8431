import { and, eq, inArray, ne, sql } from "drizzle-orm";
import type { ExecutionStatus } from "../domain/candidate.ts";
import { newId } from "../domain/ids.ts";
import type { Json } from "../domain/json.ts";
import type { Tx } from "./db.ts";
import { type Lease, LeaseLostError } from "./lease.ts";
import {
  idempotencyKeys,
  toolExecutionQueue,
  toolResultLog,
  toolRetryLog,
} from "./schema/tools.ts";
import { storable } from "./storable.ts";

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

/** The unfinished calls of a run that another worker left: safe to run again (reads and drafts). */
export async function takeOverRunExecutions(
  tx: Tx,
  take: { tenantId: string; runId: string; lease: Lease },
): Promise<Execution[]> {
  return tx
    .update(toolExecutionQueue)
    .set({
      leaseOwner: take.lease.owner,
      leaseToken: take.lease.token,
      leaseUntil: take.lease.untilMs,
    })
    .where(
      and(
        eq(toolExecutionQueue.tenantId, take.tenantId),
        eq(toolExecutionQueue.runId, take.runId),
        eq(toolExecutionQueue.hasSideEffect, false),
        eq(toolExecutionQueue.status, "running"),
      ),
    )
    .returning();
}

export async function finishExecutions(
  tx: Tx,
  finish: { tenantId: string; ids: string[]; token: string; status: ExecutionStatus; now: number },
): Promise<void> {
  if (finish.ids.length === 0) return;
  await tx
    .update(toolExecutionQueue)
    .set({ status: finish.status, finishedAt: finish.now, leaseUntil: null })
    .where(
      and(
        eq(toolExecutionQueue.tenantId, finish.tenantId),
        inArray(toolExecutionQueue.id, finish.ids),
        eq(toolExecutionQueue.leaseToken, finish.token),
      ),
    );
}

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

export async function insertResults(tx: Tx, rows: ResultRow[]): Promise<void> {
  if (rows.length > 0)
    await tx.insert(toolResultLog).values(rows.map((row) => storable({ id: newId(), ...row })));
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

export async function insertRetry(
  tx: Tx,
  row: Omit<typeof toolRetryLog.$inferInsert, "id">,
): Promise<void> {
  await tx.insert(toolRetryLog).values({ id: newId(), ...row });
}

/**
 * Reserves a key before an effect. `held`: another action, or another execution, has it.
 * The same execution may reserve again (it is sent once more with the same key and body).
 */
export async function reserveKey(
  tx: Tx,
  key: {
    tenantId: string;
    idempotencyKey: string;
    runId: string | null;
    toolName: string;
    digest: string;
    executionId: string;
    now: number;
  },
): Promise<"reserved" | "held"> {
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
    })
    .onConflictDoNothing();
  const rows = await tx
    .select({ digest: idempotencyKeys.argumentsHash, ref: idempotencyKeys.resultRef })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.tenantId, key.tenantId),
        eq(idempotencyKeys.idempotencyKey, key.idempotencyKey),
        ne(idempotencyKeys.status, "freed"),
      ),
    );
  const row = rows[0];
  return row?.digest === key.digest && row.ref === key.executionId ? "reserved" : "held";
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
