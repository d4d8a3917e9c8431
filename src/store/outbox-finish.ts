import { and, eq, inArray, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import { type Db, type Tx, withTenant } from "./db.ts";
import { moveChat } from "./move-chat.ts";
import { type ClaimedRow, ownRow, SENT_ONCE_MORE } from "./outbox-claim.ts";
import { dropReviewThread, setReviewThread, threadOpening } from "./review-threads.ts";
import { approvalCards } from "./schema/approvals.ts";
import { contacts, conversations, outbox } from "./schema/chat.ts";
import { storable } from "./storable.ts";

/** How an attempt ended. `dueAt` is product time. */
export type DeliveryEnd =
  | { kind: "sent" }
  | { kind: "retry"; dueAt: number; error: string }
  /** Nobody knows whether it arrived; it stays open and is looked up or sent once more. */
  | { kind: "in_doubt"; dueAt: number; error: string }
  /** Nobody knows, and nothing more is done unless a person asks. */
  | { kind: "uncertain"; error: string }
  | { kind: "failed"; error: string }
  | { kind: "cancelled"; error: string }
  /** The lead blocked the bot: what else was queued for the chat is cancelled. */
  | { kind: "blocked"; error: string }
  /** The chat has another id now; the row is due there at once. */
  | { kind: "moved"; chatId: string }
  /** There are no threads in the chat: what was meant for one goes to the chat itself. */
  | { kind: "flat"; error: string }
  /** The row's thread is gone and is opened anew; the row goes behind that. */
  | { kind: "reopen"; error: string }
  /** Its thread is being opened: the row goes behind that. */
  | { kind: "behind"; dueAt: number; error: string };

/** Starts `lastError` of a row whose thread was opened anew for it, which is done once. */
export const REOPENED = "its thread was opened anew after: ";

export interface Finished {
  end: DeliveryEnd;
  /** External ids of parts that are not recorded yet. */
  newParts: readonly string[];
  /** Product time. */
  now: number;
  /** Written in the same transaction, only when the end was. */
  alongside?(tx: Tx): Promise<void>;
}

/**
 * Writes an attempt's end under the row's own lease (not, when another worker has it now). Tells
 * whether the chat has anything open.
 */
export function finishDelivery(
  db: Db,
  row: ClaimedRow,
  { end, newParts, now, alongside }: Finished,
): Promise<boolean> {
  return withTenant(db, row.tenantId, async (tx) => {
    const updated = await tx
      .update(outbox)
      .set({
        leaseToken: null,
        leaseUntil: null,
        externalIds: sql`external_ids || ${JSON.stringify(newParts)}::jsonb`,
        ...changeOf(row, end, now),
      })
      .where(ownRow(row))
      .returning({ externalIds: outbox.externalIds });
    const done = updated[0];
    if (!done) return true;
    await alongside?.(tx);
    if (end.kind === "sent") await keepCard(tx, row, { ids: done.externalIds, now });
    if (end.kind === "blocked") await stopChat(tx, row, now);
    if (end.kind === "moved") await moveChat(tx, row, end.chatId);
    await settleThread(tx, row, { end, ids: done.externalIds, now });
    return end.kind === "moved" || hasOpen(tx, row);
  });
}

async function hasOpen(tx: Tx, row: ClaimedRow): Promise<boolean> {
  const open = await tx
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(sameChat(row), inArray(outbox.status, ["queued", "sending"])))
    .limit(1);
  return open.length > 0;
}

function changeOf(row: ClaimedRow, end: DeliveryEnd, now: number) {
  switch (end.kind) {
    case "sent":
      return { status: "sent" as const, sentAt: now, lastError: null };
    case "retry":
      return { status: "queued" as const, dueAt: end.dueAt, lastError: keepMark(row, end.error) };
    case "in_doubt":
      return { status: "sending" as const, dueAt: end.dueAt, lastError: keepMark(row, end.error) };
    case "moved":
      return { status: "queued" as const, dueAt: now };
    case "reopen":
      return { status: "queued" as const, dueAt: now, lastError: REOPENED + end.error };
    case "behind":
      return { status: "queued" as const, dueAt: end.dueAt, lastError: end.error };
    case "flat":
      return { status: "cancelled" as const, lastError: end.error };
    case "uncertain":
    case "failed":
      return { status: end.kind, dueAt: againAt(row, now), lastError: end.error };
    case "cancelled":
      return { status: end.kind, lastError: end.error };
    case "blocked":
      return { status: "failed" as const, dueAt: againAt(row, now), lastError: end.error };
    default:
      return end satisfies never;
  }
}

const SHORTEST_REST_MS = 10_000;
const LONGEST_REST_MS = 30 * 60_000;

/** When a card that people still need is tried again; each rest is half as long as all before. */
function againAt({ createdAt }: ClaimedRow, now: number): number {
  const rest = (now - createdAt) / 2;
  return now + Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, rest));
}

