import { approvalName } from "../domain/approval.ts";
import { NEW_WAITING, nextStepAt } from "../domain/approval-steps.ts";
import type { Language } from "../domain/language.ts";
import { paysOut } from "../domain/pays-out.ts";
import type { Terms } from "../policy/terms.ts";
import { setStep } from "../store/approval-steps.ts";
import {
  type ApprovalRow,
  lockApproval,
  pendingByBusinessKey,
  setApproval,
  voidVotes,
} from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import { editCards } from "../store/cards.ts";
import type { Tx } from "../store/db.ts";
import { destinationsOf } from "../store/destinations.ts";
import { setExecution, settleKeys } from "../store/executions.ts";
import { lastOrder } from "../store/orders.ts";
import { writeOutgoing } from "../store/outbox.ts";
import { liveExecutionOf, setCandidate } from "../store/proposals.ts";
import { staffById } from "../store/staff.ts";
import type { FallenVote } from "../store/standing-votes.ts";
import { approvalCard } from "../tools/approval-card.ts";
import { cardOf } from "../tools/ask-approval.ts";
import { raiseHandoff } from "../tools/raise-handoff.ts";
import { waitingReply } from "../tools/replies.ts";
import type { EngineDeps } from "./deps.ts";
import { tellPayoutLate } from "./hold-payout.ts";
import { type Approved, proposeNext } from "./propose-next.ts";
import { whyStopped } from "./show-stopped.ts";
import type { StopReason, Taking } from "./stop-execution.ts";

/** Does the action discharge money that came in, and is nothing else under way with that money? */
export async function isStillOwed(tx: Tx, { approval, execution }: Taking): Promise<boolean> {
  const { tenantId, conversationId, toolName, riskLevel, businessKey } = approval;
  if (approval.expiresAt !== null || conversationId === null) return false;
  if (!(await lockApproval(tx, tenantId, approval.id))) return false; // the product did not write it so
  const order = await lastOrder(tx, { tenantId, conversationId });
  if (!order) return false;
  const isPayout = paysOut({ name: toolName, risk: riskLevel });
  if (isPayout && order.status !== "paid") return false;
  if (!isPayout && order.status !== "awaiting_payment") return false;
  const live = businessKey === null ? null : await liveExecutionOf(tx, tenantId, businessKey);
  return live === null || live.id === execution.id;
}

/** May people decide on it once more, though no money is owed? What takes effect alone may not. */
export async function mayBeAskedAgain(
  tx: Tx,
  { approval, execution }: Taking,
  now: number,
): Promise<boolean> {
  const { tenantId, id, businessKey, expiresAt, decidedVia } = approval;
  if (decidedVia === "delay" || (expiresAt !== null && expiresAt <= now)) return false;
  if (!(await lockApproval(tx, tenantId, id))) return false; // the product did not write it so
  if (businessKey === null) return true;
  if (await pendingByBusinessKey(tx, tenantId, businessKey)) return false;
  const live = await liveExecutionOf(tx, tenantId, businessKey);
  return live === null || live.id === execution.id;
}

/** What the rules ask of people now, and whose votes count no more. */
export interface AskedNow {
  terms: Terms;
  fallen: readonly FallenVote[];
}

/**
 * Approved, and the gate refuses to carry it out, though a client's money is here or said to be, or
 * only votes are missing: the same request waits for people again, with its reminders, as if nobody
 * had decided. The votes count no more.
 */
export async function reopenRequest(
  tx: Tx,
  deps: EngineDeps,
  taking: Taking,
  why: AskedNow & { reason: StopReason },
): Promise<void> {
  const { approval } = taking;
  const { reason, terms, fallen } = why;
  const { tenantId, id } = approval;
  const now = deps.clock.now();
  const by = approval.approver ? await staffById(tx, tenantId, approval.approver) : null;
  await endAttempt(tx, taking, { reason, now });
  await voidVotes(tx, { tenantId, approvalId: id, now });
  const undecided = {
    ...{ status: "pending" as const, approver: null, decidedVia: null, approvedAt: null },
    ...{ decidedAt: null, effectiveActionJson: null, ...terms },
    approvedActionJson: approval.editedBy === null ? null : approval.approvedActionJson,
    nextStepAt: nextStepAt({ ...NEW_WAITING, expiresAt: approval.expiresAt }, now),
  };
  await setApproval(tx, { tenantId, id, ...undecided });
  await setStep(tx, { tenantId, id, remindersSent: 0, escalatedAt: null });
  await noteStopped(tx, taking, { reason, now });
  await show(tx, deps, { ...approval, ...undecided }, { reason, fallen, by: by?.name ?? "?" });
  if (paysOut({ name: approval.toolName, risk: approval.riskLevel }))
    await tellPayoutLate(tx, deps, taking.execution);
}

