import { and, desc, eq } from "drizzle-orm";
import type { MessengerName, Person } from "../domain/inbound.ts";
import type { Language } from "../domain/language.ts";
import { accountHolder } from "./contact-accounts.ts";
import type { Tx } from "./db.ts";
import { conversations } from "./schema/chat.ts";

/** The language of a person's conversation, whatever chat they write in now; null: they have none. */
export async function leadLanguage(
  tx: Tx,
  { tenantId, messenger, person }: { tenantId: string; messenger: MessengerName; person: Person },
): Promise<Language | null> {
  const account = { tenantId, messenger, teamId: person.teamId, userId: person.id };
  const holder = await accountHolder(tx, account);
  if (holder === null || holder === "forged") return null;
  const [newest] = await tx
    .select({ language: conversations.language })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.contactId, holder.contactId)))
    .orderBy(desc(conversations.updatedAt))
    .limit(1);
  return newest?.language ?? null;
}
