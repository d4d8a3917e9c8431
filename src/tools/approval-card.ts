import { approvalName } from "../domain/approval.ts";
import type { Language } from "../domain/language.ts";
import type { Card, CardButton } from "../domain/messenger.ts";
import { digestHead } from "../policy/digest.ts";

/** Actions of a card's buttons; `value` is the approval's id. */
export const APPROVE = "approve";
export const REJECT = "reject";
/** Answers to "did this happen?" about an unknown outcome. */
export const HAPPENED = "happened";
export const NOT_HAPPENED = "not_happened";
export type CardAction = typeof APPROVE | typeof REJECT | typeof HAPPENED | typeof NOT_HAPPENED;

/** Which title a tool's card has. */
export function cardKindOf(toolName: string): string {
  return CARD_KINDS.get(toolName) ?? "other";
}

const CARD_KINDS = new Map([
  ["issue_exchange_payout", "payout"],
  ["set_kyc_status", "kyc"],
  ["confirm_fiat_payment", "payment_review"],
]);

export interface CardApproval {
  id: string;
  number: number;
  toolName: string;
  requestedAction: string;
  material: { label: string; value: string }[];
  clientSays: string | null;
  digest: string;
  approvalsRequired: number;
  votes: number;
  expiresAt: number | null;
  /** Set once it is decided: who, what, when. */
  outcome: string | null;
  /** Approve and Reject when left out. */
  buttons?: CardAction[];
}

/** The card of an approval: every material field whole, what others wrote apart. */
export function approvalCard(
  approval: CardApproval,
  dress: { language: Language; sandbox: boolean },
): Card {
  const texts = TEXTS[dress.language];
  const title = texts.titles[approval.requestedAction] ?? texts.titles.other;
  return {
    title: `${title} · ${approvalName(approval.number)}`,
    facts: approval.material,
    ...(approval.clientSays
      ? { clientSays: { label: texts.clientSays, text: approval.clientSays } }
      : {}),
    footer: footerOf(approval, dress),
    ...(approval.outcome ? { outcome: approval.outcome } : {}),
    buttons: approval.outcome ? [] : buttonsOf(approval, texts),
  };
}

function footerOf(
  approval: CardApproval,
  dress: { language: Language; sandbox: boolean },
): string[] {
  const texts = TEXTS[dress.language];
  const lines = [`${approval.toolName} · ${digestHead(approval.digest)}`];
  if (approval.approvalsRequired > 1)
    lines.push(`${texts.approvals}: ${approval.votes}/${approval.approvalsRequired}`);
  if (approval.expiresAt !== null)
    lines.push(`${texts.expires} ${new Date(approval.expiresAt).toISOString().slice(0, 16)}Z`);
  if (dress.sandbox) lines.push("SANDBOX");
  return lines;
}

function buttonsOf(approval: CardApproval, texts: (typeof TEXTS)[Language]): CardButton[] {
  const actions = approval.buttons ?? [APPROVE, REJECT];
  return actions.map((action) => ({
    label: texts.buttons[action],
    action,
    value: approval.id,
    style: action === APPROVE || action === HAPPENED ? "primary" : "danger",
  }));
}

const TEXTS = {
  en: {
    titles: {
      payout: "Payout: approve?",
      kyc: "Identity documents: verified?",
      payment_review: "Payment: has the money arrived?",
      unknown_outcome: "Did this happen?",
      other: "Approve this action?",
    } as Record<string, string> & { other: string },
    clientSays: "client says",
    approvals: "approvals",
    expires: "open until",
    buttons: {
      approve: "Approve",
      reject: "Reject",
      happened: "Yes, it happened",
      not_happened: "No, it did not",
    },
  },
  ru: {
    titles: {
      payout: "Выплата: одобрить?",
      kyc: "Документы клиента: подтвердить личность?",
      payment_review: "Оплата: деньги поступили?",
      unknown_outcome: "Это произошло?",
      other: "Одобрить действие?",
    } as Record<string, string> & { other: string },
    clientSays: "клиент пишет",
    approvals: "одобрений",
    expires: "открыто до",
    buttons: {
      approve: "Одобрить",
      reject: "Отклонить",
      happened: "Да, произошло",
      not_happened: "Нет",
    },
  },
} as const;
