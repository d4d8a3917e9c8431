import { approvalName } from "../domain/approval.ts";
import { newId } from "../domain/ids.ts";
import { type ApprovalRow, addVote, setApproval } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { executionOfApproval, setExecution } from "../store/executions.ts";
import { insertProposals, setCandidate } from "../store/proposals.ts";
import { countStandingVotes } from "../store/standing-votes.ts";
import { changesOf, currentAction } from "../tools/edit-action.ts";
import { stateReply } from "../tools/replies.ts";
import { changedText } from "./changed-text.ts";
import { type Decided, refused, type StaffDecision } from "./decision.ts";
import type { DeskDeps } from "./deps.ts";
import { exceptionText } from "./receipt-rule.ts";
import { note, showCards } from "./show-approval.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";

/** Counts the person's vote; with enough of them the action is queued. */
export async function approve(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  by: StaffDecision,
): Promise<Decided> {
  const { tenantId, id: approvalId, actionDigest, approvalsRequired } = approval;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const name = approvalName(approval.number);
  const now = deps.clock.now();
  const vote = { tenantId, approvalId, staffId: by.staff.id, via: by.via, actionDigest, now };
  if (!(await addVote(tx, { ...vote, decision: "approve" })))
    return refused("voted_before", texts.votedBefore);
  const votes = await countStandingVotes(tx, approval);
  await note(tx, deps, approval, {
    eventType: "approval.voted",
    by: by.staff.id,
    decision: "approve",
  });
  if (votes < approvalsRequired) {
    const { isOneOfMany } = by;
    await showCards(tx, deps, approval, { votes, outcome: null, isOneOfMany });
    const message = texts.counted(name, votes, approvalsRequired);
    return { accepted: true, code: "counted", message };
  }
  await grant(tx, deps, approval, { by, votes });
  return { accepted: true, code: "approved", message: texts.approved(name) };
}

async function grant(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  { by, votes }: { by: StaffDecision; votes: number },
): Promise<void> {
  const { tenantId, id } = approval;
  const now = deps.clock.now();
  const language = deps.dress.staffLanguage;
  const action = currentAction(approval);
  await setApproval(tx, {
    ...{ tenantId, id, status: "approved", approver: by.staff.id, decidedVia: by.via },
    ...{ approvedAt: now, decidedAt: now },
    ...{ approvedActionJson: action, effectiveActionJson: action },
  });
  await queueExecution(tx, deps, approval);
  const marks = [
    DESK_TEXTS[language].outcomeApproved(by.staff.name, shownTime(now)),
    await changedText(tx, approval, language),
    await exceptionText(tx, approval, language),
  ];
  const outcome = marks.filter((mark) => mark !== null).join(" · ");
  await showCards(tx, deps, approval, { votes, outcome, isOneOfMany: by.isOneOfMany });
  await note(tx, deps, approval, {
    eventType: "approval.decided",
    by: by.staff.id,
    decision: "approve",
  });
}

/** The approved action waits in the queue; its approval's id is the key that keeps it single. */
export async function queueExecution(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<void> {
  const { tenantId } = approval;
  const id = await writeExecution(tx, approval, deps.clock.now());
  await setCandidate(tx, {
    tenantId,
    id: approval.candidateId,
    status: "queued",
    reply: stateReply("approved", approvedSummary(approval), approval.number),
  });
  await deps.dress.jobs.enqueue(tx, "execution", { tenantId, id });
  await note(tx, deps, approval, { eventType: "execution.queued", by: null, decision: null });
}

/** One that the gate stopped is taken up again: a request has one execution at most. */
async function writeExecution(tx: Tx, approval: ApprovalRow, now: number): Promise<string> {
  const { tenantId, actionDigest } = approval;
  const action = { payloadJson: currentAction(approval), actionDigest };
  const begins = { status: "queued" as const, attempts: 0, runAfter: now };
  const stopped = await executionOfApproval(tx, tenantId, approval.id);
  if (stopped?.status === "cancelled") {
    const { id } = stopped;
    await setExecution(tx, { tenantId, id, ...action, ...begins, finishedAt: null });
    return id;
  }
  const id = newId();
  const { runId, conversationId, candidateId, toolName, businessKey } = approval;
  const row = {
    ...{ id, tenantId, runId, conversationId, candidateId, approvalId: approval.id, toolName },
    ...{ ...action, ...begins, businessKey, idempotencyKey: approval.id },
    ...{ hasSideEffect: true, createdAt: now },
  };
  await insertProposals(tx, { candidates: [], checks: [], gates: [], executions: [row] });
  return id;
}

/** For the model: what is carried out may be less than what it proposed. */
function approvedSummary(approval: ApprovalRow): string {
  const changes = changesOf(approval).map(({ field, from, to }) => `${field} ${to}, not ${from}`);
  const changed = changes.length > 0 ? ` with a change (${changes.join("; ")})` : "";
  return `approved by an operator${changed}; it is being carried out`;
}
