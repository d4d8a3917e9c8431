import { approvalName } from "../domain/approval.ts";
import { type ApprovalRow, setApproval } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import { stateReply } from "../tools/replies.ts";
import type { DeskDeps } from "./deps.ts";
import { dropHeldExecution } from "./drop-held.ts";
import { note, showCards } from "./show-approval.ts";
import { DESK_TEXTS } from "./texts.ts";
import { undoAsking } from "./undo-asking.ts";

/** Nobody decided in time: it was not done, and everybody is told so. */
export async function expire(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<void> {
  const { tenantId, id, conversationId } = approval;
  const now = deps.clock.now();
  await setApproval(tx, { tenantId, id, status: "expired", decidedVia: null, decidedAt: now });
  await setCandidate(tx, {
    tenantId,
    id: approval.candidateId,
    status: "failed",
    code: "EXPIRED",
    reply: stateReply("expired", "nobody decided in time; it was not done", approval.number),
    settledAt: now,
  });
  await dropHeldExecution(tx, approval, now); // approved once, and frozen before it began
  await undoAsking(tx, approval, now);
  const outcome = DESK_TEXTS[deps.dress.staffLanguage].outcomeExpired;
  await showCards(tx, deps, approval, { votes: 0, outcome });
  await note(tx, deps, approval, {
    eventType: "approval.decided",
    by: null,
    decision: "expired",
  });
  await recordOutcome(tx, deps.dress.jobs, {
    tenantId,
    conversationId,
    approvalId: id,
    line: `${approvalName(approval.number)} (${approval.toolName}) is now expired, not done; tell the lead; do not call it again.`,
    now,
    waitMs: 0,
  });
}
