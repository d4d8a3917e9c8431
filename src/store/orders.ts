import { and, desc, eq, inArray, lte, ne, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import { canonicalDecimal } from "../domain/money.ts";
import type { Verified } from "../domain/verified.ts";
import type { Tx } from "./db.ts";
import { queryRows } from "./db.ts";
import { macOf, verified } from "./row-mac.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { statement, type ValueAt } from "./statement.ts";

/** A row whose sums and rate are canonical decimal strings. `rate` is exact, not rounded for people. */
export type Order = typeof exchangeOrders.$inferSelect;
/** Read by this file: an order that something else than the product wrote is as good as none. */
export type OwnOrder = Verified<Order>;
export type NewOrder = Omit<typeof exchangeOrders.$inferInsert, "id" | "updatedAt" | "mac">;
/** Ids, number and hash are nobody's to set. */
export type OrderChange = Partial<
  Omit<typeof exchangeOrders.$inferInsert, "id" | "tenantId" | "number" | "conversationId" | "mac">
>;

/** Tenant and conversation are named together everywhere: neither is enough. */
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

/**
 * By number, whatever its status. null: there is none, or the newest is none that the product
 * wrote.
 */
export async function lastOrder(tx: Tx, of: ConversationRef): Promise<OwnOrder | null> {
  const { tenantId, conversationId } = of;
  const rows = await newestOf(tx, { tenantId, conversationId });
  return own(tx, rows[0]);
}

const newestOf = statement((on, value: ValueAt<{ tenantId: string; conversationId: string }>) =>
  on
    .select()
    .from(exchangeOrders)
    .where(
      and(
        eq(exchangeOrders.tenantId, value("tenantId")),
        eq(exchangeOrders.conversationId, value("conversationId")),
      ),
    )
    .orderBy(desc(exchangeOrders.number))
    .limit(1),
);

/** Not ended yet, newest first. */
export async function openOrders(tx: Tx, of: ConversationRef): Promise<OwnOrder[]> {
  const rows = await tx
    .select()
    .from(exchangeOrders)
    .where(and(ofConversation(of), inArray(exchangeOrders.status, [...OPEN])))
    .orderBy(desc(exchangeOrders.number));
  return rows.flatMap((row) => own(tx, row) ?? []);
}

/** By what people say: `EX-20418`, whatever its state. */
export async function orderByName(
  tx: Tx,
  tenantId: string,
  name: string,
): Promise<OwnOrder | null> {
  const number = /^EX-(\d{1,9})$/i.exec(name)?.[1];
  if (number === undefined) return null;
  const rows = await tx
    .select()
    .from(exchangeOrders)
    .where(and(eq(exchangeOrders.tenantId, tenantId), eq(exchangeOrders.number, Number(number))));
  return own(tx, rows[0]);
}

/** Locks the row: what is decided on it holds until the transaction ends. */
export async function lockOrder(tx: Tx, tenantId: string, id: string): Promise<OwnOrder | null> {
  const rows = await tx
    .select()
    .from(exchangeOrders)
    .where(and(eq(exchangeOrders.tenantId, tenantId), eq(exchangeOrders.id, id)))
    .for("update");
  return own(tx, rows[0]);
}

/** The new order, or null when an open order holds the idempotency key. */
export async function insertOrder(tx: Tx, order: NewOrder): Promise<OwnOrder | null> {
  if (order.idempotencyKey) await freeDeadKey(tx, order.tenantId, order.idempotencyKey);
  const row = { id: newId(), thirdPartyApproved: false, ...order, updatedAt: order.createdAt };
  const rows = await tx
    .insert(exchangeOrders)
    .values({ ...row, mac: macOf(tx, TABLE, row) })
    .onConflictDoNothing()
    .returning();
  return own(tx, rows[0]);
}

/**
 * Locks the row, changes it and signs it anew. Throws when there is none, or none that the product
 * wrote.
 */
export async function changeOrder(
  tx: Tx,
  which: { tenantId: string; id: string; now: number },
  set: OrderChange,
): Promise<OwnOrder> {
  const before = await lockOrder(tx, which.tenantId, which.id);
  if (!before) throw new Error(`order ${which.id} does not exist, or is not what was written`);
  const rows = await tx
    .update(exchangeOrders)
    .set({ ...signed(tx, before, set), updatedAt: which.now })
    .where(and(eq(exchangeOrders.tenantId, which.tenantId), eq(exchangeOrders.id, which.id)))
    .returning();
  const after = own(tx, rows[0]);
  if (!after) throw new Error(`order ${which.id} could not be written`);
  return after;
}

/** A change of a row that was just read, with the hash of what it becomes. */
export function signed(tx: Tx, before: OwnOrder, set: OrderChange) {
  return { ...set, mac: macOf(tx, TABLE, { ...before, ...set }) };
}

/** Cancels and gives up the idempotency keys, so that the same terms can be ordered again. */
export async function cancelOrders(
  tx: Tx,
  which: { tenantId: string; ids: string[]; now: number },
): Promise<void> {
  for (const id of which.ids)
    await changeOrder(tx, { ...which, id }, { status: "cancelled", idempotencyKey: null });
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

const TABLE = "exchange_orders";

/** null: there is none, or none that the product wrote. */
export function own(tx: Tx, row: Order | undefined): OwnOrder | null {
  return row ? verified(tx, TABLE, canonical(row)) : null;
}

/** PostgreSQL keeps trailing zeros; equal sums must be equal texts. */
function canonical(row: Order): Order {
  return {
    ...row,
    amountFrom: canonicalDecimal(row.amountFrom),
    amountTo: canonicalDecimal(row.amountTo),
    rate: canonicalDecimal(row.rate),
    amountReceived: row.amountReceived === null ? null : canonicalDecimal(row.amountReceived),
    amountPaidOut: row.amountPaidOut === null ? null : canonicalDecimal(row.amountPaidOut),
  };
}
