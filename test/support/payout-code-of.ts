import { and, eq } from "drizzle-orm";
import type { Tx } from "../../src/store/db.ts";
import type { OrderRef } from "../../src/store/payout-codes.ts";
import { exchangeOrders } from "../../src/store/schema/exchange.ts";
import type { Secrets } from "../../src/store/secrets.ts";

/** The code that stands sealed in the order's row, whoever wrote it; null when it has none. */
export async function payoutCodeOf(
  tx: Tx,
  secrets: Secrets,
  { tenantId, orderId }: OrderRef,
): Promise<string | null> {
  const rows = await tx
    .select({ code: exchangeOrders.payoutCode })
    .from(exchangeOrders)
    .where(and(eq(exchangeOrders.tenantId, tenantId), eq(exchangeOrders.id, orderId)));
  const sealed = rows[0]?.code;
  return sealed ? secrets.open(sealed, JSON.stringify(["payout_code", tenantId, orderId])) : null;
}
