import { z } from "zod";
import type { JsonObject } from "../../../domain/json.ts";
import type { Language } from "../../../domain/language.ts";
import { amount } from "../../../domain/money.ts";
import type { Order } from "../../../store/orders.ts";
import { orderName } from "../../../store/orders.ts";
import { payoutMethodWords } from "../payout-words.ts";
import { destinationText } from "./order-result.ts";

/** All that a payout does. Sums are canonical, so that equal payouts have one digest. */
export const payoutActionSchema = z.strictObject({
  orderId: z.string(),
  amount: z.string(),
  currency: z.string(),
  method: z.string(),
  location: z.string().nullable(),
  destination: z.record(z.string(), z.string()).nullable(),
  /** What the order owes on after a payout of less than its sum; absent: nothing. */
  stillOwed: z.string().optional(),
});
/** All that a payout is bound to and people approve. The sum is canonical decimal text. */
export type PayoutAction = z.infer<typeof payoutActionSchema>;

/** `lowered`: what an approver lets be paid out now. */
export function payoutActionOf(
  order: Order,
  method: string,
  lowered: string = order.amountTo,
): JsonObject {
  const owed = owedAfter(order, lowered);
  return {
    orderId: orderName(order),
    amount: lowered,
    currency: order.quoteAsset,
    method,
    location: order.payoutLocation,
    destination: order.payoutDestinationJson,
    ...(owed === null ? {} : { stillOwed: owed }),
  };
}

/** What the order owes on when this is paid out; null: nothing. */
export function owedAfter(order: Pick<Order, "amountTo">, paid: string): string | null {
  const rest = amount(order.amountTo).minus(paid);
  return rest.greaterThan(0) ? rest.toFixed() : null;
}

/** What a person sees before deciding; values are whole. */
export function payoutMaterial(
  order: Order,
  facts: { client: string; method: string; language: Language; lowered?: string | undefined },
): { label: string; value: string }[] {
  const texts = TEXTS[facts.language];
  const owed = owedAfter(order, facts.lowered ?? order.amountTo);
  const destination = destinationText(order);
  const network = order.network ? ` (${order.network.toUpperCase()})` : "";
  const received = order.amountReceived ?? texts.byHand;
  const sender = senderOf(order);
  return [
    { label: texts.order, value: orderName(order) },
    { label: texts.client, value: facts.client },
    { label: texts.payout, value: `${facts.lowered ?? order.amountTo} ${order.quoteAsset}` },
    ...(owed === null
      ? []
      : [{ label: texts.owed, value: texts.owedOf(owed, order.amountTo, order.quoteAsset) }]),
    { label: texts.method, value: payoutMethodWords(facts.method, facts.language) },
    ...(order.payoutLocation ? [{ label: texts.location, value: order.payoutLocation }] : []),
    ...(destination ? [{ label: texts.destination, value: destination }] : []),
    { label: texts.received, value: `${received} ${order.asset}${network}` },
    ...(sender ? [{ label: texts.sender, value: sender }] : []),
    { label: texts.payer, value: texts.notBound },
    { label: texts.risk, value: riskText(order, texts.noFlags) },
  ];
}

function senderOf(order: Order): string | null {
  const from = order.proofJson?.from;
  return typeof from === "string" && from !== "" ? from : null;
}

function riskText(order: Order, none: string): string {
  const flags = order.riskJson?.flags;
  const names = Array.isArray(flags) ? flags.map(String) : [];
  return names.length > 0 ? names.join(", ") : none;
}

const TEXTS = {
  en: {
    order: "Order",
    client: "Client",
    payout: "Pay out",
    owed: "Still owed",
    owedOf: (owed: string, whole: string, currency: string) =>
      `${owed} ${currency}, the order says ${whole} ${currency}`,
    method: "Method",
    location: "Where",
    destination: "To",
    received: "Received",
    byHand: "confirmed by a person:",
    sender: "Sender",
    payer: "Payer",
    notBound: "payer not bound; sender not screened",
    risk: "Risk flags",
    noFlags: "none",
  },
  ru: {
    order: "Заявка",
    client: "Клиент",
    payout: "Выдать",
    owed: "Останется должны",
    owedOf: (owed: string, whole: string, currency: string) =>
      `${owed} ${currency}, в заявке ${whole} ${currency}`,
    method: "Способ",
    location: "Где",
    destination: "Куда",
    received: "Получено",
    byHand: "подтверждено человеком:",
    sender: "Отправитель",
    payer: "Плательщик",
    notBound: "плательщик не привязан; отправитель не проверен",
    risk: "Признаки риска",
    noFlags: "нет",
  },
} as const satisfies Record<Language, unknown>;