function keepMark(row: ClaimedRow, error: string): string {
  const marked = row.lastError?.startsWith(SENT_ONCE_MORE) && !error.startsWith(SENT_ONCE_MORE);
  return marked ? SENT_ONCE_MORE + error : error;
}

/** The second and last sending begins: a crash in it must not lead to a third. */
export async function markSentOnceMore(db: Db, row: ClaimedRow): Promise<string> {
  const error = SENT_ONCE_MORE + (row.lastError ?? "the process stopped while sending");
  await withTenant(db, row.tenantId, (tx) =>
    tx.update(outbox).set({ lastError: error }).where(ownRow(row)),
  );
  return error;
}

export type CardState =
  | { kind: "open" }
  | { kind: "sent"; externalId: string }
  /** Nothing that could be edited. */
  | { kind: "absent" };

/** Where the card that an edit names stands; the last part carries the buttons. */
export function cardState(db: Db, tenantId: string, outboxId: string): Promise<CardState> {
  return withTenant(db, tenantId, async (tx) => {
    const rows = await tx
      .select({ status: outbox.status, externalIds: outbox.externalIds })
      .from(outbox)
      .where(and(eq(outbox.tenantId, tenantId), eq(outbox.id, outboxId)));
    const row = rows[0];
    if (row?.status === "queued" || row?.status === "sending") return { kind: "open" };
    const externalId = row?.externalIds.at(-1);
    return externalId === undefined ? { kind: "absent" } : { kind: "sent", externalId };
  });
}

async function keepCard(
  tx: Tx,
  row: ClaimedRow,
  sent: { ids: string[]; now: number },
): Promise<void> {
  if (row.purpose !== "card" || row.approvalId === null) return;
  await tx.insert(approvalCards).values({
    id: newId(),
    tenantId: row.tenantId,
    approvalId: row.approvalId,
    outboxId: row.id,
    channelId: row.channelId,
    chatId: row.chatId,
    externalId: sent.ids.at(-1) ?? null,
    createdAt: sent.now,
  });
}

/** A thread's row and the conversation's thread change together. */
async function settleThread(
  tx: Tx,
  row: ClaimedRow,
  { end, ids, now }: { end: DeliveryEnd; ids: string[]; now: number },
): Promise<void> {
  if (row.reviewThreadId === null) return;
  const ref = { tenantId: row.tenantId, id: row.reviewThreadId };
  if (end.kind === "reopen") await reopenThread(tx, row, now);
  if (end.kind === "reopen" || end.kind === "behind") await putLast(tx, row);
  if (row.content.kind !== "thread") return;
  if (end.kind === "sent")
    await setReviewThread(tx, ref, { status: "open", threadId: ids.at(-1) ?? null });
  else if (end.kind === "flat") await setReviewThread(tx, ref, { status: "flat", threadId: null });
  else if (isOver(end)) await dropReviewThread(tx, ref);
}

function isOver({ kind }: DeliveryEnd): boolean {
  return kind === "failed" || kind === "uncertain" || kind === "cancelled" || kind === "blocked";
}

async function reopenThread(tx: Tx, row: ClaimedRow, now: number): Promise<void> {
  const { tenantId, channelId, chatId, reviewThreadId, reviewThread } = row;
  if (reviewThreadId === null || reviewThread === null) return;
  const opening = { status: "opening" as const, threadId: null };
  await setReviewThread(tx, { tenantId, id: reviewThreadId }, opening);
  await tx.insert(outbox).values({
    ...{ id: newId(), tenantId, channelId, chatId, reviewThreadId, purpose: "mirror" as const },
    content: storable(threadOpening(reviewThread.client)),
    ...{ status: "queued" as const, dueAt: now, createdAt: now },
  });
}

/** Rows that follow find the thread being opened, too, and go behind this one in their order. */
async function putLast(tx: Tx, { tenantId, id }: ClaimedRow): Promise<void> {
  await tx.execute(
    sql`update outbox set seq = default where tenant_id = ${tenantId} and id = ${id}`,
  );
}

async function stopChat(tx: Tx, row: ClaimedRow, now: number): Promise<void> {
  const contactId = tx
    .select({ id: conversations.contactId })
    .from(conversations)
    .where(
      and(
        eq(conversations.tenantId, row.tenantId),
        eq(conversations.channelId, row.channelId),
        eq(conversations.chatId, row.chatId),
      ),
    );
  await tx
    .update(contacts)
    .set({ blockedAt: now })
    .where(and(eq(contacts.tenantId, row.tenantId), inArray(contacts.id, contactId)));
  await tx
    .update(outbox)
    .set({ status: "cancelled", lastError: "the person blocked the bot" })
    .where(and(sameChat(row), eq(outbox.status, "queued")));
}

function sameChat(row: ClaimedRow) {
  return and(
    eq(outbox.tenantId, row.tenantId),
    eq(outbox.channelId, row.channelId),
    eq(outbox.chatId, row.chatId),
  );
}
