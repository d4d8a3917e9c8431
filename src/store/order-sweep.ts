import { and, eq, inArray, isNull, lt } from "drizzle-orm";
import { canonicalDecimal } from "../domain/money.ts";
import type { Tx } from "./db.ts";
import { exchangeOrders } from "./schema/exchange.ts";

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
 * idempotency key. An order with a proof that nobody has settled waits for a person instead.
 */
export async function expireOrders(
  tx: Tx,
  sweep: { tenantId: string; now: number },
): Promise<OrderSweep> {
  const { tenantId, now } = sweep;
  const due = await tx
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
  const over = due.filter((order) => order.expiresAt + ORDER_GRACE_MS <= now);
  const remind = due.filter((order) => !over.includes(order) && !wasReminded(order));
  await change(tx, over, { status: "expired", idempotencyKey: null, updatedAt: now });
  await change(tx, remind, { lastReminderAt: now });
  return { remind: remind.map(dueOrder), expired: over.map(dueOrder) };
}

type Row = typeof exchangeOrders.$inferSelect;

function wasReminded(order: Row): boolean {
  return order.lastReminderAt !== null && order.lastReminderAt >= order.expiresAt;
}

async function change(tx: Tx, orders: Row[], set: Partial<Row>): Promise<void> {
  if (orders.length === 0) return;
  const ids = orders.map((order) => order.id);
  await tx.update(exchangeOrders).set(set).where(inArray(exchangeOrders.id, ids));
}

function dueOrder(order: Row): DueOrder {
  return {
    orderId: order.id,
    number: order.number,
    conversationId: order.conversationId,
    asset: order.asset,
    amountFrom: canonicalDecimal(order.amountFrom),
    expiresAt: order.expiresAt,
    key: `exch-remind:EX-${order.number}:${order.expiresAt}`,
  };
}
