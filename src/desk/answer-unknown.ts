import { approvalName, type DecisionVia } from "../domain/approval.ts";
import { isVerified } from "../domain/verified.ts";
import { type ApprovalRow, lockApproval } from "../store/approvals.ts";
import { partyOf } from "../store/conversations.ts";
import type { Tx } from "../store/db.ts";
import { executionOfApproval, setExecution, settleKeys } from "../store/executions.ts";
import { ownersOf } from "../store/makers.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import type { StaffMember } from "../store/staff.ts";
import { stateReply } from "../tools/replies.ts";
import { DECISION_TEXTS } from "./decision-texts.ts";
import type { DeskDeps } from "./deps.ts";
import { countsThere, type Place } from "./pressed-place.ts";
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
 * An operator says whether an action with an unknown outcome happened. Yes: it counts as done and
 * stays single for ever. No: its keys are free for a new approval.
 */
export async function answerUnknown(tx: Tx, deps: DeskDeps, given: UnknownAnswer): Promise<string> {
  const { tenantId, approvalId, staff, happened, place } = given;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const approval = await lockApproval(tx, tenantId, approvalId);
  if (!approval) return texts.gone;
  const { contactId } = await partyOf(tx, tenantId, approval.conversationId);
  const owners = await ownersOf(tx, { tenantId, makers: [approval.requestedBy, contactId] });
  const own = staff !== null && owners.has(staff.id);
  if (staff?.status !== "active" || !isVerified(staff) || own) {
    await note(tx, deps, approval, {
      eventType: "approval.refused",
      by: staff?.id ?? null,
      decision: "forbidden",
    });
    return own ? texts.ownRequest : texts.notAllowed;
  }
  if (place && !(await countsThere(tx, { tenantId, approvalId }, place))) {
    await note(tx, deps, approval, {
      ...{ eventType: "approval.refused", by: staff.id, decision: "forbidden" },
    });
    return DECISION_TEXTS[deps.dress.staffLanguage].elsewhere;
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
