import { approvalName, type DecisionVia } from "../domain/approval.ts";
import { isVerified } from "../domain/verified.ts";
import { type ApprovalRow, lockApproval } from "../store/approvals.ts";
import { partyOf } from "../store/conversations.ts";
import type { Tx } from "../store/db.ts";
import { executionOfApproval, setExecution, settleKeys } from "../store/executions.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import type { StaffMember } from "../store/staff.ts";
import { currentAction } from "../tools/edit-action.ts";
import { stateReply } from "../tools/replies.ts";
import { capRefusal } from "./daily-cap.ts";
import { type Decided, refused } from "./decision.ts";
import { DECISION_TEXTS } from "./decision-texts.ts";
import type { DeskDeps } from "./deps.ts";
import { freshStaff } from "./fresh-staff.ts";
import { roleNow } from "./gate-now.ts";
import { personRefusal, placeRefusal } from "./may-decide.ts";
import type { Place } from "./pressed-place.ts";
import { isLeftToOthers } from "./receipt-rule.ts";
import { note, showCards } from "./show-approval.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";

/**
 * What a person says of an action whose outcome is not known. `staff`: null: nobody that we know.
 */
export interface UnknownAnswer {
  tenantId: string;
  approvalId: string;
  staff: StaffMember | null;
  happened: boolean;
  via: DecisionVia;
  place?: Place | undefined;
}

/**
 * A person says whether an action with an unknown outcome happened. Yes: it counts as done and stays
 * single for ever. No: its keys are free for a new approval, so that only whoever might approve it
 * says so.
 */
export async function answerUnknown(tx: Tx, deps: DeskDeps, given: UnknownAnswer): Promise<string> {
  const { tenantId, approvalId, happened } = given;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const staff = await freshStaff(tx, tenantId, given.staff);
  const approval = await lockApproval(tx, tenantId, approvalId);
  if (!approval) return texts.gone;
  const refusal = await answerRefusal(tx, deps, { ...given, staff }, approval);
  if (refusal || !staff) {
    const by = staff?.id ?? null;
    const decision = refusal?.code ?? "forbidden";
    await note(tx, deps, approval, { eventType: "approval.refused", by, decision });
    return refusal?.message ?? texts.notAllowed;
  }
  const execution = await executionOfApproval(tx, tenantId, approvalId);
  if (execution?.status !== "waiting_approval") return texts.unknownButton;
  const now = deps.clock.now();
  await settle(tx, deps, { approval, executionId: execution.id, happened, now });
  const say = happened ? texts.outcomeHappened : texts.outcomeNotHappened;
  const outcome = say(staff.name, shownTime(now));
  await showCards(tx, deps, approval, { votes: 0, outcome });
  await note(tx, deps, approval, {
    eventType: "execution.answered",
    by: staff.id,
    decision: happened ? "completed" : "failed",
  });
  return outcome;
}

/** The same people as for an approval; a No lets the same be paid once more. */
async function answerRefusal(
  tx: Tx,
  deps: DeskDeps,
  given: UnknownAnswer,
  approval: ApprovalRow,
): Promise<Decided | null> {
  const { staff, happened } = given;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  if (staff?.status !== "active" || !isVerified(staff))
    return refused("forbidden", texts.notAllowed);
  const forbidden =
    (await personRefusal(tx, deps, staff, approval)) ??
    (await placeRefusal(tx, deps, given, approval));
  if (forbidden) return forbidden;
  if (staff.role !== "admin" && (await roleNow(tx, deps, approval)) === "admin")
    return refused("forbidden", texts.needsAdmin);
  if (happened) return null;
  if (await isLeftToOthers(tx, staff, approval)) {
    const text = DECISION_TEXTS[deps.dress.staffLanguage].confirmedReceiptNo;
    return refused("forbidden", text);
  }
  return capRefusal(tx, deps, { staff, approval, action: currentAction(approval) });
}

interface Settled {
  approval: ApprovalRow;
  executionId: string;
  happened: boolean;
  now: number;
}

async function settle(tx: Tx, deps: DeskDeps, settled: Settled): Promise<void> {
  const { approval, executionId, happened, now } = settled;
  const { tenantId, conversationId, toolName } = approval;
  const status = happened ? "completed" : "failed";
  await setExecution(tx, { tenantId, id: executionId, status, finishedAt: now });
  await settleKeys(tx, { tenantId, executionId, status: happened ? "completed" : "freed" });
  if (happened) await affirm(tx, deps, settled);
  const summary = happened
    ? "an operator confirmed that it was done"
    : "an operator says it was not done";
  await setCandidate(tx, {
    tenantId,
    id: approval.candidateId,
    status: happened ? "executed" : "failed",
    code: happened ? null : "NOT_DONE",
    reply: { ...stateReply(status, summary, approval.number), ok: happened },
    settledAt: now,
  });
  await recordOutcome(tx, deps.dress.jobs, {
    tenantId,
    conversationId,
    approvalId: approval.id,
    line: `${approvalName(approval.number)} (${toolName}) is now ${status}; tell the lead; do not call it again.`,
    now,
    waitMs: 0,
  });
}

/** What the tool's own success would have written. */
async function affirm(tx: Tx, deps: DeskDeps, { approval, now }: Settled): Promise<void> {
  const { tenantId, conversationId, runId } = approval;
  const tool = deps.registry.find(approval.toolName)?.tool;
  if (!tool?.affirm) return;
  const party = await partyOf(tx, tenantId, conversationId);
  const scope = { tenantId, ...party, runId, now };
  await tool.affirm(tx, scope, approval.effectiveActionJson ?? approval.proposedActionJson);
}
