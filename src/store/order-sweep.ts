import { and, eq, isNull, lt } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { type Order, type OrderChange, type OwnOrder, own, signed } from "./orders.ts";
import { exchangeOrders } from "./schema/exchange.ts";

/** An unpaid order of which its client has to hear. */
export interface DueOrder {
  orderId: string;
  number: number;
  conversationId: string;
  asset: string;
  amountFrom: string;
  expiresAt: number;
  /** One for an order and an expiry: a reminder with this key is sent once. */
  key: string;
}

export interface OrderSweep {
  remind: DueOrder[];
  expired: DueOrder[];
}

/** After the end of its time an unpaid order waits this much longer. */
export const ORDER_GRACE_MS = 600_000;

/**
 * Unpaid orders past their time: one reminder, and after the grace they expire and give up their
 * idempotency key. An order with a proof that nobody has settled waits for a person instead. Before
 * `notBefore` none expires: the payment of an order may be among what an outage held back.
 */
export async function expireOrders(
  tx: Tx,
  sweep: { tenantId: string; now: number; notBefore?: number },
): Promise<OrderSweep> {
  const { tenantId, now, notBefore = 0 } = sweep;
  const rows = await tx
    .select()
    .from(exchangeOrders)
    .where(
      and(
        eq(exchangeOrders.tenantId, tenantId),
        eq(exchangeOrders.status, "awaiting_payment"),
        isNull(exchangeOrders.proofReceivedAt),
        lt(exchangeOrders.expiresAt, now),
      ),
    )
    .orderBy(exchangeOrders.number)
    .for("update", { skipLocked: true });
  const due = rows.flatMap((row) => own(tx, row) ?? []);
  const over = due.filter((order) => order.expiresAt + ORDER_GRACE_MS <= now && now >= notBefore);
  const remind = due.filter((order) => !over.includes(order) && !wasReminded(order));
  await change(tx, over, { status: "expired", idempotencyKey: null, updatedAt: now });
  await change(tx, remind, { lastReminderAt: now });
  return { remind: remind.map(dueOrder), expired: over.map(dueOrder) };
}

function wasReminded(order: Order): boolean {
  return order.lastReminderAt !== null && order.lastReminderAt >= order.expiresAt;
}

async function change(tx: Tx, orders: OwnOrder[], set: OrderChange): Promise<void> {
  for (const order of orders)
    await tx
      .update(exchangeOrders)
      .set(signed(tx, order, set))
      .where(and(eq(exchangeOrders.tenantId, order.tenantId), eq(exchangeOrders.id, order.id)));
}

function dueOrder(order: Order): DueOrder {
  return {
    orderId: order.id,
    number: order.number,
    conversationId: order.conversationId,
    asset: order.asset,
    amountFrom: order.amountFrom,
    expiresAt: order.expiresAt,
    key: `exch-remind:EX-${order.number}:${order.expiresAt}`,
  };
}
