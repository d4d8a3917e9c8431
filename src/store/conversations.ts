import { and, desc, eq } from "drizzle-orm";
import type { Language } from "../domain/language.ts";
import type { Tx } from "./db.ts";
import { verified } from "./row-mac.ts";
import { contacts, conversations } from "./schema/chat.ts";

/** In the place of a contact whose conversation the product did not write: has and owns nothing. */
export const UNKNOWN_CONTACT = "?";

/** What tells whose conversation it is. */
export const SIGNED_PLACE = {
  id: conversations.id,
  tenantId: conversations.tenantId,
  contactId: conversations.contactId,
  channelId: conversations.channelId,
  messenger: conversations.messenger,
  chatId: conversations.chatId,
  mac: conversations.mac,
};

/** `UNKNOWN_CONTACT`, and people are told, when something else wrote the row. */
export function believedContact(
  tx: Tx,
  row: Pick<typeof conversations.$inferSelect, keyof typeof SIGNED_PLACE>,
): string {
  return verified(tx, "conversations", row) ? row.contactId : UNKNOWN_CONTACT;
}

/** Throws when there is none. */
export async function conversationOf(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<{ contactId: string; language: Language; channelId: string; chatId: string }> {
  const rows = await tx
    .select({ ...SIGNED_PLACE, language: conversations.language })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, id)));
  const row = rows[0];
  if (!row) throw new Error(`conversation ${id} does not exist`);
  const { language, channelId, chatId } = row;
  return { contactId: believedContact(tx, row), language, channelId, chatId };
}

/** False also for another tenant's. */
export async function conversationExists(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const rows = await tx
    .select({ id: conversations.id })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, id)));
  return rows.length > 0;
}

/** Whom a call is for; nobody, when the desk itself asked for it. */
export async function partyOf(
  tx: Tx,
  tenantId: string,
  conversationId: string | null,
): Promise<{ conversationId: string; contactId: string; language: Language }> {
  if (conversationId === null) return { conversationId: "", contactId: "", language: "en" };
  const { contactId, language } = await conversationOf(tx, tenantId, conversationId);
  return { conversationId, contactId, language };
}

/** The name of the client of a private chat; null: it is nobody's. */
export async function clientOfChat(
  tx: Tx,
  chat: { tenantId: string; channelId: string; chatId: string },
): Promise<string | null> {
  const rows = await tx
    .select({ name: contacts.name })
    .from(conversations)
    .innerJoin(
      contacts,
      and(eq(contacts.tenantId, chat.tenantId), eq(contacts.id, conversations.contactId)),
    )
    .where(
      and(
        eq(conversations.tenantId, chat.tenantId),
        eq(conversations.channelId, chat.channelId),
        eq(conversations.chatId, chat.chatId),
      ),
    );
  return rows[0]?.name ?? null;
}

/** Chats of one channel in which something happened lately, the latest first. */
export async function recentChats(
  tx: Tx,
  of: { tenantId: string; channelId: string; limit: number },
): Promise<string[]> {
  const rows = await tx
    .select({ chatId: conversations.chatId })
    .from(conversations)
    .where(and(eq(conversations.tenantId, of.tenantId), eq(conversations.channelId, of.channelId)))
    .orderBy(desc(conversations.updatedAt), desc(conversations.id))
    .limit(of.limit);
  return rows.map(({ chatId }) => chatId);
}
