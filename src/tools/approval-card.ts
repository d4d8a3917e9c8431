import { approvalName } from "../domain/approval.ts";
import type { Language } from "../domain/language.ts";
import type { Card, CardButton } from "../domain/messenger.ts";
import { digestHead } from "../policy/digest.ts";
import { shownFacts } from "./long-values.ts";

/** Actions of a card's buttons; `value` is the approval's id, of Approve and Edit with the digest's head. */
export const APPROVE = "approve";
/** Opens the form for what an approver may change. */
export const EDIT = "edit";
/** Works whatever the person has seen of the request, so that its value is the id alone. */
export const REJECT = "reject";
/** Answers to "did this happen?" about an unknown outcome. */
export const HAPPENED = "happened";
/** Frees the keys of the action for a new approval: pressed wrongly, it may happen twice. */
export const NOT_HAPPENED = "not_happened";
/** Lets people decide again on what is frozen. */
export const UNFREEZE = "unfreeze";
/** Stand in messages that were sent: buttons of old cards come back with these words for months. */
export type CardAction =
  | typeof APPROVE
  | typeof EDIT
  | typeof REJECT
  | typeof HAPPENED
  | typeof NOT_HAPPENED
  | typeof UNFREEZE;

/** Which title a tool's card has. */
export function cardKindOf(toolName: string): string {
  return CARD_KINDS.get(toolName) ?? "other";
}

const CARD_KINDS = new Map([
  ["issue_exchange_payout", "payout"],
  ["change_payout_destination", "destination"],
  ["set_kyc_status", "kyc"],
  ["confirm_fiat_payment", "payment_review"],
  ["change_authority", "authority"],
]);

/**
 * What a card shows of a request, whether it waits or is decided. Times are product time,
 * milliseconds.
 */
export interface CardApproval {
  id: string;
  number: number;
  toolName: string;
  /** As `cardKindOf` names it; picks the title. */
  requestedAction: string;
  /** In this order, each value whole or, when it is long, with its beginning and digest. */
  material: { label: string; value: string }[];
  /** Words of the lead: shown apart, as nothing in them was checked. null: there are none. */
  clientSays: string | null;
  /** Of the action as it would be carried out now, hex; the card shows its head. */
  digest: string;
  approvalsRequired: number;
  /** People who have said yes to exactly this digest so far. */
  votes: number;
  /** null: it does not expire, as it is about money that came in or is said to have. */
  expiresAt: number | null;
  /** Head of the sealed audit trail: a witness outside the database. */
  auditHead?: string | null;
  /** Nobody has to approve it: it takes effect then, unless somebody rejects it. */
  approvesItselfAt?: number | null;
  /** The same, and that time starts when a card of it was delivered to the operators. */
  startsWhenSeen?: boolean;
  /** Set once it is decided: who, what, when. */
  outcome: string | null;
  /** Why nobody may approve it before somebody lifts that; null: it is not frozen. */
  frozen?: string | null;
  /** May an approver change part of it? */
  isEditable?: boolean;
  /** Approve, Reject and, where something may be changed, Edit when left out. */
  buttons?: CardAction[];
}

/** The card of an approval: every material field whole, what others wrote apart. */
export function approvalCard(
  approval: CardApproval,
  dress: { language: Language; sandbox: boolean },
): Card {
  const texts = TEXTS[dress.language];
  const title = requestTitle(approval.requestedAction, dress.language);
  return {
    title: `${title} · ${approvalName(approval.number)}`,
    facts: [
      ...frozenFacts(approval, texts),
      ...shownFacts(approval.material, dress.language),
      ...delayFacts(approval, texts),
    ],
    ...(approval.clientSays
      ? { clientSays: { label: texts.clientSays, text: approval.clientSays } }
      : {}),
    footer: footerOf(approval, dress),
    ...(approval.outcome ? { outcome: approval.outcome } : {}),
    buttons: approval.outcome ? [] : buttonsOf(approval, texts),
  };
}

/** What a request is called in a line that names it. */
export function requestTitle(requestedAction: string, language: Language): string {
  const { titles } = TEXTS[language];
  return titles[requestedAction] ?? titles.other;
}

function frozenFacts({ frozen, outcome }: CardApproval, texts: (typeof TEXTS)[Language]) {
  if (typeof frozen !== "string" || outcome !== null) return [];
  return [{ label: texts.frozen, value: texts.frozenReasons[frozen] ?? frozen }];
}

function delayFacts(approval: CardApproval, texts: (typeof TEXTS)[Language]) {
  const { approvesItselfAt, outcome } = approval;
  if (!isAlone(approval) || outcome !== null) return [];
  const value = approvesItselfAt
    ? texts.unlessRejected(shownMinute(approvesItselfAt))
    : texts.startsWhenSeen;
  return [{ label: texts.approvesItself, value }];
}

