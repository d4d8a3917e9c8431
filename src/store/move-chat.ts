import { and, eq, inArray } from "drizzle-orm";
import type { Tx } from "./db.ts";
import {
  changeDestination,
  type KnownDestination,
  listDestinations,
  removeDestination,
} from "./destinations.ts";
import { moveReviewThreads } from "./review-threads.ts";
import { outbox } from "./schema/chat.ts";

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
  await moveDestinations(tx, chat, toChatId);
  await moveReviewThreads(tx, chat, toChatId);
}

async function moveDestinations(
  tx: Tx,
  { tenantId, channelId, chatId }: { tenantId: string; channelId: string; chatId: string },
  toChatId: string,
): Promise<void> {
  const all = await listDestinations(tx, tenantId);
  for (const old of all.filter((row) => row.channelId === channelId && row.chatId === chatId)) {
    const isTwin = (row: KnownDestination) =>
      row.messenger === old.messenger && row.purpose === old.purpose && row.chatId === toChatId;
    const twin = all.find(isTwin);
    if (!twin) {
      const movedFrom = old.movedFrom ?? chatId;
      // one that nobody vouches for would only stand in its way
      await removeDestination(tx, { ...old, chatId: toChatId });
      await changeDestination(tx, old, { chatId: toChatId, movedFrom });
      continue;
    }
    // a destination that already names the new chat wins, and stands for the old one too
    await changeDestination(tx, twin, { movedFrom: chatId });
    await removeDestination(tx, old);
  }
}
