import { and, eq, inArray } from "drizzle-orm";
import type { Card } from "../domain/messenger.ts";
import type { Tx } from "./db.ts";
import { type Destination, destinationsOf } from "./destinations.ts";
import { type WriteOutgoing, writeOutgoing } from "./outbox.ts";
import { outbox } from "./schema/chat.ts";

/** The operators' chats in which no card of the approval stands or is on its way. */
export async function chatsWithoutCard(
  tx: Tx,
  { tenantId, approvalId }: { tenantId: string; approvalId: string },
): Promise<Destination[]> {
  const places = await destinationsOf(tx, tenantId, "operators");
  const cards = await tx
    .select({ channelId: outbox.channelId, chatId: outbox.chatId })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.approvalId, approvalId),
        eq(outbox.purpose, "card"),
        inArray(outbox.status, ["queued", "sending", "sent"]),
      ),
    );
  return places.filter(
    (place) =>
      !cards.some((card) => card.channelId === place.channelId && card.chatId === place.chatId),
  );
}

/** Posts the card in these chats alone. */
export async function postCardIn(
  tx: Tx,
  write: WriteOutgoing & { approvalId: string; conversationId: string | null; card: Card },
  places: readonly Destination[],
): Promise<void> {
  const { approvalId, conversationId, card } = write;
  await writeOutgoing(
    tx,
    write,
    places.map(({ channelId, chatId }) => ({
      ...{ channelId, chatId, approvalId, conversationId, purpose: "card" as const },
      content: { kind: "card" as const, card },
    })),
  );
}
