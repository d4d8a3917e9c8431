import { and, eq, inArray, max } from "drizzle-orm";
import type { Media } from "../domain/inbound.ts";
import type { Tx } from "./db.ts";
import type { ConversationRef } from "./orders.ts";
import { conversations, messages } from "./schema/chat.ts";

/** When the lead last wrote; null: never. */
export async function lastLeadMessageAt(tx: Tx, of: ConversationRef): Promise<number | null> {
  const rows = await tx
    .select({ at: max(messages.createdAt) })
    .from(messages)
    .where(fromLead(of));
  return rows[0]?.at ?? null;
}

/** Those of the lead's messages that carry media, in the given conversation. */
export async function leadMediaMessages(
  tx: Tx,
  of: ConversationRef,
  ids: readonly string[],
): Promise<{ id: string; media: Media[] }[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .select({ id: messages.id, media: messages.media })
    .from(messages)
    .where(and(fromLead(of), inArray(messages.id, [...ids])))
    .orderBy(messages.seq);
  return rows.filter((row) => row.media.length > 0);
}

/** Where the lead is written to. */
export async function leadChat(
  tx: Tx,
  of: ConversationRef,
): Promise<{ channelId: string; chatId: string; contactId: string } | null> {
  const rows = await tx
    .select({
      channelId: conversations.channelId,
      chatId: conversations.chatId,
      contactId: conversations.contactId,
    })
    .from(conversations)
    .where(and(eq(conversations.tenantId, of.tenantId), eq(conversations.id, of.conversationId)));
  return rows[0] ?? null;
}

function fromLead(of: ConversationRef) {
  return and(
    eq(messages.tenantId, of.tenantId),
    eq(messages.conversationId, of.conversationId),
    eq(messages.author, "lead"),
  );
}
