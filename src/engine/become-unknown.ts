import type { ToolReply } from "../domain/tool.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { insertErrors } from "../store/errors.ts";
import { type Execution, setExecution, settleKeys } from "../store/executions.ts";
import { setCandidate } from "../store/proposals.ts";
import { stateReply } from "../tools/replies.ts";
import type { EngineDeps } from "./deps.ts";

/** When an unknown outcome is asked for: milliseconds after it became unknown, product time. */
export const LOOK_UP_AFTER_MS = [0, 1_000, 5_000, 30_000] as const;

/**
 * It was sent before, and what came of that is still open. A second sending that is refused, stopped
 * or not begun says nothing of the first: only the provider, asked by key, or a person ends it
 * without effect and frees its keys. Holds for every tool.
 */
export function isSentBefore({ resent, status }: Pick<Execution, "resent" | "status">): boolean {
  return resent && status !== "unknown"; // unknown: the provider was asked by key just now
}

/** Something may have happened outside: never sent again by itself, asked for by key. */
export async function becomeUnknown(
  tx: Tx,
  deps: EngineDeps,
  { execution, approval }: { execution: Execution; approval: ApprovalRow },
  why = "",
): Promise<void> {
  const { tenantId, id, runId, candidateId, toolName, attempts: attempt } = execution;
  const now = deps.clock.now();
  await setExecution(tx, {
    ...{ tenantId, id, status: "unknown", lookUps: 0, leaseUntil: null },
    runAfter: now + LOOK_UP_AFTER_MS[0],
  });
  await settleKeys(tx, { tenantId, executionId: id, status: "unknown" });
  await setCandidate(tx, { tenantId, id: candidateId, reply: unknownReply(approval.number) });
  const summary = `${why && `${why}; `}the outcome is not known; it is looked up by key`;
  await insertErrors(tx, [
    {
      ...{ tenantId, runId, executionId: id, toolName, component: "tool", attempt, createdAt: now },
      ...{ errorClass: "timeout", errorCode: "OUTCOME_UNKNOWN", errorMessage: summary },
    },
  ]);
  await writeAudit(tx, [
    {
      ...{ tenantId, runId, candidateId, toolName, createdAt: now },
      ...{ eventType: "execution.unknown", summary, conversationId: execution.conversationId },
      userId: approval.approver,
      refs: { execution: id, approval: approval.id },
    },
  ]);
  await deps.jobs.enqueue(tx, "execution", { tenantId, id }, LOOK_UP_AFTER_MS[0]);
}

/** It stands until a look-up or a person says what happened. */
export function unknownReply(number: number): ToolReply {
  return stateReply("unknown", "the outcome is being checked; do not call it again", number);
}
