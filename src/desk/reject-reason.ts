import { approvalName } from "../domain/approval.ts";
import type { SubmissionEvent } from "../domain/inbound.ts";
import { type ApprovalRow, lockApproval, setApproval } from "../store/approvals.ts";
import { startContinuationNow } from "../store/continuations.ts";
import type { Tx } from "../store/db.ts";
import { candidateById, setCandidate } from "../store/proposals.ts";
import type { StaffMember } from "../store/staff.ts";
import { addMessage } from "../store/transcript.ts";
import { declinedReply } from "../tools/replies.ts";
import { decide } from "./decide.ts";
import type { DeskDeps } from "./deps.ts";
import { freshStaff } from "./fresh-staff.ts";
import { declinedLine } from "./reject.ts";
import { note, showCards } from "./show-approval.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";

/** The name comes back with forms that were opened before an update of the bot. */
export const REJECT_REASON_FORM = "reject_reason";
/** It goes to the model and stands on the card. */
export const MAX_REASON_CHARS = 500;

/** Adds the reason to a rejection by the same person; the lead is told at once then. */
export async function addRejectReason(
  tx: Tx,
  deps: DeskDeps,
  given: { tenantId: string; staff: StaffMember | null; submission: SubmissionEvent },
): Promise<string> {
  const { tenantId, submission } = given;
  const staff = await freshStaff(tx, tenantId, given.staff);
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const reason = (submission.values.reason ?? "").trim().slice(0, MAX_REASON_CHARS);
  const approval = await lockApproval(tx, tenantId, submission.subject);
  if (!approval) return texts.gone;
  const now = deps.clock.now();
  const answer = reason === "" ? texts.rejected(approvalName(approval.number)) : texts.reasonSaved;
  const startNow = () =>
    startContinuationNow(tx, deps.dress.jobs, { tenantId, approvalId: approval.id, now });
  // the form opens before its click is written, so a fast person's reason can come first; what is
  // decided otherwise is refused as a press is
  if (!isOwnRejection(approval, staff)) {
    const { subject: approvalId, messenger: via } = submission;
    const decision = { tenantId, approvalId, staff, decision: "reject", reason, via } as const;
    const decided = await decide(tx, deps, decision);
    if (!decided.accepted) return decided.message;
    await startNow();
    return answer;
  }
  if (reason !== "" && approval.rejectedReason === null) {
    await setApproval(tx, { tenantId, id: approval.id, rejectedReason: reason });
    const reply = declinedReply(approval.number, reason);
    await setCandidate(tx, { tenantId, id: approval.candidateId, reply });
    await tellReason(tx, approval, { reason, now });
    const decidedAt = approval.decidedAt ?? now;
    const outcome = texts.outcomeRejected(staff.name, shownTime(decidedAt), reason);
    await showCards(tx, deps, approval, { votes: 0, outcome });
    await note(tx, deps, approval, {
      eventType: "approval.reason",
      by: staff.id,
      decision: "reject",
    });
  }
  await startNow();
  const stands = approval.rejectedReason;
  return reason !== "" && stands !== null ? texts.reasonStands(stands) : answer;
}

function isOwnRejection(approval: ApprovalRow, staff: StaffMember | null): staff is StaffMember {
  if (staff?.status !== "active" || approval.status !== "rejected") return false;
  return approval.approver === staff.id;
}

/** A model's own call shows the reason as its result; what the system proposed needs a line. */
async function tellReason(
  tx: Tx,
  approval: ApprovalRow,
  { reason, now }: { reason: string; now: number },
): Promise<void> {
  const { tenantId, conversationId } = approval;
  const candidate = await candidateById(tx, tenantId, approval.candidateId);
  if (conversationId === null || candidate?.source === "model") return;
  await addMessage(tx, {
    tenantId,
    conversationId,
    author: "system",
    kind: "event",
    text: declinedLine(approval, reason),
    runId: null,
    now,
  });
}
