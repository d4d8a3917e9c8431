import { approvalName } from "../domain/approval.ts";
import { type ApprovalRow, setApproval } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import { stateReply } from "../tools/replies.ts";
import { note, type ShowDeps, showCards } from "./show-approval.ts";
import { undoAsking } from "./undo-asking.ts";

/** A request that nobody shall decide on any more; `outcome` is for people. */
export async function cancelRequest(
  tx: Tx,
  deps: ShowDeps,
  approval: ApprovalRow,
  outcome: string,
): Promise<void> {
  const { tenantId, id, conversationId, candidateId, number, toolName } = approval;
  const now = deps.clock.now();
  await setApproval(tx, { tenantId, id, status: "cancelled", decidedVia: null, decidedAt: now });
  await setCandidate(tx, {
    ...{ tenantId, id: candidateId, status: "failed", code: "CANCELLED", settledAt: now },
    reply: stateReply("cancelled", "it was cancelled; it was not done", number),
  });
  await undoAsking(tx, approval, now);
  await showCards(tx, deps, approval, { votes: 0, outcome });
  await note(tx, deps, approval, {
    eventType: "approval.cancelled",
    by: null,
    decision: "cancelled",
  });
  await recordOutcome(tx, deps.dress.jobs, {
    ...{ tenantId, conversationId, approvalId: id, now, waitMs: 0 },
    line: `${approvalName(number)} (${toolName}) is now cancelled, not done; tell the lead; do not call it again.`,
  });
}
