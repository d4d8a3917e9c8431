import { approvalName, type DecisionVia } from "../domain/approval.ts";
import { lockApproval } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { executionOfApproval, setExecution, settleKeys } from "../store/executions.ts";
import { isOwnRequest } from "../store/makers.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import type { StaffMember } from "../store/staff.ts";
import { stateReply } from "../tools/replies.ts";
import { note, showCards } from "./decide.ts";
import type { DeskDeps } from "./deps.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";

/**
 * An operator says whether an action with an unknown outcome happened. Yes: it counts as done and
 * stays single for ever. No: its keys are free for a new approval.
 */
export async function answerUnknown(
  tx: Tx,
  deps: DeskDeps,
  given: {
    tenantId: string;
    approvalId: string;
    staff: StaffMember | null;
    happened: boolean;
    via: DecisionVia;
  },
): Promise<string> {
  const { tenantId, approvalId, staff, happened } = given;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const approval = await lockApproval(tx, tenantId, approvalId);
  if (!approval) return texts.gone;
  const own =
    staff && (await isOwnRequest(tx, { tenantId, staffId: staff.id, maker: approval.requestedBy }));
  if (staff?.status !== "active" || own) {
    await note(tx, deps, approval, {
      eventType: "approval.refused",
      by: staff?.id ?? null,
      decision: "forbidden",
    });
    return own ? texts.ownRequest : texts.notAllowed;
  }
  const execution = await executionOfApproval(tx, tenantId, approvalId);
  if (execution?.status !== "waiting_approval") return texts.unknownButton;
  const now = deps.clock.now();
  const status = happened ? "completed" : "failed";
  await setExecution(tx, { tenantId, id: execution.id, status, finishedAt: now });
  await settleKeys(tx, {
    tenantId,
    executionId: execution.id,
    status: happened ? "completed" : "freed",
  });
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
  const say = happened ? texts.outcomeHappened : texts.outcomeNotHappened;
  await showCards(tx, deps, approval, { votes: 0, outcome: say(staff.name, shownTime(now)) });
  await note(tx, deps, approval, {
    eventType: "execution.answered",
    by: staff.id,
    decision: status,
  });
  await recordOutcome(tx, deps.dress.jobs, {
    tenantId,
    conversationId: approval.conversationId,
    approvalId,
    line: `${approvalName(approval.number)} (${approval.toolName}) is now ${status}; tell the lead; do not call it again.`,
    now,
    waitMs: 0,
  });
  return say(staff.name, shownTime(now));
}
