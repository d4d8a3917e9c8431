import type { Jobs } from "../domain/jobs.ts";
import type { Language } from "../domain/language.ts";
import type { Card } from "../domain/messenger.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { destinationsOf } from "../store/destinations.ts";
import { openHandoff } from "../store/handoffs.ts";
import { contactKyc } from "../store/kyc.ts";
import { type Order, orderName } from "../store/orders.ts";
import { writeOutgoing } from "../store/outbox.ts";
import { tenantById } from "../store/tenants.ts";

export const HANDOFF_REASONS = [
  "kyc_review",
  "payment_review",
  "office_payout",
  "payout_review",
  "operator_request",
] as const;
export type HandoffReason = (typeof HANDOFF_REASONS)[number];

export interface HandoffRequest {
  tenantId: string;
  conversationId: string;
  contactId: string;
  now: number;
  reason: HandoffReason;
  order: Order | null;
  /** What happened, from the backend: one line, in each language of the staff. */
  summary: Record<Language, string>;
  /** What the model or the lead wrote; shown apart. */
  said?: string;
}

/** Asks a person: one row and one card a channel, however often the same thing is asked. */
export async function raiseHandoff(
  tx: Tx,
  jobs: Jobs<Tx>,
  request: HandoffRequest,
): Promise<{ id: string; isNew: boolean }> {
  const { tenantId, conversationId, reason, now } = request;
  const language = (await tenantById(tx, tenantId))?.language ?? "en";
  const handoff = await openHandoff(tx, {
    tenantId,
    conversationId,
    reason,
    orderId: request.order?.id ?? null,
    summary: request.summary[language],
    now,
  });
  if (!handoff.isNew) return handoff;
  const card = await handoffCard(tx, request, language);
  const places = await destinationsOf(tx, tenantId, "operators");
  const rows = places.map(({ channelId, chatId }) => ({
    channelId,
    chatId,
    purpose: "card" as const,
    content: { kind: "card" as const, card },
    conversationId,
  }));
  await writeOutgoing(tx, { jobs, tenantId, now }, rows);
  const refs = { handoff: handoff.id, ...(request.order ? { order: request.order.id } : {}) };
  await writeAudit(tx, [
    {
      tenantId,
      conversationId,
      eventType: "handoff.opened",
      summary: `handoff ${reason}`,
      refs,
      createdAt: now,
    },
  ]);
  return handoff;
}

async function handoffCard(tx: Tx, request: HandoffRequest, language: Language): Promise<Card> {
  const { order, reason, said } = request;
  const texts = TEXTS[language];
  const client = await contactKyc(tx, request);
  const facts: Card["facts"] = [{ label: texts.client, value: client?.name ?? "?" }];
  if (order) facts.push(...orderFacts(order, texts));
  facts.push({ label: texts.what, value: request.summary[language] });
  return {
    title: texts.titles[reason],
    facts,
    ...(said ? { clientSays: { label: texts.said, text: said } } : {}),
    footer: [reason],
    buttons: [],
  };
}

function orderFacts(order: Order, texts: (typeof TEXTS)[Language]): Card["facts"] {
  const network = order.network ? ` (${order.network.toUpperCase()})` : "";
  const rail = order.paymentRail ? ` · ${order.paymentRail}` : "";
  return [
    { label: texts.order, value: `${orderName(order)} · ${order.status}` },
    {
      label: texts.sums,
      value: `${order.amountFrom} ${order.asset}${network} → ${order.amountTo} ${order.quoteAsset}`,
    },
    { label: texts.payment, value: `${order.paymentMethod}${rail}` },
  ];
}

const TEXTS = {
  en: {
    titles: {
      kyc_review: "Check the identity documents",
      payment_review: "Check a payment",
      office_payout: "Pay out by hand",
      payout_review: "Check a payout",
      operator_request: "The client needs a person",
    },
    client: "Client",
    order: "Order",
    sums: "Exchange",
    payment: "Payment",
    what: "What happened",
    said: "said in the chat",
  },
  ru: {
    titles: {
      kyc_review: "Проверьте документы клиента",
      payment_review: "Проверьте платёж",
      office_payout: "Выдайте вручную",
      payout_review: "Проверьте выплату",
      operator_request: "Клиенту нужен человек",
    },
    client: "Клиент",
    order: "Заявка",
    sums: "Обмен",
    payment: "Оплата",
    what: "Что произошло",
    said: "сказано в чате",
  },
} as const satisfies Record<Language, unknown>;
