import { approvalName } from "../domain/approval.ts";
import type { Language } from "../domain/language.ts";
import { isVerified } from "../domain/verified.ts";
import { digestHead } from "../policy/digest.ts";
import { type ApprovalRow, OPEN_APPROVALS } from "../store/approvals.ts";
import { partyOf } from "../store/conversations.ts";
import type { Tx } from "../store/db.ts";
import { ownersOf } from "../store/makers.ts";
import { liveExecutionOf } from "../store/proposals.ts";
import { type StaffMember, staffById } from "../store/staff.ts";
import { mayCancel } from "./approve-itself.ts";
import { type Decided, type Decision, refused } from "./decision.ts";
import { DECISION_TEXTS } from "./decision-texts.ts";
import type { DeskDeps } from "./deps.ts";
import { FREEZE_TEXTS } from "./freeze-texts.ts";
import { payoutStopText } from "./payouts-stopped.ts";
import { countsThere } from "./pressed-place.ts";
import { isLeftToOthers } from "./receipt-rule.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";
import { isTimeOver } from "./time-over.ts";

type Asked = Pick<Decision, "staff" | "tenantId" | "decision" | "seen" | "place">;

/** Why the person may not decide so, or not any more; null when nothing is in the way. Reads only. */
export async function refusalOf(
  tx: Tx,
  deps: DeskDeps,
  asked: Asked,
  approval: ApprovalRow,
): Promise<Decided | null> {
  const { staff } = asked;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  if (staff?.status !== "active" || !isVerified(staff))
    return refused("forbidden", texts.notAllowed);
  const cancels = asked.decision === "reject" && mayCancel(staff, approval);
  const forbidden =
    (await placeRefusal(tx, deps, asked, approval)) ??
    (cancels ? null : await personRefusal(tx, deps, staff, approval)) ??
    (await stateRefusal(tx, deps, asked, approval));
  if (forbidden || asked.decision === "reject") return forbidden;
  return grantRefusal(tx, deps, { ...asked, staff }, approval);
}

/** A button that stands on no card of the request was put there by somebody else. */
export async function placeRefusal(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, place }: Pick<Asked, "tenantId" | "place">,
  { id: approvalId }: ApprovalRow,
): Promise<Decided | null> {
  if (!place || (await countsThere(tx, { tenantId, approvalId }, place))) return null;
  return refused("forbidden", DECISION_TEXTS[deps.dress.staffLanguage].elsewhere);
}

/** Neither whoever asked for it nor whoever it is about decides on it. */
export async function personRefusal(
  tx: Tx,
  deps: DeskDeps,
  staff: StaffMember,
  approval: ApprovalRow,
): Promise<Decided | null> {
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const { tenantId, approverRole, requestedBy } = approval;
  if (approverRole === "admin" && staff.role !== "admin")
    return refused("forbidden", texts.needsAdmin);
  const { contactId } = await partyOf(tx, tenantId, approval.conversationId);
  const owners = await ownersOf(tx, { tenantId, makers: [requestedBy, contactId] });
  return owners.has(staff.id) ? refused("forbidden", texts.ownRequest) : null;
}

/** What is frozen can be declined and not approved. */
async function stateRefusal(
  tx: Tx,
  deps: DeskDeps,
  { decision }: Asked,
  approval: ApprovalRow,
): Promise<Decided | null> {
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const waits = OPEN_APPROVALS.includes(approval.status);
  const late = await isTimeOver(tx, deps, approval);
  if (waits && !late) {
    if (approval.status === "pending" || decision === "reject") return null;
    const { refused: text } = FREEZE_TEXTS[deps.dress.staffLanguage];
    return refused("frozen", text(approvalName(approval.number)));
  }
  const status = waits ? "expired" : approval.status;
  const by = approval.approver ? await staffById(tx, approval.tenantId, approval.approver) : null;
  const when = approval.decidedAt === null ? null : shownTime(approval.decidedAt);
  const message = texts.decided(texts.status[status] ?? status, by?.name ?? null, when);
  return refused("already_decided", message);
}

/** What stands in the way of approving alone; rejecting goes on while payouts are stopped. */
async function grantRefusal(
  tx: Tx,
  deps: DeskDeps,
  { seen, staff }: Asked & { staff: StaffMember },
  approval: ApprovalRow,
): Promise<Decided | null> {
  const language = deps.dress.staffLanguage;
  const texts = DECISION_TEXTS[language];
  const unseen = seenRefusal(approval, seen, language);
  if (unseen) return unseen;
  const stopped = await payoutStopText(tx, approval, language);
  if (stopped !== null) return refused("payouts_stopped", stopped);
  if (await isLeftToOthers(tx, staff, approval))
    return refused("forbidden", texts.confirmedReceipt);
  const { tenantId, businessKey } = approval;
  const live = businessKey === null ? null : await liveExecutionOf(tx, tenantId, businessKey);
  return live ? refused("under_way", DESK_TEXTS[language].underWay) : null;
}

/**
 * What was changed since is not what the person means: whoever tells no digest may not have seen the
 * change, nor has anybody by a button from before digests stood on them.
 */
function seenRefusal(
  { number, actionDigest, editedBy }: ApprovalRow,
  seen: string | null | undefined,
  language: Language,
): Decided | null {
  const texts = DECISION_TEXTS[language];
  const name = approvalName(number);
  if (seen === undefined)
    return editedBy === null ? null : refused("digest_required", texts.digestRequired(name));
  const isSame =
    seen === null ? editedBy === null : [actionDigest, digestHead(actionDigest)].includes(seen);
  return isSame ? null : refused("changed_since", texts.changedSince(name));
}
