import { and, eq, isNull } from "drizzle-orm";
import type { Json } from "../domain/json.ts";
import type { ToolReply } from "../domain/tool.ts";
import type { Tx } from "./db.ts";
import { type Execution, noteStopped, stoppedColumns } from "./executions.ts";
import type { Lease } from "./lease.ts";
import { settleCandidates } from "./proposals.ts";
import { toolCallCandidates, toolExecutionQueue } from "./schema/tools.ts";

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

/** A call of the run that nothing was answered to yet. */
export interface OpenCall {
  id: string;
  messageId: string | null;
  ordinal: number;
  toolName: string;
  argumentsHash: string;
  argumentsJson: Json;
}

/** In the order of their places in the answers. */
export async function openCallsOf(
  tx: Tx,
  { tenantId, runId }: { tenantId: string; runId: string },
): Promise<OpenCall[]> {
  const { id, messageId, ordinal, toolName, argumentsHash, argumentsJson } = toolCallCandidates;
  return tx
    .select({ id, messageId, ordinal, toolName, argumentsHash, argumentsJson })
    .from(toolCallCandidates)
    .where(
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        eq(toolCallCandidates.runId, runId),
        isNull(toolCallCandidates.reply),
      ),
    )
    .orderBy(ordinal);
}

/** A run that ends leaves no call behind that anybody would wait for; `reply` is what is told of it. */
export async function endLeftCalls(
  tx: Tx,
  end: { tenantId: string; runId: string; now: number; reply: ToolReply },
): Promise<void> {
  const { tenantId, runId, now, reply } = end;
  const ended = await tx
    .update(toolExecutionQueue)
    .set({ status: "cancelled", finishedAt: now, leaseUntil: null })
    .where(
      and(
        eq(toolExecutionQueue.tenantId, tenantId),
        eq(toolExecutionQueue.runId, runId),
        eq(toolExecutionQueue.hasSideEffect, false),
        eq(toolExecutionQueue.status, "running"),
      ),
    )
    .returning(stoppedColumns);
  await noteStopped(tx, ended, { reason: "the run broke off", now });
  const open = await openCallsOf(tx, { tenantId, runId });
  const told = { status: "failed" as const, code: reply.error?.code ?? null, reply };
  await settleCandidates(tx, { tenantId, now, rows: open.map(({ id }) => ({ id, ...told })) });
}
