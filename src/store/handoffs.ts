import { and, desc, eq, inArray, isNull } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { handoffs } from "./schema/chat.ts";

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

/** One open request for a conversation, reason and order; `isNew` false: it was asked before. */
export async function openHandoff(
  tx: Tx,
  handoff: NewHandoff,
): Promise<{ id: string; isNew: boolean }> {
  const { now, ...row } = handoff;
  const known = await tx
    .select({ id: handoffs.id })
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
  if (known[0]) return { id: known[0].id, isNew: false };
  const id = newId();
  await tx.insert(handoffs).values({ id, ...row, status: "open", createdAt: now });
  return { id, isNew: true };
}

/** Requests that no person has closed, newest first. */
export function openHandoffs(
  tx: Tx,
  of: { tenantId: string; conversationId: string },
): Promise<Handoff[]> {
  return tx
    .select()
    .from(handoffs)
    .where(
      and(
        eq(handoffs.tenantId, of.tenantId),
        eq(handoffs.conversationId, of.conversationId),
        inArray(handoffs.status, ["open", "accepted"]),
      ),
    )
    .orderBy(desc(handoffs.createdAt), desc(handoffs.id));
}

/** Answers how many were open. */
export async function closeHandoffs(
  tx: Tx,
  which: { tenantId: string; conversationId: string; reason: string; now: number },
): Promise<number> {
  const closed = await tx
    .update(handoffs)
    .set({ status: "closed", closedAt: which.now })
    .where(
      and(
        eq(handoffs.tenantId, which.tenantId),
        eq(handoffs.conversationId, which.conversationId),
        eq(handoffs.reason, which.reason),
        inArray(handoffs.status, ["open", "accepted"]),
      ),
    )
    .returning({ id: handoffs.id });
  return closed.length;
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
