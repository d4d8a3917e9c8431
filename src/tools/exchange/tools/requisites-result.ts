import { z } from "zod";
import type { Language } from "../../../domain/language.ts";
import type { ToolResult } from "../../../domain/tool.ts";
import { type Order, orderName } from "../../../store/orders.ts";
import { isoTime, type Loose, success } from "../../results.ts";
import { orderTtlMin } from "../assets.ts";
import { paymentInstructions } from "../payment-instructions.ts";
import { payoutLine } from "../payout-words.ts";
import type { Requisites } from "../requisites.ts";
import { payoutTarget } from "./order-result.ts";

const storedSchema = z.union([
  z.object({
    kind: z.literal("crypto"),
    address: z.string(),
    memo: z.string().optional(),
    network: z.string(),
  }),
  z.object({
    kind: z.literal("crypto_uid"),
    exchangeId: z.string(),
    rail: z.enum(["binance", "bybit", "htx"]),
  }),
  z.object({ kind: z.literal("fiat"), paymentUrl: z.string() }),
  z.object({ kind: z.literal("fiat"), detailsText: z.string() }),
]);

/** What the lead was given for this order; a change of the secrets does not change it. */
export function storedRequisites(order: Pick<Order, "requisitesJson">): Requisites | null {
  const parsed = storedSchema.safeParse(order.requisitesJson);
  return parsed.success ? parsed.data : null;
}

/**
 * `revived`: the order had expired and got a new price with this call. `amlPolicy`: the desk's own
 * text.
 */
export interface GivenRequisites {
  order: Order;
  requisites: Requisites;
  revived?: boolean | undefined;
  language: Language;
  amlPolicy: string | undefined;
}

/**
 * Goes through the model to the lead; the guard holds what is sent against the order's stored
 * details.
 */
export function requisitesResult(given: GivenRequisites): ToolResult {
  const { order, requisites } = given;
  const { kind, ...details } = detailsOf(requisites);
  return success(
    {
      type: "requisites",
      id: orderName(order),
      summary: `payment details of ${orderName(order)} (${String(kind)})`,
    },
    {
      orderId: orderName(order),
      kind,
      ...details,
      asset: order.asset,
      amountFrom: order.amountFrom,
      amountTo: order.amountTo,
      quoteAsset: order.quoteAsset,
      ttlMin: orderTtlMin(order.asset),
      expiresAt: isoTime(order.expiresAt),
      instructions: instructionsFor(given),
      revived: given.revived || undefined,
      ...payoutTarget(order),
      payoutLine: payoutLine(order, given.language) ?? undefined,
    },
  );
}

function detailsOf(requisites: Requisites): Loose {
  if (requisites.kind === "missing") return { kind: "missing" };
  return requisites.kind === "crypto_uid" ? { ...requisites, kind: "crypto" } : { ...requisites };
}

function instructionsFor({ order, requisites, language, amlPolicy }: GivenRequisites): string {
  return paymentInstructions(
    {
      asset: order.asset,
      network: requisites.kind === "crypto" ? order.network : "",
      amountFrom: order.amountFrom,
      ttlMin: orderTtlMin(order.asset),
      ...(requisites.kind === "crypto" && requisites.memo ? { memo: requisites.memo } : {}),
      ...(requisites.kind === "crypto_uid" ? { rail: requisites.rail } : {}),
      ...(amlPolicy ? { amlPolicy } : {}),
    },
    language,
  );
}
