import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Language } from "../../../domain/language.ts";
import type { Tx } from "../../../store/db.ts";
import { type Order, orderName } from "../../../store/orders.ts";
import { liveExecutionOf } from "../../../store/proposals.ts";
import { payoutMethodWords } from "../payout-words.ts";

const targetSchema = z.strictObject({
  method: z.string().nullable(),
  location: z.string().nullable(),
  destination: z.record(z.string(), z.string()).nullable(),
});
/** How and where an order is paid out; parts that nobody named are null. */
export type Target = z.infer<typeof targetSchema>;

/** What people approve. Sum and currency only say how much it is about: they stay the order's own. */
export const destinationChangeSchema = z.strictObject({
  orderId: z.string(),
  amount: z.string(),
  currency: z.string(),
  from: targetSchema,
  to: targetSchema,
});
/** A change of one order's payout destination, whole. */
export type DestinationChange = z.infer<typeof destinationChangeSchema>;

/** As the order has it now. */
export function targetOf(order: Order): Target {
  const { payoutMethod: method, payoutLocation: location } = order;
  return targetSchema.parse({ method, location, destination: order.payoutDestinationJson ?? null });
}

/** Does the order still say what people saw as the old destination, for the same sum? */
export function isStillTrue(order: Order, change: DestinationChange): boolean {
  const { amount, currency, from } = change;
  const isSameSum = order.amountTo === amount && order.quoteAsset === currency;
  return isSameSum && isDeepStrictEqual(targetOf(order), from);
}

/** One change of an order at a time; its n-th has a key of its own, as earlier ones are used up. */
export async function destinationKey(tx: Tx, order: Order): Promise<string> {
  for (let count = 1; ; count += 1) {
    const key = `destination:${orderName(order)}:${count}`;
    const live = await liveExecutionOf(tx, order.tenantId, key);
    if (live?.status !== "completed") return key;
  }
}

/** What a person sees before deciding; values are whole. */
export function changeMaterial(
  order: Order,
  { client, to, language }: { client: string; to: Target; language: Language },
): { label: string; value: string }[] {
  const texts = TEXTS[language];
  return [
    { label: texts.order, value: orderName(order) },
    { label: texts.client, value: client },
    { label: texts.payout, value: `${order.amountTo} ${order.quoteAsset}` },
    { label: texts.status, value: texts.statuses[order.status] ?? order.status },
    { label: texts.before, value: targetText(targetOf(order), language) || texts.nothing },
    { label: texts.after, value: targetText(to, language) },
  ];
}

/** On one line; empty when nothing is known. */
export function targetText({ method, location, destination }: Target, language: Language): string {
  const way = method === null ? null : payoutMethodWords(method, language);
  const parts = [way, location, ...Object.values(destination ?? {})];
  return parts.filter((part) => part !== null && part !== "").join(", ");
}

const TEXTS = {
  en: {
    order: "Order",
    client: "Client",
    payout: "Pay out",
    status: "Payment",
    statuses: { awaiting_payment: "not confirmed yet", paid: "confirmed" } as Record<
      string,
      string
    >,
    before: "Destination now",
    after: "New destination",
    nothing: "none",
  },
  ru: {
    order: "Заявка",
    client: "Клиент",
    payout: "Выдать",
    status: "Оплата",
    statuses: { awaiting_payment: "ещё не подтверждена", paid: "подтверждена" } as Record<
      string,
      string
    >,
    before: "Куда сейчас",
    after: "Куда станет",
    nothing: "не указано",
  },
} as const satisfies Record<Language, unknown>;
