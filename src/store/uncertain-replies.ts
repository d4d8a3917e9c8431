import { and, desc, eq } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { contacts, conversations, outbox } from "./schema/chat.ts";

/** A reply that may not have arrived; `createdAt` is product time. */
export interface UncertainReply {
  clientName: string;
  createdAt: number;
}

/** Replies of which nobody knows whether they arrived, the newest first. */
export function uncertainReplies(
  tx: Tx,
  { tenantId, limit }: { tenantId: string; limit: number },
): Promise<UncertainReply[]> {
  return tx
    .select({ clientName: contacts.name, createdAt: outbox.createdAt })
    .from(outbox)
    .innerJoin(
      conversations,
      and(eq(conversations.tenantId, tenantId), eq(conversations.id, outbox.conversationId)),
    )
    .innerJoin(
      contacts,
      and(eq(contacts.tenantId, tenantId), eq(contacts.id, conversations.contactId)),
    )
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.purpose, "reply"),
        eq(outbox.status, "uncertain"),
      ),
    )
    .orderBy(desc(outbox.seq))
    .limit(limit);
}
