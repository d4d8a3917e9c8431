import { and, desc, eq, inArray } from "drizzle-orm";
import type { Tx } from "../../src/store/db.ts";
import type { Handoff } from "../../src/store/handoffs.ts";
import { handoffs } from "../../src/store/schema/chat.ts";

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
