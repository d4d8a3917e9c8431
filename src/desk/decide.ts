import { approvalName, type DecisionVia } from "../domain/approval.ts";
import { newId } from "../domain/ids.ts";
import {
  type ApprovalRow,
  addVote,
  countStandingVotes,
  lockApproval,
  setApproval,
} from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import { editCards } from "../store/cards.ts";
import type { Tx } from "../store/db.ts";
import { isOwnRequest } from "../store/makers.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { insertProposals, liveExecutionOf, setCandidate } from "../store/proposals.ts";
import { type StaffMember, staffById } from "../store/staff.ts";
import { approvalCard } from "../tools/approval-card.ts";
import { cardOf } from "../tools/ask-approval.ts";
import { declinedReply, stateReply } from "../tools/replies.ts";
import type { DeskDeps } from "./deps.ts";
import { payoutStopText } from "./payouts-stopped.ts";
import { DESK_TEXTS, shownTime } from "./texts.ts";
import { undoAsking } from "./undo-asking.ts";

export interface Decision {
  tenantId: string;
  approvalId: string;
  /** null: nobody that we know. */
  staff: StaffMember | null;
  decision: "approve" | "reject";
  reason?: string | null;
  via: DecisionVia;
}

export interface Decided {
  accepted: boolean;
  code:
    | "approved"
    | "counted"
    | "rejected"
    | "forbidden"
    | "not_found"
    | "already_decided"
    | "voted_before"
    | "under_way"
    | "payouts_stopped";
  /** For the person, in the staff's language. */
  message: string;
}

/** How long a continuation waits for the reason of a rejection, product time. */
const REASON_WAIT_MS = 60_000;

/** The one choke point for buttons, commands and the API: compare-and-set in one transaction. */
export async function decide(tx: Tx, deps: DeskDeps, decision: Decision): Promise<Decided> {
  const approval = await lockApproval(tx, decision.tenantId, decision.approvalId);
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  if (!approval) return { accepted: false, code: "not_found", message: texts.gone };
  const { staff } = decision;
  const refusal = await refusalOf(tx, deps, decision, approval);
  if (refusal || !staff) {
    const refused = refusal ?? {
      accepted: false,
      code: "forbidden" as const,
      message: texts.notAllowed,
    };
    await note(tx, deps, approval, {
      eventType: "approval.refused",
      by: staff?.id ?? null,
      decision: refused.code,
    });
    return refused;
  }
  return decision.decision === "approve"
    ? approve(tx, deps, approval, { ...decision, staff })
    : reject(tx, deps, approval, { ...decision, staff });
}

type ByStaff = Decision & { staff: StaffMember };

/** Why the person may not decide so, or not any more; null when nothing is in the way. Reads only. */
export async function refusalOf(
  tx: Tx,
  deps: DeskDeps,
  { staff, tenantId, decision }: Pick<Decision, "staff" | "tenantId" | "decision">,
  approval: ApprovalRow,
): Promise<Decided | null> {
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const forbidden = (message: string): Decided => ({ accepted: false, code: "forbidden", message });
  if (staff?.status !== "active") return forbidden(texts.notAllowed);
  if (approval.approverRole === "admin" && staff.role !== "admin")
    return forbidden(texts.needsAdmin);
  if (await isOwnRequest(tx, { tenantId, staffId: staff.id, maker: approval.requestedBy }))
    return forbidden(texts.ownRequest);
  const late = approval.expiresAt !== null && approval.expiresAt <= deps.clock.now();
  if (approval.status === "pending" && !late)
    return decision === "approve" ? stopRefusal(tx, deps, approval) : null;
  const status = late && approval.status === "pending" ? "expired" : approval.status;
  const by = approval.approver ? await staffById(tx, tenantId, approval.approver) : null;
  const when = approval.decidedAt === null ? null : shownTime(approval.decidedAt);
  const message = texts.decided(texts.status[status] ?? status, by?.name ?? null, when);
  return { accepted: false, code: "already_decided", message };
}

