import type { Tx } from "../../store/db.ts";
import { type Order, orderName } from "../../store/orders.ts";
import { liveExecutionOf } from "../../store/proposals.ts";

/** One payout an order: at most one execution with this key is under way or done. */
export function payoutKey(order: Pick<Order, "number">): string {
  return `payout:${orderName(order)}`;
}

/** The payout was approved and nobody knows yet that it is done. */
export async function isPayoutUnderWay(
  tx: Tx,
  order: Pick<Order, "tenantId" | "number">,
): Promise<boolean> {
  const live = await liveExecutionOf(tx, order.tenantId, payoutKey(order));
  return live !== null && live.status !== "completed";
}
