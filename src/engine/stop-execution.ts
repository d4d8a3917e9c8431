import { approvalName } from "../domain/approval.ts";
import type { ToolReply } from "../domain/tool.ts";
import type { GateReason } from "../policy/permit.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { insertErrors } from "../store/errors.ts";
import { type Execution, setExecution, settleKeys } from "../store/executions.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { type StoredCandidate, setCandidate } from "../store/proposals.ts";
import { blockedReply, keyConflictReply, quoteExpiredReply } from "../tools/replies.ts";
import { becomeUnknown, isSentBefore } from "./become-unknown.ts";
import type { EngineDeps } from "./deps.ts";
import { showStopped } from "./show-stopped.ts";

/** An approved execution whose row is locked, before anything leaves. */
export interface Taking {
  execution: Execution;
  approval: ApprovalRow;
  candidate: StoredCandidate;
}

/**
 * `DUPLICATE_KEY`: the key belongs to another action, or the same was done already. `QUOTE_EXPIRED`:
 * its terms ended between the approval and the dispatch.
 */
export type StopReason = GateReason | "DUPLICATE_KEY" | "QUOTE_EXPIRED";

/**
 * Approved, and yet not done: the last look found a reason. Nothing left the house, or else what was
 * sent before is asked for by key.
 */
export async function stopExecution(
  tx: Tx,
  deps: EngineDeps,
  taking: Taking,
  reason: StopReason,
): Promise<{ kind: "nothing" }> {
  const { execution, approval } = taking;
  const { tenantId } = execution;
  const now = deps.clock.now();
  if (isSentBefore(execution)) {
    await becomeUnknown(tx, deps, taking, `not sent a second time (${reason})`);
    return { kind: "nothing" };
  }
  await setExecution(tx, { tenantId, id: execution.id, status: "cancelled", finishedAt: now });
  await settleKeys(tx, { tenantId, executionId: execution.id, status: "freed" });
  const reply = { ...replyOf(reason), approval: approvalName(approval.number) };
  await setCandidate(tx, {
    tenantId,
    id: execution.candidateId,
    status: "failed",
    code: reason,
    reply,
    settledAt: now,
  });
  await writeAudit(tx, [
    {
      tenantId,
      eventType: "execution.stopped",
      summary: `approved but not executed: ${reason}`,
      decision: "deny",
      createdAt: now,
      runId: execution.runId,
      conversationId: execution.conversationId,
      candidateId: execution.candidateId,
      userId: approval.approver,
      toolName: execution.toolName,
      refs: { execution: execution.id, approval: approval.id },
    },
  ]);
  await insertErrors(tx, [
    {
      ...{ tenantId, runId: execution.runId, executionId: execution.id, createdAt: now },
      ...{ toolName: execution.toolName, component: "tool", attempt: execution.attempts + 1 },
      ...{ errorClass: "policy_block", errorCode: reason },
      errorMessage: "approved, and stopped by the last look before it was sent",
    },
  ]);
  await showStopped(tx, deps, approval, reason);
  await recordOutcome(tx, deps.jobs, {
    tenantId,
    conversationId: execution.conversationId,
    approvalId: approval.id,
    line: `${approvalName(approval.number)} (${execution.toolName}) is now failed: not executed after approval (${reason}); ${next(reason)}`,
    now,
    waitMs: 0,
  });
  return { kind: "nothing" };
}

function replyOf(reason: StopReason): ToolReply {
  if (reason === "DUPLICATE_KEY") return keyConflictReply();
  return reason === "QUOTE_EXPIRED" ? quoteExpiredReply() : blockedReply(reason);
}

/** What the model does with the outcome. */
function next(reason: StopReason): string {
  return reason === "QUOTE_EXPIRED"
    ? "the quote had ended; tell the lead and offer a new quote; do not call it again."
    : "tell the lead; do not call it again.";
}
