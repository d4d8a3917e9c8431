import { approvalName } from "../domain/approval.ts";
import { type ApprovalRow, lockApproval, setApproval } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { type Execution, executionOfApproval, setExecution } from "../store/executions.ts";
import { setCandidate } from "../store/proposals.ts";
import type { StaffMember } from "../store/staff.ts";
import { countStandingVotes } from "../store/standing-votes.ts";
import { stateReply, waitingReply } from "../tools/replies.ts";
import type { DeskDeps } from "./deps.ts";
import { FREEZE_TEXTS } from "./freeze-texts.ts";
import { freshStaff } from "./fresh-staff.ts";
import { refusalOf } from "./may-decide.ts";
import type { Place } from "./pressed-place.ts";
import { note, showCards } from "./show-approval.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";

/** A press on Unfreeze; `place` as with any decision. */
export interface Unfreezing {
  tenantId: string;
  approvalId: string;
  /** null: nobody that we know. */
  staff: StaffMember | null;
  place?: Place | undefined;
}

/**
 * An operator lets people decide again on what a client objected to. What had been approved before
 * goes on: its approval stands. Whoever may not reject it may not do this either.
 */
export async function unfreeze(tx: Tx, deps: DeskDeps, given: Unfreezing): Promise<string> {
  const { tenantId, approvalId } = given;
  const staff = await freshStaff(tx, tenantId, given.staff);
  const language = deps.dress.staffLanguage;
  const approval = await lockApproval(tx, tenantId, approvalId);
  if (!approval) return DESK_TEXTS[language].gone;
  const refusal = await refusalOf(tx, deps, { ...given, staff, decision: "reject" }, approval);
  if (refusal || !staff) {
    const decision = refusal?.code ?? "forbidden";
    await note(tx, deps, approval, {
      ...{ eventType: "approval.refused", by: staff?.id ?? null, decision },
    });
    return refusal?.message ?? DESK_TEXTS[language].notAllowed;
  }
  const texts = FREEZE_TEXTS[language];
  const name = approvalName(approval.number);
  if (approval.status !== "frozen") return texts.notFrozen(name);
  const held = await heldExecution(tx, approval);
  await note(tx, deps, approval, { eventType: "approval.unfrozen", by: staff.id, decision: null });
  if (held) {
    await goOn(tx, deps, { approval, held, staff });
    return texts.sentOn(name);
  }
  await openAgain(tx, deps, approval);
  return texts.unfrozen(name);
}

/** Approved before the objection, and not carried out. */
async function heldExecution(tx: Tx, { tenantId, id }: ApprovalRow): Promise<Execution | null> {
  const execution = await executionOfApproval(tx, tenantId, id);
  const waits = execution?.status === "queued" || execution?.status === "retry_scheduled";
  return waits ? execution : null;
}

async function openAgain(tx: Tx, deps: DeskDeps, before: ApprovalRow): Promise<void> {
  const { tenantId, id } = before;
  const change = { status: "pending" as const, frozenAt: null, frozenReason: null };
  const approval = { ...before, ...change };
  await setApproval(tx, { tenantId, id, ...change });
  const reply = waitingReply(approval.number);
  await setCandidate(tx, { tenantId, id: approval.candidateId, reply });
  const votes = await countStandingVotes(tx, approval);
  await showCards(tx, deps, approval, { votes, outcome: null });
}

async function goOn(
  tx: Tx,
  deps: DeskDeps,
  { approval: before, held, staff }: { approval: ApprovalRow; held: Execution; staff: StaffMember },
): Promise<void> {
  const { tenantId, id } = before;
  const now = deps.clock.now();
  const change = { status: "approved" as const, frozenAt: null, frozenReason: null };
  const approval = { ...before, ...change };
  await setApproval(tx, { tenantId, id, ...change });
  await setExecution(tx, { tenantId, id: held.id, runAfter: now });
  await deps.dress.jobs.enqueue(tx, "execution", { tenantId, id: held.id });
  const summary = "approved by an operator; it is being carried out";
  const reply = stateReply("approved", summary, approval.number);
  await setCandidate(tx, { tenantId, id: approval.candidateId, reply });
  const votes = await countStandingVotes(tx, approval);
  const unfrozen = FREEZE_TEXTS[deps.dress.staffLanguage].heldBy(staff.name);
  await showCards(tx, deps, approval, { votes, outcome: `${unfrozen}, ${shownTime(now)}` });
}
