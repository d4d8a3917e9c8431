import type { ApprovalRow } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import { stoppedRow } from "../store/audit-calls.ts";
import type { Tx } from "../store/db.ts";
import { executionOfApproval, setExecution, settleKeys } from "../store/executions.ts";

/**
 * What was approved, then frozen, and is now refused: it will not be carried out; its keys are free.
 * What went out before may have been done: it is asked for by key, then by a person.
 */
export async function dropHeldExecution(
  tx: Tx,
  { tenantId, id }: Pick<ApprovalRow, "tenantId" | "id">,
  now: number,
): Promise<void> {
  const held = await executionOfApproval(tx, tenantId, id);
  if (held?.status !== "queued" && held?.status !== "retry_scheduled") return;
  if (held.resent) {
    const again = { status: "unknown" as const, lookUps: 0, runAfter: now, leaseUntil: null };
    await setExecution(tx, { tenantId, id: held.id, ...again });
    return settleKeys(tx, { tenantId, executionId: held.id, status: "unknown" });
  }
  await setExecution(tx, { tenantId, id: held.id, status: "cancelled", finishedAt: now });
  await settleKeys(tx, { tenantId, executionId: held.id, status: "freed" });
  const { candidateId, runId, conversationId, toolName } = held;
  const of = { tenantId, id: held.id, candidateId, runId, conversationId, toolName };
  await writeAudit(tx, [stoppedRow(of, { reason: "refused after its approval", now })]);
}
