import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Card, CardButton } from "../domain/messenger.ts";
import type { Tx } from "./db.ts";
import { destinationsOf } from "./destinations.ts";
import { type WriteOutgoing, writeOutgoing } from "./outbox.ts";
import { outbox } from "./schema/chat.ts";

export interface CardPost extends WriteOutgoing {
  conversationId: string | null;
  card: Card;
  /** Left out: the card asks for no approval. */
  approvalId?: string;
}

export interface CardWrite extends CardPost {
  approvalId: string;
}

/** Posts the card in every operator channel. Returns how many. */
export async function postCards(tx: Tx, write: CardPost): Promise<number> {
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

/** Which cards: those that went out with this button, about this conversation. */
export interface ButtonRef extends Pick<CardButton, "action" | "value"> {
  tenantId: string;
  conversationId: string | null;
}

/** When a card with the button was last posted, product time; null: never. */
export async function lastCardAt(tx: Tx, ref: ButtonRef): Promise<number | null> {
  return (await cardsWith(tx, ref)).at(-1)?.createdAt ?? null;
}

/**
 * Cards with the button show how their matter ended, instead of the buttons. What a card says
 * already stays: one reply may be lost twice, and has a card for each time.
 */
export async function endCards(
  tx: Tx,
  write: WriteOutgoing,
  { outcome, ...ref }: ButtonRef & { outcome: string },
): Promise<void> {
  const cards = await cardsWith(
    tx,
    ref,
    sql`not exists (
    select 1 from outbox e where e.tenant_id = outbox.tenant_id and e.purpose = 'card_edit'
      and e.conversation_id is not distinct from outbox.conversation_id
      and e.content->>'cardOutboxId' = outbox.id)`,
  );
  const edits = cards.flatMap(({ id, channelId, chatId, content }) => {
    if (content.kind !== "card") return [];
    const card = { ...content.card, outcome, buttons: [] };
    return {
      channelId,
      chatId,
      purpose: "card_edit" as const,
      content: { kind: "card_edit" as const, card, cardOutboxId: id },
      conversationId: ref.conversationId,
    };
  });
  await writeOutgoing(tx, write, edits);
}

function cardsWith(tx: Tx, { tenantId, conversationId, action, value }: ButtonRef, further?: SQL) {
  const holding = JSON.stringify({ card: { buttons: [{ action, value }] } });
  return tx
    .select({
      id: outbox.id,
      channelId: outbox.channelId,
      chatId: outbox.chatId,
      content: outbox.content,
      createdAt: outbox.createdAt,
    })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        conversationId === null ? undefined : eq(outbox.conversationId, conversationId),
        eq(outbox.purpose, "card"),
        sql`content @> ${holding}::jsonb`,
        further,
      ),
    )
    .orderBy(asc(outbox.seq));
}
