import { and, eq } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import type { Secrets } from "./secrets.ts";

export interface OrderRef {
  tenantId: string;
  /** The row's id, as a `secret_text` names it. */
  orderId: string;
}

/** A code goes to the lead alone: only its sealed form stands in a row. */
export function sealPayoutCode(secrets: Secrets, order: OrderRef, code: string): Buffer {
  return secrets.seal(code, place(order));
}

/** The code in the clear, for the message to the lead; null when the order has none. */
export async function payoutCodeOf(
  tx: Tx,
  secrets: Secrets,
  order: OrderRef,
): Promise<string | null> {
  const rows = await tx
    .select({ code: exchangeOrders.payoutCode })
    .from(exchangeOrders)
    .where(and(eq(exchangeOrders.tenantId, order.tenantId), eq(exchangeOrders.id, order.orderId)));
  const sealed = rows[0]?.code;
  return sealed ? secrets.open(sealed, place(order)) : null;
}

function place({ tenantId, orderId }: OrderRef): string {
  return JSON.stringify(["payout_code", tenantId, orderId]);
}
