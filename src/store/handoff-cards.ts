import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Card } from "../domain/messenger.ts";
import type { Tx } from "./db.ts";
import { type WriteOutgoing, writeOutgoing } from "./outbox.ts";
import { outbox } from "./schema/chat.ts";

/**
 * Every card of a request for a person goes from what it shows now to what `change` makes of it.
 * A card that says how its matter ended stays as it is.
 */
export async function changeHandoffCards(
  tx: Tx,
  write: WriteOutgoing,
  { handoffId, change }: { handoffId: string; change(card: Card): Card },
): Promise<void> {
  const cards = await shownCards(tx, write.tenantId, handoffId);
  await writeOutgoing(
    tx,
    write,
    cards
      .filter(({ card }) => card.outcome === undefined)
      .map(({ id, channelId, chatId, conversationId, card }) => ({
        ...{ channelId, chatId, conversationId, purpose: "card_edit" as const },
        content: { kind: "card_edit" as const, card: change(card), cardOutboxId: id },
      })),
  );
}

async function shownCards(tx: Tx, tenantId: string, handoffId: string) {
  const posted = await tx
    .select({
      id: outbox.id,
      channelId: outbox.channelId,
      chatId: outbox.chatId,
      conversationId: outbox.conversationId,
      content: outbox.content,
    })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.handoffId, handoffId),
        eq(outbox.purpose, "card"),
      ),
    )
    .orderBy(asc(outbox.seq));
  const edits = await newestEdits(
    tx,
    tenantId,
    posted.map(({ id }) => id),
  );
  return posted.flatMap(({ content, ...row }) => {
    const card = edits.get(row.id) ?? (content.kind === "card" ? content.card : undefined);
    return card ? [{ ...row, card }] : [];
  });
}

/** Card's outbox id → what the newest edit of it shows. */
async function newestEdits(tx: Tx, tenantId: string, ids: string[]): Promise<Map<string, Card>> {
  const shown = new Map<string, Card>();
  if (ids.length === 0) return shown;
  const rows = await tx
    .select({ content: outbox.content })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.purpose, "card_edit"),
        inArray(sql`content->>'cardOutboxId'`, ids),
      ),
    )
    .orderBy(asc(outbox.seq));
  for (const { content } of rows)
    if (content.kind === "card_edit") shown.set(content.cardOutboxId, content.card);
  return shown;
}
