import { and, eq, inArray } from "drizzle-orm";
import { paysOut } from "../domain/pays-out.ts";
import type { Tx } from "./db.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { toolExecutionQueue } from "./schema/tools.ts";

/** Ids of executions that people approved, that send money out, and that have not been sent. */
export async function waitingPayouts(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await tx
    .select({
      id: toolExecutionQueue.id,
      name: toolExecutionQueue.toolName,
      risk: approvalQueue.riskLevel,
    })
    .from(toolExecutionQueue)
    .innerJoin(
      approvalQueue,
      and(
        eq(approvalQueue.tenantId, tenantId),
        eq(approvalQueue.id, toolExecutionQueue.approvalId),
      ),
    )
    .where(
      and(
        eq(toolExecutionQueue.tenantId, tenantId),
        inArray(toolExecutionQueue.status, ["queued", "retry_scheduled"]),
      ),
    );
  return rows.filter(paysOut).map(({ id }) => id);
}

/** The caller has read the ids in the same transaction. */
export async function setWaitingPayouts(
  tx: Tx,
  which: { tenantId: string; ids: string[] },
  set: Partial<Pick<typeof toolExecutionQueue.$inferInsert, "status" | "lookUps" | "runAfter">>,
): Promise<void> {
  const { tenantId, ids } = which;
  if (ids.length === 0) return;
  await tx
    .update(toolExecutionQueue)
    .set(set)
    .where(and(eq(toolExecutionQueue.tenantId, tenantId), inArray(toolExecutionQueue.id, ids)));
}
