import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import type { Execution } from "../store/executions.ts";
import type { ToolWork } from "../tools/contract.ts";
import type { EngineDeps } from "./deps.ts";
import type { Dispatch } from "./dispatch.ts";

/** An execution whose row is locked, and how its work went. */
export interface Settling {
  dispatch: Dispatch;
  execution: Execution;
  work: ToolWork;
}

/** One line of the trail about an execution. */
export async function note(
  tx: Tx,
  deps: EngineDeps,
  settling: Omit<Settling, "work">,
  said: { eventType: string; summary: string },
): Promise<void> {
  const { dispatch, execution } = settling;
  await writeAudit(tx, [
    {
      tenantId: dispatch.tenantId,
      ...said,
      createdAt: deps.clock.now(),
      runId: execution.runId,
      conversationId: execution.conversationId,
      candidateId: execution.candidateId,
      userId: dispatch.approval.approver,
      toolName: execution.toolName,
      refs: { execution: execution.id, approval: dispatch.approval.id },
    },
  ]);
}
