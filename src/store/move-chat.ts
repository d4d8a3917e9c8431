import { and, eq, inArray, sql } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { moveReviewThreads } from "./review-threads.ts";
import { outbox } from "./schema/chat.ts";
import { destinations } from "./schema/tenancy.ts";

/**
 * A group has another id from now on: what waits for it, and what it serves for, go with it.
 * Message ids do not carry over: cards of the old chat can no longer be edited.
 */
export async function moveChat(
  tx: Tx,
  chat: { tenantId: string; channelId: string; chatId: string },
  toChatId: string,
): Promise<void> {
  await tx
    .update(outbox)
    .set({ chatId: toChatId })
    .where(
      and(
        eq(outbox.tenantId, chat.tenantId),
        eq(outbox.channelId, chat.channelId),
        eq(outbox.chatId, chat.chatId),
        inArray(outbox.status, ["queued", "sending"]),
      ),
    );
  const old = and(
    eq(destinations.tenantId, chat.tenantId),
    eq(destinations.channelId, chat.channelId),
    eq(destinations.chatId, chat.chatId),
  );
  // a destination that already names the new chat wins, and stands for the old one too
  await tx
    .update(destinations)
    .set({ movedFrom: chat.chatId })
    .where(
      and(
        eq(destinations.tenantId, chat.tenantId),
        eq(destinations.chatId, toChatId),
        sql`exists (select 1 from destinations d where d.tenant_id = ${chat.tenantId}
          and d.channel_id = ${chat.channelId} and d.messenger = destinations.messenger
          and d.chat_id = ${chat.chatId} and d.purpose = destinations.purpose)`,
      ),
    );
  await tx.delete(destinations).where(
    and(
      old,
      sql`exists (select 1 from destinations d where d.tenant_id = ${chat.tenantId}
        and d.messenger = destinations.messenger and d.chat_id = ${toChatId} and d.purpose = destinations.purpose)`,
    ),
  );
  await tx
    .update(destinations)
    .set({
      chatId: toChatId,
      movedFrom: sql`coalesce(${destinations.movedFrom}, ${destinations.chatId})`,
    })
    .where(old);
  await moveReviewThreads(tx, chat, toChatId);
}
