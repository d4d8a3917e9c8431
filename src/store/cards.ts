import { and, eq } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Card } from "../domain/messenger.ts";
import type { Tx } from "./db.ts";
import { destinationsOf } from "./destinations.ts";
import { writeOutgoing } from "./outbox.ts";
import { outbox } from "./schema/chat.ts";

export interface CardWrite {
  jobs: Jobs<Tx>;
  tenantId: string;
  approvalId: string;
  conversationId: string;
  card: Card;
  now: number;
}

/** Posts the card in every operator channel. Returns how many. */
export async function postCards(tx: Tx, write: CardWrite): Promise<number> {
  const places = await destinationsOf(tx, write.tenantId, "operators");
  await writeOutgoing(
    tx,
    write,
    places.map((place) => ({
      id: newId(),
      channelId: place.channelId,
      chatId: place.chatId,
      purpose: "card" as const,
      content: { kind: "card" as const, card: write.card },
      approvalId: write.approvalId,
      conversationId: write.conversationId,
    })),
  );
  return places.length;
}

/** Brings every card of the approval to the same state, wherever it stands. */
export async function editCards(tx: Tx, write: CardWrite): Promise<void> {
  const cards = await tx
    .select({ id: outbox.id, channelId: outbox.channelId, chatId: outbox.chatId })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, write.tenantId),
        eq(outbox.approvalId, write.approvalId),
        eq(outbox.purpose, "card"),
      ),
    );
  await writeOutgoing(
    tx,
    write,
    cards.map((card) => ({
      channelId: card.channelId,
      chatId: card.chatId,
      purpose: "card_edit" as const,
      content: { kind: "card_edit" as const, card: write.card, cardOutboxId: card.id },
      approvalId: write.approvalId,
      conversationId: write.conversationId,
    })),
  );
}
