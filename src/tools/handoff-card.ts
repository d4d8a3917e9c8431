import type { Language } from "../domain/language.ts";
import type { Card } from "../domain/messenger.ts";
import { type Order, orderName } from "../store/orders.ts";

/** Action of the button that ends a request for a person; `value` is the handoff's id. */
export const CLOSE_HANDOFF = "close_handoff";

export const HANDOFF_REASONS = [
  "kyc_review",
  "payment_review",
  "office_payout",
  "payout_review",
  "operator_request",
] as const;
export type HandoffReason = (typeof HANDOFF_REASONS)[number];

export interface CardHandoff {
  id: string;
  reason: HandoffReason;
  clientName: string;
  order: Order | null;
  /** What happened, in the staff's language. */
  summary: string;
  /** What the model or the lead wrote; shown apart. */
  said?: string;
  /** It was asked before and nobody has closed it. */
  isRepeated: boolean;
}

/** The card of a request for a person; its button stays until somebody says that it is done. */
export function handoffCard(handoff: CardHandoff, language: Language): Card {
  const { id, order, reason, said } = handoff;
  const texts = TEXTS[language];
  const title = texts.titles[reason];
  const facts: Card["facts"] = [{ label: texts.client, value: handoff.clientName }];
  if (order) facts.push(...orderFacts(order, texts));
  facts.push({ label: texts.what, value: handoff.summary });
  return {
    title: handoff.isRepeated ? `${title} · ${texts.again}` : title,
    facts,
    ...(said ? { clientSays: { label: texts.said, text: said } } : {}),
    footer: [reason],
    buttons: [{ label: texts.done, action: CLOSE_HANDOFF, value: id, style: "primary" }],
  };
}

/** What people are asked to do, in their words. */
export function handoffTitle(reason: string, language: Language): string {
  const known = HANDOFF_REASONS.find((one) => one === reason);
  return known ? TEXTS[language].titles[known] : reason;
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
    again: "asks again",
    client: "Client",
    order: "Order",
    sums: "Exchange",
    payment: "Payment",
    what: "What happened",
    said: "said in the chat",
    done: "Done",
  },
  ru: {
    titles: {
      kyc_review: "Проверьте документы клиента",
      payment_review: "Проверьте платёж",
      office_payout: "Выдайте вручную",
      payout_review: "Проверьте выплату",
      operator_request: "Клиенту нужен человек",
    },
    again: "просит снова",
    client: "Клиент",
    order: "Заявка",
    sums: "Обмен",
    payment: "Оплата",
    what: "Что произошло",
    said: "сказано в чате",
    done: "Готово",
  },
} as const satisfies Record<Language, unknown>;