function isAlone({ approvesItselfAt, startsWhenSeen }: CardApproval): boolean {
  return Boolean(approvesItselfAt) || startsWhenSeen === true;
}

function footerOf(
  approval: CardApproval,
  dress: { language: Language; sandbox: boolean },
): string[] {
  const texts = TEXTS[dress.language];
  const lines = [`${approval.toolName} · ${digestHead(approval.digest)}`];
  if (approval.approvalsRequired > 1)
    lines.push(`${texts.approvals}: ${approval.votes}/${approval.approvalsRequired}`);
  if (approval.expiresAt !== null && !approval.approvesItselfAt)
    lines.push(`${texts.expires} ${shownMinute(approval.expiresAt)}`);
  if (approval.auditHead) lines.push(`${texts.auditHead} ${approval.auditHead}`);
  if (dress.sandbox) lines.push("SANDBOX");
  return lines;
}

function buttonsOf(approval: CardApproval, texts: (typeof TEXTS)[Language]): CardButton[] {
  const isFrozen = typeof approval.frozen === "string";
  const edit: CardAction[] = approval.isEditable && !isFrozen ? [EDIT] : [];
  const grant: CardAction = isFrozen ? UNFREEZE : APPROVE;
  const first = isAlone(approval) ? [] : [grant];
  const actions: CardAction[] = approval.buttons ?? [...first, REJECT, ...edit];
  return actions.map((action) => ({
    label: texts.buttons[action],
    action,
    value: isBound(action) ? boundValue(approval) : approval.id,
    ...(STYLES[action] ? { style: STYLES[action] } : {}),
  }));
}

function shownMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}

const STYLES: Partial<Record<CardAction, "primary" | "danger">> = {
  [APPROVE]: "primary",
  [HAPPENED]: "primary",
  [REJECT]: "danger",
  [NOT_HAPPENED]: "danger",
};

function isBound(action: CardAction): boolean {
  return action === APPROVE || action === EDIT;
}

/** Names the request, and what the person who presses has seen of it. */
export function boundValue({ id, digest }: { id: string; digest: string }): string {
  return `${id}.${digestHead(digest)}`;
}

/** `seen`: null on a button from before the digest stood there. */
export function readBoundValue(value: string): { approvalId: string; seen: string | null } {
  const [approvalId = "", seen = null] = value.split(".");
  return { approvalId, seen };
}

const TEXTS = {
  en: {
    titles: {
      payout: "Payout: approve?",
      destination: "Payout destination: change it?",
      kyc: "Identity documents: verified?",
      payment_review: "Payment: has the money arrived?",
      authority: "Who may do what: change it?",
      unknown_outcome: "Did this happen?",
      other: "Approve this action?",
    } as Record<string, string> & { other: string },
    clientSays: "client says",
    approvals: "approvals",
    expires: "open until",
    auditHead: "audit",
    approvesItself: "Takes effect by itself",
    unlessRejected: (time: string) => `at ${time}, unless somebody presses Reject`,
    startsWhenSeen:
      "unless somebody presses Reject; its time starts now that this card stands here, and is shown in a moment",
    frozen: "Frozen",
    frozenReasons: {
      customer_objected: "customer objected; nobody can approve it until somebody presses Unfreeze",
      customer_took_back:
        "customer objected and then took it back; press Unfreeze to let people decide",
    } as Record<string, string>,
    buttons: {
      unfreeze: "Unfreeze",
      approve: "Approve",
      edit: "Edit",
      reject: "Reject",
      happened: "Yes, it happened",
      not_happened: "No, it did not",
    },
  },
  ru: {
    titles: {
      payout: "Выплата: одобрить?",
      destination: "Куда выплатить: изменить?",
      kyc: "Документы клиента: подтвердить личность?",
      payment_review: "Оплата: деньги поступили?",
      authority: "Кто что может: изменить?",
      unknown_outcome: "Это произошло?",
      other: "Одобрить действие?",
    } as Record<string, string> & { other: string },
    clientSays: "клиент пишет",
    approvals: "одобрений",
    expires: "открыто до",
    auditHead: "аудит",
    approvesItself: "Вступит в силу само",
    unlessRejected: (time: string) => `в ${time}, если никто не нажмёт «Отклонить»`,
    startsWhenSeen:
      "если никто не нажмёт «Отклонить»; отсчёт начинается, когда эта карточка появилась здесь, время будет указано через минуту",
    frozen: "Заморожено",
    frozenReasons: {
      customer_objected:
        "клиент возразил; одобрить нельзя, пока кто-нибудь не нажмёт «Разморозить»",
      customer_took_back: "клиент возразил, потом передумал; нажмите «Разморозить», чтобы решать",
    } as Record<string, string>,
    buttons: {
      unfreeze: "Разморозить",
      approve: "Одобрить",
      edit: "Изменить",
      reject: "Отклонить",
      happened: "Да, произошло",
      not_happened: "Нет",
    },
  },
} as const;
