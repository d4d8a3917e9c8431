import { and, asc, count, desc, eq, gte, inArray, isNotNull, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Card } from "../domain/messenger.ts";
import type { ApprovalRow } from "./approvals.ts";
import { queryRows, type Tx } from "./db.ts";
import { destinationsOf } from "./destinations.ts";
import { type WriteOutgoing, writeOutgoing } from "./outbox.ts";
import {
  approvalDigests,
  approvalQueue,
  type DigestCard,
  type DigestItem,
} from "./schema/approvals.ts";
import { outbox } from "./schema/chat.ts";
import { staff } from "./schema/tenancy.ts";

/** One state of a list of requests, under an id of its own. */
export type ApprovalDigest = typeof approvalDigests.$inferSelect;

/** One state of a digest; its id names it on the button for many. */
export async function insertDigest(
  tx: Tx,
  row: { id: string; tenantId: string; items: DigestItem[]; now: number } & Partial<
    Pick<ApprovalDigest, "cardsJson" | "postedAt">
  >,
): Promise<void> {
  const { items, now, ...rest } = row;
  await tx.insert(approvalDigests).values({ ...rest, itemsJson: items, createdAt: now });
}

/** null: no such state, as when a button was made up. */
export async function digestById(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<ApprovalDigest | null> {
  const rows = await tx
    .select()
    .from(approvalDigests)
    .where(and(eq(approvalDigests.tenantId, tenantId), eq(approvalDigests.id, id)));
  return rows[0] ?? null;
}

/** The newest state of the card that was posted last. */
export async function lastPostedDigest(tx: Tx, tenantId: string): Promise<ApprovalDigest | null> {
  const rows = await tx
    .select()
    .from(approvalDigests)
    .where(and(eq(approvalDigests.tenantId, tenantId), isNotNull(approvalDigests.postedAt)))
    .orderBy(desc(approvalDigests.postedAt), desc(approvalDigests.id))
    .limit(1);
  return rows[0] ?? null;
}

/** `approverName`: null: nobody has ended it, or the product did. */
export type DigestedApproval = ApprovalRow & { approverName: string | null };

/** Approvals with the name of whoever ended them, by number. */
export async function approvalsByIds(
  tx: Tx,
  tenantId: string,
  ids: readonly string[],
): Promise<DigestedApproval[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .select({ approval: approvalQueue, approverName: staff.name })
    .from(approvalQueue)
    .leftJoin(
      staff,
      and(eq(staff.tenantId, approvalQueue.tenantId), eq(staff.id, approvalQueue.approver)),
    )
    .where(and(eq(approvalQueue.tenantId, tenantId), inArray(approvalQueue.id, [...ids])))
    .orderBy(asc(approvalQueue.number));
  return rows.map(({ approval, approverName }) => ({ ...approval, approverName }));
}

/** Ids of what people may decide on now, the longest waiting first; at most `limit`, and how many. */
export async function openRequests(
  tx: Tx,
  of: { tenantId: string; limit: number },
): Promise<{ ids: string[]; total: number }> {
  const open = and(eq(approvalQueue.tenantId, of.tenantId), eq(approvalQueue.status, "pending"));
  const rows = await tx
    .select({ id: approvalQueue.id })
    .from(approvalQueue)
    .where(open)
    .orderBy(asc(approvalQueue.number))
    .limit(of.limit);
  if (rows.length < of.limit) return { ids: rows.map(({ id }) => id), total: rows.length };
  const totals = await tx.select({ total: count() }).from(approvalQueue).where(open);
  return { ids: rows.map(({ id }) => id), total: totals[0]?.total ?? rows.length };
}

/** How many requests of the time since then wait. */
export async function countOpenSince(tx: Tx, tenantId: string, since: number): Promise<number> {
  const rows = await tx
    .select({ open: count() })
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, tenantId),
        eq(approvalQueue.status, "pending"),
        gte(approvalQueue.createdAt, since),
      ),
    );
  return rows[0]?.open ?? 0;
}

/** False: another transaction is just posting one. */
export async function mayPostDigest(tx: Tx, tenantId: string): Promise<boolean> {
  const held = JSON.stringify(["approval digest", tenantId]);
  const rows = await queryRows<{ held: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(hashtextextended(${held}, 0)) as held`,
  );
  return rows[0]?.held === true;
}

/** Until the transaction ends. Take it last: whoever has it waits for no other request. */
export async function lockDigest(tx: Tx, tenantId: string): Promise<void> {
  const held = JSON.stringify(["approval digest state", tenantId]);
  await queryRows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${held}, 0))`);
}

/** Posts the card in every operator channel; answers where it stands. */
export async function postDigest(tx: Tx, write: WriteOutgoing, card: Card): Promise<DigestCard[]> {
  const places = await destinationsOf(tx, write.tenantId, "operators");
  const cards = places.map(({ channelId, chatId }) => ({ outboxId: newId(), channelId, chatId }));
  await writeOutgoing(
    tx,
    write,
    cards.map(({ outboxId, channelId, chatId }) => ({
      ...{ id: outboxId, channelId, chatId, purpose: "card" as const },
      content: { kind: "card" as const, card },
    })),
  );
  return cards;
}

/** Brings the cards to a new state; an edit that waits still takes it instead of a further one. */
export async function editDigest(
  tx: Tx,
  write: WriteOutgoing,
  { cards, card }: { cards: readonly DigestCard[]; card: Card },
): Promise<void> {
  for (const { outboxId, channelId, chatId } of cards) {
    const content = { kind: "card_edit" as const, card, cardOutboxId: outboxId };
    const waiting = await tx
      .update(outbox)
      .set({ content })
      .where(
        and(
          eq(outbox.tenantId, write.tenantId),
          eq(outbox.channelId, channelId),
          eq(outbox.chatId, chatId),
          eq(outbox.purpose, "card_edit"),
          eq(outbox.status, "queued"),
          sql`${outbox.content}->>'cardOutboxId' = ${outboxId}`,
        ),
      )
      .returning({ id: outbox.id });
    if (waiting.length > 0) continue;
    await writeOutgoing(tx, write, [{ channelId, chatId, purpose: "card_edit", content }]);
  }
}
