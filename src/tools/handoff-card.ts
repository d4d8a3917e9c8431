import type { Language } from "../domain/language.ts";
import { type Card, type CardButton, CLOSE_HANDOFF } from "../domain/messenger.ts";
import { type Order, orderName } from "../store/orders.ts";
import { paymentMethodWords } from "./exchange/payment-words.ts";
import { normalizePayoutMethod, payoutMethodRules } from "./exchange/payout-methods.ts";

/** Action of the button that asks for a payout's code; `value` is the handoff's id. */
export const PAYOUT_CODE = "payout_code";
/** Action of the button that says that the money was handed over; `value` is the handoff's id. */
export const HANDED_OVER = "handed_over";

/** What a model may name. */
export const HANDOFF_REASONS = [
  "kyc_review",
  "payment_review",
  "office_payout",
  "payout_review",
  "operator_request",
] as const;
/** What a model may give as its reason; the backend has one more. */
export type NamedReason = (typeof HANDOFF_REASONS)[number];

const CARD_REASONS = [...HANDOFF_REASONS, "payout_handover"] as const;
/** `payout_handover`: the gateway has paid out, and the money still has to reach the client. */
export type HandoffReason = (typeof CARD_REASONS)[number];

/** The lead's own words, or what a model made of them: the card says whose they are. */
export interface HandoffWords {
  by: "client" | "bot";
  text: string;
}

/** `order`: the one that it is about; null: none, or there is none yet. */
export interface CardHandoff {
  id: string;
  reason: HandoffReason;
  clientName: string;
  order: Order | null;
  /** What happened, in the staff's language. */
  summary: string;
  /** Shown apart. */
  said?: HandoffWords | undefined;
  /** It was asked before and nobody has closed it. */
  isRepeated: boolean;
}

/** The card of a request for a person; its button stays until somebody says that it is done. */
export function handoffCard(handoff: CardHandoff, language: Language): Card {
  const { order, reason, said } = handoff;
  const texts = TEXTS[language];
  const title = texts.titles[reason];
  const facts: Card["facts"] = [{ label: texts.client, value: handoff.clientName }];
  if (order) facts.push(...orderFacts(order, language));
  facts.push({ label: texts.what, value: handoff.summary });
  return {
    title: handoff.isRepeated ? `${title} · ${texts.again}` : title,
    facts,
    ...(said ? { clientSays: { label: texts.said[said.by], text: said.text } } : {}),
    footer: [],
    buttons: buttonsOf(handoff, texts),
  };
}

/** What people are asked to do, in their words. */
export function handoffTitle(reason: string, language: Language): string {
  const known = CARD_REASONS.find((one) => one === reason);
  return known ? TEXTS[language].titles[known] : reason;
}

/** The request ends when the money was handed over; the gateway's payouts bring their own code. */
function buttonsOf(handoff: CardHandoff, texts: (typeof TEXTS)[Language]): CardButton[] {
  const { id: value, order, reason } = handoff;
  const style = "primary" as const;
  const isPayout = reason === "office_payout" || reason === "payout_handover";
  if (!isPayout || order?.status !== "payout")
    return [{ label: texts.done, action: CLOSE_HANDOFF, value, style }];
  const handedOver = { label: texts.handedOver, action: HANDED_OVER, value };
  if (reason === "payout_handover" || !mayHaveCode(order)) return [{ ...handedOver, style }];
  return [{ label: texts.enterCode, action: PAYOUT_CODE, value, style }, handedOver];
}

/** Cash is fetched, and may be fetched with a code; one that was sent is not typed again. */
function mayHaveCode({ payoutCode, payoutMethod }: Order): boolean {
  const method = normalizePayoutMethod(payoutMethod ?? "");
  const isCash = method !== null && payoutMethodRules(method).afterGateway === "payout";
  return payoutCode === null && isCash;
}

function orderFacts(order: Order, language: Language): Card["facts"] {
  const texts = TEXTS[language];
  const network = order.network ? ` (${order.network.toUpperCase()})` : "";
  const rail = order.paymentRail ? ` · ${order.paymentRail}` : "";
  return [
    { label: texts.order, value: `${orderName(order)} · ${order.status}` },
    {
      label: texts.sums,
      value: `${order.amountFrom} ${order.asset}${network} → ${order.amountTo} ${order.quoteAsset}`,
    },
    { label: texts.payment, value: `${paymentMethodWords(order.paymentMethod, language)}${rail}` },
  ];
}

const TEXTS = {
  en: {
    titles: {
      kyc_review: "Check the identity documents",
      payment_review: "Check a payment",
      office_payout: "Pay out by hand",
      payout_review: "Check a payout",
      payout_handover: "See that the client gets the money",
      operator_request: "The client needs a person",
    },
    again: "asks again",
    client: "Client",
    order: "Order",
    sums: "Exchange",
    payment: "Payment",
    what: "What happened",
    said: { client: "client says", bot: "the bot understood (not verified)" },
    done: "Done",
    handedOver: "Handed over",
    enterCode: "Enter the code",
  },
  ru: {
    titles: {
      kyc_review: "Проверьте документы клиента",
      payment_review: "Проверьте платёж",
      office_payout: "Выдайте вручную",
      payout_review: "Проверьте выплату",
      payout_handover: "Проследите, чтобы клиент получил деньги",
      operator_request: "Клиенту нужен человек",
    },
    again: "просит снова",
    client: "Клиент",
    order: "Заявка",
    sums: "Обмен",
    payment: "Оплата",
    what: "Что произошло",
    said: { client: "клиент пишет", bot: "бот понял (не проверено)" },
    done: "Готово",
    handedOver: "Выдано",
    enterCode: "Ввести код",
  },
} as const satisfies Record<Language, unknown>;