/**
 * The approved action cannot be carried out in that shape any more, and the money is owed: the payout
 * as it would be now is put to people, or they are asked to see to it.
 */
export async function askAnew(tx: Tx, deps: EngineDeps, approved: Approved): Promise<void> {
  const { toolName, riskLevel, number } = approved.approval;
  if (!paysOut({ name: toolName, risk: riskLevel })) return;
  const { tenantId, conversationId, contactId } = approved.scope;
  const name = approvalName(number);
  const otherwise = async (inner: Tx) => {
    await raiseHandoff(inner, deps.jobs, {
      ...{ tenantId, conversationId, contactId, now: deps.clock.now(), reason: "payout_review" },
      order: await lastOrder(inner, { tenantId, conversationId }),
      summary: {
        en: `${name} was approved and could not be carried out; the client's money is here`,
        ru: `${name} одобрено, но выполнить не получилось; деньги клиента у нас`,
      },
    });
  };
  await proposeNext(tx, deps, approved, [{ tool: toolName, args: {}, otherwise }]);
}

async function endAttempt(
  tx: Tx,
  { execution, approval, candidate }: Taking,
  { reason, now }: { reason: StopReason; now: number },
): Promise<void> {
  const { tenantId, id } = execution;
  await setExecution(tx, { tenantId, id, status: "cancelled", finishedAt: now });
  await settleKeys(tx, { tenantId, executionId: id, status: "freed" });
  const reply = waitingReply(approval.number);
  const waits = { status: "waiting_approval" as const, code: reason, reply };
  await setCandidate(tx, { tenantId, id: candidate.id, ...waits });
}

function noteStopped(
  tx: Tx,
  { execution, approval }: Taking,
  { reason, now }: { reason: StopReason; now: number },
): Promise<void> {
  const { tenantId, runId, conversationId, candidateId, toolName } = execution;
  return writeAudit(tx, [
    {
      ...{ tenantId, runId, conversationId, candidateId, toolName, createdAt: now },
      eventType: "execution.stopped",
      summary: `approved but not executed: ${reason}; it waits for people again`,
      decision: "deny",
      userId: approval.approver,
      refs: { execution: execution.id, approval: approval.id },
    },
  ]);
}

async function show(
  tx: Tx,
  deps: EngineDeps,
  approval: ApprovalRow,
  why: { reason: StopReason; by: string; fallen: readonly FallenVote[] },
): Promise<void> {
  const { tenantId, id: approvalId, conversationId } = approval;
  const { jobs, staffLanguage: language, sandbox } = deps.proposing.dress;
  const write = { jobs, tenantId, now: deps.clock.now() };
  const card = approvalCard(cardOf(approval), { language, sandbox });
  await editCards(tx, { ...write, approvalId, conversationId, card });
  const texts = TEXTS[language];
  const isPayout = paysOut({ name: approval.toolName, risk: approval.riskLevel });
  const stands = isPayout ? texts.owed : texts.claimed;
  const text = [
    `${approvalName(approval.number)}: ${whyStopped(why, language)}`,
    approval.expiresAt === null && conversationId !== null ? stands : texts.waits,
    why.reason === "not_approved" ? texts.decideAnew : texts.onceMended,
  ].join(" ");
  const places = await destinationsOf(tx, tenantId, "operators");
  const rows = places.map(({ channelId, chatId }) => ({
    ...{ channelId, chatId, purpose: "notice" as const },
    content: { kind: "text" as const, text },
  }));
  await writeOutgoing(tx, write, rows);
}

const TEXTS = {
  en: {
    owed: "The client's money is here, so the request waits for a decision again:",
    claimed: "The client's payment is not recorded, so the request waits for a decision again:",
    waits: "The request waits for a decision again:",
    onceMended: "once that is mended, press Approve on its card.",
    decideAnew: "look at it anew and decide on its card.",
  },
  ru: {
    owed: "Деньги клиента уже у нас, поэтому запрос снова ждёт решения:",
    claimed: "Оплата клиента не записана, поэтому запрос снова ждёт решения:",
    waits: "Запрос снова ждёт решения:",
    onceMended: "когда причина устранена, нажмите «Одобрить» на карточке.",
    decideAnew: "посмотрите его заново и решите на карточке.",
  },
} as const satisfies Record<Language, unknown>;
