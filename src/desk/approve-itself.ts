import { takesEffectAlone } from "../domain/approval.ts";
import { NEW_WAITING, nextStepAt } from "../domain/approval-steps.ts";
import type { Language } from "../domain/language.ts";
import { type ApprovalRow, addVote, setApproval } from "../store/approvals.ts";
import { adminsBeside } from "../store/authority.ts";
import { standsWithOperators } from "../store/card-places.ts";
import type { Tx } from "../store/db.ts";
import { type StaffMember, staffById } from "../store/staff.ts";
import { CHANGE_AUTHORITY } from "../tools/change-authority/tool-name.ts";
import { currentAction } from "../tools/edit-action.ts";
import { queueExecution } from "./approve.ts";
import { cancelRequest } from "./cancel-request.ts";
import { waitForCard } from "./delayed-effect.ts";
import type { DeskDeps } from "./deps.ts";
import { note, showCards } from "./show-approval.ts";
import { shownTime } from "./texts.ts";

/**
 * One admin alone asked for a change, and nobody of the staff ended it in time: it takes effect. The
 * vote is the maker's own, and says that the delay gave it. When another admin is there by now, that
 * one decides instead.
 */
export async function approveItself(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<void> {
  const { tenantId, id, requestedBy, actionDigest } = approval;
  const now = deps.clock.now();
  const texts = TEXTS[deps.dress.staffLanguage];
  const maker = await staffById(tx, tenantId, requestedBy);
  if (maker?.status !== "active" || maker.role !== "admin")
    return cancelRequest(tx, deps, approval, texts.makerGone);
  if (!(await standsWithOperators(tx, { tenantId, approvalId: id })))
    return waitForCard(tx, deps, approval);
  const others = await adminsBeside(tx, { tenantId, staffId: maker.id });
  if (others.active > 0) return askOthers(tx, deps, approval);
  const vote = { tenantId, approvalId: id, staffId: maker.id, actionDigest, now };
  await addVote(tx, { ...vote, decision: "approve", via: "delay" });
  const action = currentAction(approval);
  await setApproval(tx, {
    ...{ tenantId, id, status: "approved", approver: maker.id, decidedVia: "delay" },
    ...{ approvedAt: now, decidedAt: now },
    ...{ approvedActionJson: action, effectiveActionJson: action },
  });
  await queueExecution(tx, deps, approval);
  await showCards(tx, deps, approval, { votes: 1, outcome: texts.tookEffect(shownTime(now)) });
  await note(tx, deps, approval, {
    eventType: "approval.decided",
    by: maker.id,
    decision: "approve",
  });
}

/** From now on it is a request like any other, with the time that such a one has. */
async function askOthers(tx: Tx, deps: DeskDeps, approval: ApprovalRow): Promise<void> {
  const { tenantId, id } = approval;
  const now = deps.clock.now();
  const expiresAt = now + deps.dress.defaultTtlMs;
  const waits = { expiresAt, approvesItselfAt: null, decidedVia: null };
  const due = nextStepAt({ ...NEW_WAITING, ...waits }, now);
  await setApproval(tx, { tenantId, id, ...waits, nextStepAt: due });
  const open = { ...approval, ...waits };
  await showCards(tx, deps, open, { votes: 0, outcome: null });
  await note(tx, deps, approval, { eventType: "approval.voted", by: null, decision: "not alone" });
}

/**
 * May this person end a request though others decide on it? Whoever asked may take it back; while
 * it would take effect by itself, everybody of the staff may stop it.
 */
export function mayCancel(staff: StaffMember, approval: ApprovalRow): boolean {
  if (staff.status !== "active" || approval.toolName !== CHANGE_AUTHORITY) return false;
  return takesEffectAlone(approval) || approval.requestedBy === staff.id;
}

const TEXTS = {
  en: {
    tookEffect: (when: string) => `Took effect by itself, ${when}: nobody rejected it`,
    makerGone: "Cancelled: whoever asked for it is no active admin any more",
  },
  ru: {
    tookEffect: (when: string) => `Вступило в силу само, ${when}: никто не отклонил`,
    makerGone: "Отменено: кто просил, больше не активный администратор",
  },
} as const satisfies Record<Language, unknown>;
