import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { contacts, conversations, handoffs } from "./schema/chat.ts";
import { exchangeOrders } from "./schema/exchange.ts";

/** A request for a person, open until one closes it. */
export type Handoff = typeof handoffs.$inferSelect;

export interface NewHandoff {
  tenantId: string;
  conversationId: string;
  reason: string;
  /** The order's row id. */
  orderId: string | null;
  summary: string;
  now: number;
}

/** The one that stands, whether it was made now or before. */
export interface OpenedHandoff {
  id: string;
  /** False: it was asked before. */
  isNew: boolean;
  /** Product time. */
  createdAt: number;
}

/** One open request for a conversation, reason and order. */
export async function openHandoff(tx: Tx, handoff: NewHandoff): Promise<OpenedHandoff> {
  const { now, ...row } = handoff;
  const known = await tx
    .select({ id: handoffs.id, createdAt: handoffs.createdAt })
    .from(handoffs)
    .where(
      and(
        eq(handoffs.tenantId, row.tenantId),
        eq(handoffs.conversationId, row.conversationId),
        eq(handoffs.reason, row.reason),
        row.orderId === null ? isNull(handoffs.orderId) : eq(handoffs.orderId, row.orderId),
        inArray(handoffs.status, ["open", "accepted"]),
      ),
    )
    .limit(1);
  if (known[0]) return { ...known[0], isNew: false };
  const id = newId();
  await tx.insert(handoffs).values({ id, ...row, status: "open", createdAt: now });
  return { id, isNew: true, createdAt: now };
}

/** Without a lock: to find out what it is about. */
export async function handoffById(tx: Tx, tenantId: string, id: string): Promise<Handoff | null> {
  const rows = await tx
    .select()
    .from(handoffs)
    .where(and(eq(handoffs.tenantId, tenantId), eq(handoffs.id, id)));
  return rows[0] ?? null;
}

/** Locks the row: of two people who close it, the second sees that it is closed. */
export async function lockHandoff(tx: Tx, tenantId: string, id: string): Promise<Handoff | null> {
  const rows = await tx
    .select()
    .from(handoffs)
    .where(and(eq(handoffs.tenantId, tenantId), eq(handoffs.id, id)))
    .for("update");
  return rows[0] ?? null;
}

/** Closed ones get the new time; the caller looks first. */
export async function closeHandoff(
  tx: Tx,
  which: { tenantId: string; id: string; now: number },
): Promise<void> {
  await tx
    .update(handoffs)
    .set({ status: "closed", closedAt: which.now })
    .where(and(eq(handoffs.tenantId, which.tenantId), eq(handoffs.id, which.id)));
}

/** `createdAt`: product time; `orderNumber`: null: it is about no order. */
export interface WaitingHandoff {
  reason: string;
  clientName: string;
  orderNumber: number | null;
  createdAt: number;
}

/** Requests of all conversations that no person has closed, the longest waiting first. */
export function waitingHandoffs(
  tx: Tx,
  of: { tenantId: string; limit: number },
): Promise<WaitingHandoff[]> {
  const { tenantId } = of;
  return tx
    .select({
      reason: handoffs.reason,
      clientName: contacts.name,
      orderNumber: exchangeOrders.number,
      createdAt: handoffs.createdAt,
    })
    .from(handoffs)
    .innerJoin(
      conversations,
      and(eq(conversations.tenantId, tenantId), eq(conversations.id, handoffs.conversationId)),
    )
    .innerJoin(
      contacts,
      and(eq(contacts.tenantId, tenantId), eq(contacts.id, conversations.contactId)),
    )
    .leftJoin(
      exchangeOrders,
      and(eq(exchangeOrders.tenantId, tenantId), eq(exchangeOrders.id, handoffs.orderId)),
    )
    .where(and(eq(handoffs.tenantId, tenantId), inArray(handoffs.status, ["open", "accepted"])))
    .orderBy(asc(handoffs.createdAt), asc(handoffs.id))
    .limit(of.limit);
}

/** Was it asked about the order, open or closed? */
export async function hadOrderHandoff(
  tx: Tx,
  of: { tenantId: string; orderId: string; reason: string },
): Promise<boolean> {
  const rows = await tx
    .select({ id: handoffs.id })
    .from(handoffs)
    .where(
      and(
        eq(handoffs.tenantId, of.tenantId),
        eq(handoffs.orderId, of.orderId),
        eq(handoffs.reason, of.reason),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** Closes what people were asked about an order: all of it, or one reason. */
export async function closeOrderHandoffs(
  tx: Tx,
  which: { tenantId: string; orderId: string; reason?: string; now: number },
): Promise<void> {
  await tx
    .update(handoffs)
    .set({ status: "closed", closedAt: which.now })
    .where(
      and(
        eq(handoffs.tenantId, which.tenantId),
        eq(handoffs.orderId, which.orderId),
        which.reason === undefined ? undefined : eq(handoffs.reason, which.reason),
        inArray(handoffs.status, ["open", "accepted"]),
      ),
    );
}
