import { approvalName } from "../domain/approval.ts";
import type { Language } from "../domain/language.ts";
import { paysOut } from "../domain/pays-out.ts";
import { type ApprovalRow, setApproval } from "../store/approvals.ts";
import { conversationOf } from "../store/conversations.ts";
import type { Tx } from "../store/db.ts";
import { conversationOfChat, lockOpenOf } from "../store/objected-approvals.ts";
import { lastOrder, type Order } from "../store/orders.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import type { StaffMember } from "../store/staff.ts";
import { addMessage } from "../store/transcript.ts";
import { raiseHandoff } from "../tools/raise-handoff.ts";
import { stateReply } from "../tools/replies.ts";
import type { DeskDeps } from "./deps.ts";
import { dropHeldExecution } from "./drop-held.ts";
import { note, showCards } from "./show-approval.ts";
import { shownTime } from "./texts.ts";
import { undoAsking } from "./undo-asking.ts";

/** Why what waits for a client is over without a decision. */
export type Cancelling =
  | { kind: "client_blocked" }
  | { kind: "staff"; staff: StaffMember; reason: string };

/** The client blocked the bot: nothing can be told or asked any more, so nothing waits for them. */
export async function cancelOfBlocked(
  tx: Tx,
  deps: DeskDeps,
  who: { tenantId: string; contactId: string },
): Promise<void> {
  const open = await lockOpenOf(tx, who);
  for (const approval of open) await cancelOpen(tx, deps, approval, { kind: "client_blocked" });
}

/** The same, told by a message that was refused. */
export async function cancelOfBlockedChat(
  tx: Tx,
  deps: DeskDeps,
  chat: { tenantId: string; channelId: string; chatId: string },
): Promise<void> {
  const { tenantId } = chat;
  const conversationId = await conversationOfChat(tx, chat);
  if (conversationId === null) return;
  const { contactId } = await conversationOf(tx, tenantId, conversationId);
  await cancelOfBlocked(tx, deps, { tenantId, contactId });
}

/** For good: it is not executed, its cards are closed, the next turn of the client begins afresh. */
export async function cancelOpen(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  why: Cancelling,
): Promise<void> {
  const { tenantId, id } = approval;
  const now = deps.clock.now();
  const approver = why.kind === "staff" ? why.staff.id : null;
  await setApproval(tx, { tenantId, id, status: "cancelled", approver, decidedAt: now });
  await setCandidate(tx, {
    tenantId,
    id: approval.candidateId,
    status: "failed",
    code: "CANCELLED",
    reply: stateReply("cancelled", "cancelled before anybody decided; not done", approval.number),
    settledAt: now,
  });
  await dropHeldExecution(tx, approval, now);
  await undoAsking(tx, approval, now);
  await showCards(tx, deps, approval, { votes: 0, outcome: outcomeOf(deps, why) });
  await note(tx, deps, approval, {
    eventType: "approval.cancelled",
    by: approver,
    decision: why.kind,
  });
  await tellConversation(tx, deps, approval, why);
  if (approval.expiresAt === null) await askAboutMoney(tx, deps, approval);
}

function outcomeOf({ dress, clock }: DeskDeps, why: Cancelling): string {
  const texts = TEXTS[dress.staffLanguage];
  if (why.kind === "client_blocked") return texts.blocked;
  const reason = why.reason === "" ? "" : `: ${why.reason}`;
  return `${texts.by(why.staff.name, shownTime(clock.now()))}${reason}`;
}

/** Whoever blocked us is told nothing; should they come back, the model knows. */
async function tellConversation(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, conversationId, id, number, toolName }: ApprovalRow,
  why: Cancelling,
): Promise<void> {
  if (conversationId === null) return;
  const now = deps.clock.now();
  const line = `${approvalName(number)} (${toolName}) is now cancelled, not done; tell the lead; it may be asked for anew.`;
  if (why.kind === "staff") {
    const outcome = { tenantId, conversationId, approvalId: id, line, now, waitMs: 0 };
    return recordOutcome(tx, deps.dress.jobs, outcome);
  }
  const event = { author: "system", kind: "event", runId: null } as const;
  await addMessage(tx, { tenantId, conversationId, ...event, text: line, now });
}

/** Money that is here, or that the client says they sent, is not done with: a person sees to it. */
async function askAboutMoney(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<void> {
  const { tenantId, conversationId, number } = approval;
  if (conversationId === null) return;
  const { contactId } = await conversationOf(tx, tenantId, conversationId);
  const name = approvalName(number);
  const order = await lastOrder(tx, { tenantId, conversationId });
  const state = moneyOf(approval, order);
  await raiseHandoff(tx, deps.dress.jobs, {
    ...{ tenantId, conversationId, contactId, now: deps.clock.now(), order },
    reason: state === "claimed" ? "payment_review" : "payout_review",
    summary: { en: TEXTS.en[state](name), ru: TEXTS.ru[state](name) },
  });
}

/** `claimed`: the client alone says that it came; `unclear`: no order of theirs is paid. */
function moneyOf(
  { toolName: name, riskLevel: risk }: ApprovalRow,
  order: Order | null,
): "owed" | "claimed" | "unclear" {
  if (!paysOut({ name, risk })) return "claimed";
  return order?.status === "paid" || order?.status === "payout" ? "owed" : "unclear";
}

const TEXTS = {
  en: {
    blocked: "Cancelled: the client blocked the bot. Not executed.",
    by: (who: string, when: string) => `Cancelled by ${who}, ${when}`,
    owed: (name: string) => `${name} was cancelled, and the client's money is here`,
    claimed: (name: string) => `${name} was cancelled; the client says they paid; not confirmed`,
    unclear: (name: string) =>
      `${name} was cancelled; no paid order stands behind it, check whether anything is owed`,
  },
  ru: {
    blocked: "Отменено: клиент заблокировал бота. Не выполнено.",
    by: (who: string, when: string) => `Отменено: ${who}, ${when}`,
    owed: (name: string) => `${name} отменено, а деньги клиента у нас`,
    claimed: (name: string) =>
      `${name} отменено; клиент говорит, что заплатил; поступление не подтверждено`,
    unclear: (name: string) =>
      `${name} отменено; оплаченной заявки за ним нет, проверьте, должны ли мы что-то`,
  },
} as const satisfies Record<Language, unknown>;
