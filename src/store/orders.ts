import { and, desc, eq, inArray, lte, ne, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import { canonicalDecimal } from "../domain/money.ts";
import type { Tx } from "./db.ts";
import { queryRows } from "./db.ts";
import { exchangeOrders } from "./schema/exchange.ts";

/** A row whose sums and rate are canonical decimal strings. `rate` is exact, not rounded for people. */
export type Order = typeof exchangeOrders.$inferSelect;
export type NewOrder = Omit<typeof exchangeOrders.$inferInsert, "id" | "updatedAt">;
export type OrderChange = Partial<
  Omit<typeof exchangeOrders.$inferInsert, "id" | "tenantId" | "number" | "conversationId">
>;

export interface ConversationRef {
  tenantId: string;
  conversationId: string;
}

const OPEN = ["quote", "awaiting_payment", "paid", "payout"] as const;
const DEAD = ["completed", "cancelled", "expired"] as const;
const DAY_MS = 86_400_000;

/** A code outlives neither the payout nor its taking back; nor does one that was only typed. */
export const NO_PAYOUT_CODE = {
  payoutCode: null,
  payoutCodeExpiresAt: null,
  payoutCodeDraft: null,
  payoutCodeDraftBy: null,
} as const satisfies OrderChange;

/** As people say it. */
export function orderName(order: { number: number }): string {
  return `EX-${order.number}`;
}

export async function lastOrder(tx: Tx, of: ConversationRef): Promise<Order | null> {
  const rows = await tx
    .select()
    .from(exchangeOrders)
    .where(ofConversation(of))
    .orderBy(desc(exchangeOrders.number))
    .limit(1);
  return rows[0] ? canonical(rows[0]) : null;
}

/** Not ended yet, newest first. */
export async function openOrders(tx: Tx, of: ConversationRef): Promise<Order[]> {
  const rows = await tx
    .select()
    .from(exchangeOrders)
    .where(and(ofConversation(of), inArray(exchangeOrders.status, [...OPEN])))
    .orderBy(desc(exchangeOrders.number));
  return rows.map(canonical);
}

/** By what people say: `EX-20418`, whatever its state. */
export async function orderByName(tx: Tx, tenantId: string, name: string): Promise<Order | null> {
  const number = /^EX-(\d{1,9})$/i.exec(name)?.[1];
  if (number === undefined) return null;
  const rows = await tx
    .select()
    .from(exchangeOrders)
    .where(and(eq(exchangeOrders.tenantId, tenantId), eq(exchangeOrders.number, Number(number))));
  return rows[0] ? canonical(rows[0]) : null;
}

/** Locks the row: what is decided on it holds until the transaction ends. */
export async function lockOrder(tx: Tx, tenantId: string, id: string): Promise<Order | null> {
  const rows = await tx
    .select()
    .from(exchangeOrders)
    .where(and(eq(exchangeOrders.tenantId, tenantId), eq(exchangeOrders.id, id)))
    .for("update");
  return rows[0] ? canonical(rows[0]) : null;
}

/** The new order, or null when an open order holds the idempotency key. */
export async function insertOrder(tx: Tx, order: NewOrder): Promise<Order | null> {
  if (order.idempotencyKey) await freeDeadKey(tx, order.tenantId, order.idempotencyKey);
  const rows = await tx
    .insert(exchangeOrders)
    .values({ id: newId(), ...order, updatedAt: order.createdAt })
    .onConflictDoNothing()
    .returning();
  return rows[0] ? canonical(rows[0]) : null;
}

export async function changeOrder(
  tx: Tx,
  which: { tenantId: string; id: string; now: number },
  set: OrderChange,
): Promise<Order> {
  const rows = await tx
    .update(exchangeOrders)
    .set({ ...set, updatedAt: which.now })
    .where(and(eq(exchangeOrders.tenantId, which.tenantId), eq(exchangeOrders.id, which.id)))
    .returning();
  if (!rows[0]) throw new Error(`order ${which.id} does not exist`);
  return canonical(rows[0]);
}

/** Cancels and gives up the idempotency keys, so that the same terms can be ordered again. */
export async function cancelOrders(
  tx: Tx,
  which: { tenantId: string; ids: string[]; now: number },
): Promise<void> {
  if (which.ids.length === 0) return;
  await tx
    .update(exchangeOrders)
    .set({ status: "cancelled", idempotencyKey: null, updatedAt: which.now })
    .where(and(eq(exchangeOrders.tenantId, which.tenantId), inArray(exchangeOrders.id, which.ids)));
}

/** Completed orders of the contact, and the payouts of the last 24 hours in the quote currency. */
export async function contactTotals(
  tx: Tx,
  of: { tenantId: string; contactId: string; quoteAsset: string; now: number },
): Promise<{ completed: number; daySum: string }> {
  const since = new Date(of.now - DAY_MS).toISOString();
  const rows = await queryRows<{ completed: number; day: string }>(
    tx,
    sql`select count(*) filter (where status = 'completed')::int as completed,
        coalesce(sum(amount_to) filter (where created_at >= ${since}::timestamptz
          and status not in ('cancelled', 'expired') and quote_asset = ${of.quoteAsset}), 0)::text as day
        from exchange_orders where tenant_id = ${of.tenantId} and contact_id = ${of.contactId}`,
  );
  return { completed: rows[0]?.completed ?? 0, daySum: canonicalDecimal(rows[0]?.day ?? "0") };
}

/** Other unpaid orders of the tenant that a transfer of this sum at this time could be meant for. */
export async function otherFittingOrders(
  tx: Tx,
  order: Order,
  transfer: { address: string; at: number; amount: string },
): Promise<number> {
  const rows = await tx
    .select({ id: exchangeOrders.id })
    .from(exchangeOrders)
    .where(
      and(
        eq(exchangeOrders.tenantId, order.tenantId),
        ne(exchangeOrders.id, order.id),
        eq(exchangeOrders.status, "awaiting_payment"),
        eq(exchangeOrders.asset, order.asset),
        eq(exchangeOrders.network, order.network),
        eq(exchangeOrders.amountFrom, transfer.amount),
        lte(exchangeOrders.createdAt, transfer.at),
        sql`${exchangeOrders.expiresAt} >= ${new Date(transfer.at).toISOString()}::timestamptz`,
        sql`${exchangeOrders.requisitesJson}->>'address' = ${transfer.address}`,
      ),
    );
  return rows.length;
}

async function freeDeadKey(tx: Tx, tenantId: string, idempotencyKey: string): Promise<void> {
  await tx
    .update(exchangeOrders)
    .set({ idempotencyKey: null })
    .where(
      and(
        eq(exchangeOrders.tenantId, tenantId),
        eq(exchangeOrders.idempotencyKey, idempotencyKey),
        inArray(exchangeOrders.status, [...DEAD]),
      ),
    );
}

function ofConversation(of: ConversationRef) {
  return and(
    eq(exchangeOrders.tenantId, of.tenantId),
    eq(exchangeOrders.conversationId, of.conversationId),
  );
}

/** PostgreSQL keeps trailing zeros; equal sums must be equal texts. */
function canonical(row: Order): Order {
  return {
    ...row,
    amountFrom: canonicalDecimal(row.amountFrom),
    amountTo: canonicalDecimal(row.amountTo),
    rate: canonicalDecimal(row.rate),
    amountReceived: row.amountReceived === null ? null : canonicalDecimal(row.amountReceived),
  };
}
