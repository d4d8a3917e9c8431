import { and, eq } from "drizzle-orm";
import type { Language } from "../domain/language.ts";
import type { Tx } from "./db.ts";
import { contacts, conversations } from "./schema/chat.ts";

/** Throws when there is none. */
export async function conversationOf(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<{ contactId: string; language: Language; channelId: string; chatId: string }> {
  const rows = await tx
    .select({
      contactId: conversations.contactId,
      language: conversations.language,
      channelId: conversations.channelId,
      chatId: conversations.chatId,
    })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, id)));
  const row = rows[0];
  if (!row) throw new Error(`conversation ${id} does not exist`);
  return row;
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
