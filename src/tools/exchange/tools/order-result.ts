import { z } from "zod";
import type { Language } from "../../../domain/language.ts";
import type { ToolResult } from "../../../domain/tool.ts";
import { type Order, orderName } from "../../../store/orders.ts";
import { decimalText, isoTime, success } from "../../results.ts";
import { orderTtlMin } from "../assets.ts";
import { payoutLine } from "../payout-words.ts";
import { figuresData } from "./price.ts";

/**
 * What a model gets of an order: times in ISO 8601, sums as decimal text, never margin or base
 * rate.
 */
export const orderOutput = z.object({
  ok: z.literal(true),
  orderId: z.string(),
  status: z.string(),
  direction: z.string(),
  asset: z.string(),
  network: z.string(),
  amountMode: z.string(),
  amountFrom: decimalText,
  amountTo: decimalText,
  quoteAsset: z.string(),
  rate: decimalText,
  ttlMin: z.number(),
  expiresAt: z.string(),
  idempotent: z.boolean(),
  paymentMethod: z.string(),
  payoutMethod: z.string().optional(),
  payoutLocation: z.string().optional(),
  payoutDestination: z.string().optional(),
  payoutLine: z.string().optional(),
});

/** `idempotent`: it stood already and was not made by this call. */
export function orderResult(
  order: Order,
  { idempotent, language }: { idempotent: boolean; language: Language },
): ToolResult {
  const summary = `order ${orderName(order)}: ${order.amountFrom} ${order.asset} for ${order.amountTo} ${order.quoteAsset}`;
  return success(
    { type: "exchange_order", id: orderName(order), summary },
    {
      orderId: orderName(order),
      status: order.status,
      ...figuresData(order),
      ttlMin: orderTtlMin(order.asset),
      expiresAt: isoTime(order.expiresAt),
      idempotent,
      paymentMethod: order.paymentMethod,
      ...payoutTarget(order),
      payoutLine: payoutLine(order, language) ?? undefined,
    },
  );
}

/** Where the payout of an order goes, repeated so that the lead can object in time. */
export function payoutTarget(order: Order) {
  return {
    payoutMethod: order.payoutMethod ?? undefined,
    payoutLocation: order.payoutLocation ?? undefined,
    payoutDestination: destinationText(order) ?? undefined,
  };
}

/** Of a payout that goes nowhere in particular (cash): null. */
export function destinationText(order: Pick<Order, "payoutDestinationJson">): string | null {
  const values = Object.values(order.payoutDestinationJson ?? {});
  return values.length > 0 ? values.map(String).join(", ") : null;
}
