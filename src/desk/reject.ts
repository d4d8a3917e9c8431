import { approvalName } from "../domain/approval.ts";
import { type ApprovalRow, addVote, setApproval, voidVotes } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { approvalDelay, insertLatencies } from "../store/latencies.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import { declinedReply } from "../tools/replies.ts";
import type { Decided, StaffDecision } from "./decision.ts";
import type { DeskDeps } from "./deps.ts";
import { dropHeldExecution } from "./drop-held.ts";
import { note, showCards } from "./show-approval.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";
import { undoAsking } from "./undo-asking.ts";

/** How long a continuation waits for the reason of a rejection, product time. */
const REASON_WAIT_MS = 60_000;

/** One rejection ends it, also after approving votes. */
export async function reject(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  by: StaffDecision,
): Promise<Decided> {
  const { tenantId, conversationId } = approval;
  const now = deps.clock.now();
  const reason = by.reason?.trim() || null;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const name = approvalName(approval.number);
  const vote = { tenantId, approvalId: approval.id, staffId: by.staff.id, now };
  await voidVotes(tx, vote); // who said yes before says no now
  await addVote(tx, {
    ...vote,
    decision: "reject",
    via: by.via,
    actionDigest: approval.actionDigest,
  });
  await setApproval(tx, {
    tenantId,
    id: approval.id,
    status: "rejected",
    approver: by.staff.id,
    decidedVia: by.via,
    decidedAt: now,
    rejectedReason: reason,
  });
  await setCandidate(tx, {
    tenantId,
    id: approval.candidateId,
    status: "failed",
    code: "APPROVAL_REJECTED",
    reply: declinedReply(approval.number, reason),
    settledAt: now,
  });
  await insertLatencies(tx, [approvalDelay(approval, now)]);
  await dropHeldExecution(tx, approval, now);
  await undoAsking(tx, approval, now);
  const outcome = texts.outcomeRejected(by.staff.name, shownTime(now), reason);
  await showCards(tx, deps, approval, { votes: 0, outcome });
  await note(tx, deps, approval, {
    eventType: "approval.decided",
    by: by.staff.id,
    decision: "reject",
  });
  await recordOutcome(tx, deps.dress.jobs, {
    tenantId,
    conversationId,
    approvalId: approval.id,
    line: declinedLine(approval, reason),
    now,
    waitMs: reason === null ? REASON_WAIT_MS : 0,
  });
  return { accepted: true, code: "rejected", message: texts.rejected(name) };
}

/** The reason stands in the line, too: what the system proposed has no call that would show it. */
export function declinedLine(approval: ApprovalRow, reason: string | null): string {
  const why = reason === null ? "" : `, reason: ${JSON.stringify(reason)}`;
  return `${approvalName(approval.number)} (${approval.toolName}) is now declined by the operator${why}; tell the lead; do not call it again.`;
}
