import { z } from "zod";
import { decimalText } from "../../results.ts";

/** The `data` of a quote. */
export const quoteOutput = z.object({
  ok: z.literal(true),
  quoteId: z.string(),
  direction: z.string(),
  asset: z.string(),
  network: z.string(),
  amountMode: z.enum(["source_amount", "target_amount"]),
  amountFrom: decimalText,
  rate: decimalText,
  amountTo: decimalText,
  quoteAsset: z.string(),
  display: z.string(),
  expiresAt: z.string(),
  orderId: z.string().optional(),
  cancelledOrders: z.array(z.string()).optional(),
});
