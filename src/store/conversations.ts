import { and, eq } from "drizzle-orm";
import type { Language } from "../domain/language.ts";
import type { Tx } from "./db.ts";
import { conversations } from "./schema/chat.ts";

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