/** Rejecting goes on while payouts are stopped. */
async function stopRefusal(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<Decided | null> {
  const message = await payoutStopText(tx, approval, deps.dress.staffLanguage);
  return message === null ? null : { accepted: false, code: "payouts_stopped", message };
}

async function approve(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  by: ByStaff,
): Promise<Decided> {
  const { tenantId } = approval;
  const now = deps.clock.now();
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const name = approvalName(approval.number);
  const live = approval.businessKey
    ? await liveExecutionOf(tx, tenantId, approval.businessKey)
    : null;
  if (live) return { accepted: false, code: "under_way", message: texts.underWay };
  const vote = { tenantId, approvalId: approval.id, staffId: by.staff.id, via: by.via, now };
  if (!(await addVote(tx, { ...vote, decision: "approve" })))
    return { accepted: false, code: "voted_before", message: texts.votedBefore };
  const votes = await countStandingVotes(tx, tenantId, approval.id);
  await note(tx, deps, approval, {
    eventType: "approval.voted",
    by: by.staff.id,
    decision: "approve",
  });
  if (votes < approval.approvalsRequired) {
    await showCards(tx, deps, approval, { votes, outcome: null });
    return {
      accepted: true,
      code: "counted",
      message: texts.counted(name, votes, approval.approvalsRequired),
    };
  }
  await setApproval(tx, {
    tenantId,
    id: approval.id,
    status: "approved",
    approver: by.staff.id,
    decidedVia: by.via,
    approvedAt: now,
    decidedAt: now,
    approvedActionJson: approval.proposedActionJson,
    effectiveActionJson: approval.proposedActionJson,
  });
  await queueExecution(tx, deps, approval);
  await showCards(tx, deps, approval, {
    votes,
    outcome: texts.outcomeApproved(by.staff.name, shownTime(now)),
  });
  await note(tx, deps, approval, {
    eventType: "approval.decided",
    by: by.staff.id,
    decision: "approve",
  });
  return { accepted: true, code: "approved", message: texts.approved(name) };
}

/** The approved action waits in the queue; its approval's id is the key that keeps it single. */
async function queueExecution(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<void> {
  const { tenantId } = approval;
  const now = deps.clock.now();
  const id = newId();
  await insertProposals(tx, {
    candidates: [],
    checks: [],
    gates: [],
    executions: [
      {
        id,
        tenantId,
        runId: approval.runId,
        conversationId: approval.conversationId,
        candidateId: approval.candidateId,
        approvalId: approval.id,
        toolName: approval.toolName,
        payloadJson: approval.proposedActionJson,
        actionDigest: approval.actionDigest,
        idempotencyKey: approval.id,
        businessKey: approval.businessKey,
        hasSideEffect: true,
        status: "queued",
        attempts: 0,
        runAfter: now,
        createdAt: now,
      },
    ],
  });
  await setCandidate(tx, {
    tenantId,
    id: approval.candidateId,
    status: "queued",
    reply: stateReply(
      "approved",
      "approved by an operator; it is being carried out",
      approval.number,
    ),
  });
  await deps.dress.jobs.enqueue(tx, "execution", { tenantId, id });
  await note(tx, deps, approval, { eventType: "execution.queued", by: null, decision: null });
}

async function reject(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  by: ByStaff,
): Promise<Decided> {
  const { tenantId, conversationId } = approval;
  const now = deps.clock.now();
  const reason = by.reason?.trim() || null;
  const texts = DESK_TEXTS[deps.dress.staffLanguage];
  const name = approvalName(approval.number);
  await addVote(tx, {
    tenantId,
    approvalId: approval.id,
    staffId: by.staff.id,
    decision: "reject",
    via: by.via,
    now,
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

/** All cards of the approval, wherever they stand, show this state. */
export async function showCards(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  state: { votes: number; outcome: string | null },
): Promise<void> {
  const { jobs, staffLanguage: language, sandbox } = deps.dress;
  const { tenantId, conversationId } = approval;
  const card = approvalCard(cardOf(approval, state), { language, sandbox });
  const now = deps.clock.now();
  await editCards(tx, { jobs, tenantId, approvalId: approval.id, conversationId, card, now });
}

export async function note(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  said: { eventType: string; by: string | null; decision: string | null },
): Promise<void> {
  await writeAudit(tx, [
    {
      tenantId: approval.tenantId,
      eventType: said.eventType,
      summary: `${approvalName(approval.number)} ${approval.toolName}: ${said.decision ?? said.eventType}`,
      decision: said.decision,
      createdAt: deps.clock.now(),
      runId: approval.runId,
      conversationId: approval.conversationId,
      candidateId: approval.candidateId,
      userId: said.by,
      toolName: approval.toolName,
      refs: { approval: approval.id, digest: approval.actionDigest },
    },
  ]);
}
