import type { Tx } from "../store/db.ts";
import { closeOrderHandoffs } from "../store/handoffs.ts";
import { isOwnRequest } from "../store/makers.ts";
import { changeOrder, lockOrder, NO_PAYOUT_CODE, type Order } from "../store/orders.ts";
import { isPayoutUnderWay } from "../tools/exchange/payout-key.ts";

/** What came of a person's word that an order is done; only `completed` has changed anything. */
export type Completion =
  | { kind: "completed"; order: Order }
  | { kind: "not_found" }
  /** Nobody decides about an order of his own. */
  | { kind: "own_order" }
  | { kind: "not_in_payout"; status: Order["status"] }
  /** The provider has not said yet how the payout ended. */
  | { kind: "payout_under_way" };

/** A person says that the money was handed over: the order is over, its code is gone for good. */
export async function completeOrder(
  tx: Tx,
  given: { tenantId: string; orderId: string; staffId: string; now: number },
): Promise<Completion> {
  const { tenantId, orderId, staffId, now } = given;
  const order = await lockOrder(tx, tenantId, orderId);
  if (!order) return { kind: "not_found" };
  if (await isOwnRequest(tx, { tenantId, staffId, maker: order.contactId }))
    return { kind: "own_order" };
  if (order.status !== "payout") return { kind: "not_in_payout", status: order.status };
  if (await isPayoutUnderWay(tx, order)) return { kind: "payout_under_way" };
  await closeOrderHandoffs(tx, { tenantId, orderId, now });
  const completed = await changeOrder(
    tx,
    { tenantId, id: orderId, now },
    { status: "completed", completedAt: now, ...NO_PAYOUT_CODE },
  );
  return { kind: "completed", order: completed };
}
