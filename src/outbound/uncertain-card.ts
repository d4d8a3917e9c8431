import type { Language } from "../domain/language.ts";
import { type Card, type Outgoing, RESEND_REPLY } from "../domain/messenger.ts";
import { postCards } from "../store/cards.ts";
import { clientOfChat } from "../store/conversations.ts";
import type { Tx } from "../store/db.ts";
import type { ClaimedRow } from "../store/outbox-claim.ts";
import type { DeliveryEnd } from "../store/outbox-finish.ts";
import { tenantById } from "../store/tenants.ts";
import { CODE_GONE, GIVEN_UP } from "./next-step.ts";

/** Ends after which the lead may have read nothing: people are told. */
export type LostEnd = Extract<DeliveryEnd, { kind: "uncertain" | "failed" }>;

/** Nobody may learn of it otherwise: the lead waits, and the deal believes that it was said. */
export function isLostReply(row: ClaimedRow, end: DeliveryEnd): end is LostEnd {
  return row.purpose === "reply" && (end.kind === "uncertain" || end.kind === "failed");
}

/** Tells the operators of a reply that may not have arrived, or did not. The caller wakes delivery. */
export async function postLostReply(
  tx: Tx,
  row: ClaimedRow,
  { end, now }: { end: LostEnd; now: number },
): Promise<void> {
  const { tenantId, conversationId } = row;
  const language = (await tenantById(tx, tenantId))?.language ?? "en";
  const clientName = (await clientOfChat(tx, row)) ?? "?";
  const card = lostReplyCard({ id: row.id, content: row.content, clientName, end }, language);
  // a wake-up before the commit would find nothing
  const jobs = { wakeDelivery() {} };
  await postCards(tx, { jobs, tenantId, conversationId, card, now });
}

/** The card about such a reply; a text with a code in it is never shown. */
export function lostReplyCard(
  reply: { id: string; content: Outgoing; clientName: string; end: LostEnd },
  language: Language,
): Card {
  const { content, end } = reply;
  const texts = TEXTS[language];
  return {
    title: texts.title,
    facts: [
      { label: texts.client, value: reply.clientName },
      { label: texts.reason, value: reasonOf(end, texts) },
    ],
    ...(content.kind === "text" ? { clientSays: { label: texts.text, text: content.text } } : {}),
    footer: content.kind === "secret_text" ? [texts.hidden] : [],
    buttons:
      end.kind === "uncertain"
        ? [{ label: texts.resend, action: RESEND_REPLY, value: reply.id, style: "primary" }]
        : [],
  };
}

/** A class, not the error: what a messenger or a network says may hold a token or an address. */
function reasonOf({ kind, error }: LostEnd, texts: (typeof TEXTS)[Language]): string {
  if (kind === "uncertain") return texts.noAnswer;
  if (error === CODE_GONE) return texts.codeGone;
  if (error.startsWith(GIVEN_UP)) return texts.givenUp;
  // Telegram: "sendMessage: 400 …"; Slack: "channel_not_found …"
  const code = /^\w+: (\d{3})\b/.exec(error)?.[1] ?? /^[a-z]+(?:_[a-z]+)+(?=\s|$)/.exec(error)?.[0];
  return code ? `${texts.refused} (${code})` : texts.refused;
}

const TEXTS = {
  en: {
    title: "A reply may not have arrived",
    client: "Client",
    reason: "Reason",
    text: "text",
    hidden: "the text holds a code and is not shown",
    resend: "Send again",
    noAnswer: "the messenger gave no answer",
    givenUp: "given up after a day",
    codeGone: "the order has no code any more",
    refused: "the messenger refused it",
  },
  ru: {
    title: "Ответ клиенту мог не дойти",
    client: "Клиент",
    reason: "Причина",
    text: "текст",
    hidden: "в тексте код, он не показан",
    resend: "Отправить ещё раз",
    noAnswer: "мессенджер не ответил",
    givenUp: "за сутки отправить не удалось",
    codeGone: "у заявки больше нет кода",
    refused: "мессенджер отказал",
  },
} as const satisfies Record<Language, unknown>;
