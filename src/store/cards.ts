import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import { type Card, type CardButton, CLOSE_HANDOFF, type LeadFile } from "../domain/messenger.ts";
import { clientOfChat } from "./conversations.ts";
import type { Tx } from "./db.ts";
import { destinationsOf } from "./destinations.ts";
import { type OutgoingRow, type WriteOutgoing, writeOutgoing } from "./outbox.ts";
import { outbox } from "./schema/chat.ts";

export interface CardPost extends WriteOutgoing {
  conversationId: string | null;
  card: Card;
  /** Left out: the card asks for no approval. */
  approvalId?: string;
  /** The request for a person that the card shows. */
  handoffId?: string;
  /** What the lead sent that the card is about: shown right before it. */
  files?: readonly LeadFile[];
  /** Long values whole, before the card that shows their beginnings. */
  wholeTexts?: readonly Card[];
}

export interface CardWrite extends CardPost {
  approvalId: string;
}

/** Posts the card in every operator channel, with its files before it. Returns how many. */
export async function postCards(tx: Tx, write: CardPost): Promise<number> {
  const places = await destinationsOf(tx, write.tenantId, "operators");
  const before = await rowsBefore(tx, write);
  await writeOutgoing(
    tx,
    write,
    places.flatMap(({ channelId, chatId }) => [
      ...before.map((row) => ({ ...row, channelId, chatId })),
      {
        ...{ id: newId(), channelId, chatId, purpose: "card" as const },
        content: { kind: "card" as const, card: write.card },
        approvalId: write.approvalId,
        handoffId: write.handoffId,
        conversationId: write.conversationId,
      },
    ]),
  );
  return places.length;
}

type RowBefore = Omit<OutgoingRow, "channelId" | "chatId">;
type Preceded = Pick<
  CardPost,
  "tenantId" | "conversationId" | "approvalId" | "files" | "wholeTexts"
>;

/** What stands right above a card, in this order: the lead's files, then long values whole. */
export async function rowsBefore(tx: Tx, write: Preceded): Promise<RowBefore[]> {
  return [...(await filesOf(tx, write)), ...wholeRows(write)];
}

/** Long values that an edit has written anew, in every operator channel. */
export async function postTexts(
  tx: Tx,
  write: Pick<CardPost, "jobs" | "tenantId" | "now"> & Omit<Preceded, "files">,
): Promise<void> {
  const rows = wholeRows(write);
  if (rows.length === 0) return;
  const places = await destinationsOf(tx, write.tenantId, "operators");
  await writeOutgoing(
    tx,
    write,
    places.flatMap(({ channelId, chatId }) => rows.map((row) => ({ ...row, channelId, chatId }))),
  );
}

function wholeRows({
  wholeTexts = [],
  conversationId,
  approvalId,
}: Omit<Preceded, "files" | "tenantId">): RowBefore[] {
  return wholeTexts.map((card) => ({
    purpose: "notice",
    content: { kind: "card", card },
    conversationId,
    approvalId,
  }));
}

/** The row that shows the card's files in a chat, when it has any. */
async function filesOf(
  tx: Tx,
  { tenantId, files = [], conversationId, approvalId }: Preceded,
): Promise<RowBefore[]> {
  const [first] = files;
  if (!first) return [];
  const { channelId, chatId } = first;
  const caption = (await clientOfChat(tx, { tenantId, channelId, chatId })) ?? "?";
  const content = { kind: "files" as const, files: [...files], caption };
  return [{ purpose: "notice", content, conversationId, approvalId }];
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

function cardsWith(tx: Tx, ref: ButtonRef, further?: SQL) {
  const { tenantId, conversationId } = ref;
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
        holding(ref),
        further,
      ),
    )
    .orderBy(asc(outbox.seq));
}

/** A card names its handoff; the few cards with another such button are searched. */
function holding({ action, value }: ButtonRef): SQL {
  if (action === CLOSE_HANDOFF) return eq(outbox.handoffId, value);
  return sql`content @> ${JSON.stringify({ card: { buttons: [{ action, value }] } })}::jsonb`;
}
