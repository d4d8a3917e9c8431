import { and, eq, gte, inArray, max } from "drizzle-orm";
import type { Media } from "../domain/inbound.ts";
import type { LeadFile } from "../domain/messenger.ts";
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

/** Those of the lead's messages that brought media, in the given conversation. */
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
  return rows.filter(broughtMedia);
}

/** Messages with files that the lead sent from a moment on, oldest first. */
export async function leadMediaSince(
  tx: Tx,
  of: ConversationRef,
  since: number,
): Promise<{ id: string; media: Media[] }[]> {
  const rows = await tx
    .select({ id: messages.id, media: messages.media })
    .from(messages)
    .where(and(fromLead(of), gte(messages.createdAt, since)))
    .orderBy(messages.seq);
  return rows.filter(broughtMedia);
}

/** A later version of a message has the files that its first one brought. */
function broughtMedia({ media }: { media: Media[] }): boolean {
  return media.some((one) => !one.earlier);
}

/** The files of these messages, as a messenger finds them again. */
export async function leadFiles(
  tx: Tx,
  of: ConversationRef,
  ids: readonly string[],
): Promise<LeadFile[]> {
  const chat = await leadChat(tx, of);
  if (!chat || ids.length === 0) return [];
  const rows = await tx
    .select({ externalId: messages.externalId, media: messages.media })
    .from(messages)
    .where(and(fromLead(of), inArray(messages.id, [...ids])))
    .orderBy(messages.seq);
  const { channelId, chatId } = chat;
  return rows.flatMap(({ externalId, media }) =>
    externalId === null
      ? []
      : media
          // a location or a text passed on is no file
          .filter(({ fileId }) => fileId !== undefined)
          .map((one) => ({ channelId, chatId, messageId: externalId, media: one })),
  );
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
