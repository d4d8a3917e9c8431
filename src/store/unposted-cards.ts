import { and, desc, eq, gt, inArray, or, type SQL, sql } from "drizzle-orm";
import { OPEN_APPROVALS } from "./approvals.ts";
import { type CardWrite, rowsBefore } from "./cards.ts";
import { queryRows, type Tx } from "./db.ts";
import { type Destination, destinationsOf } from "./destinations.ts";
import { type OutgoingRow, type WriteOutgoing, writeOutgoing } from "./outbox.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { outbox } from "./schema/chat.ts";
import { storable } from "./storable.ts";

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
        inArray(outbox.status, [...SHOWN]),
      ),
    );
  return places.filter(
    (place) =>
      !cards.some((card) => card.channelId === place.channelId && card.chatId === place.chatId),
  );
}

const SHOWN = ["queued", "sending", "sent"] as const;

/** Ids of open approvals that lack a card in a chat of the operators, and whose rest there is over. */
export async function approvalsWithoutCard(
  tx: Tx,
  { tenantId, now, limit }: { tenantId: string; now: number; limit: number },
): Promise<string[]> {
  const places = await destinationsOf(tx, tenantId, "operators");
  if (places.length === 0) return [];
  const rows = await tx
    .select({ id: approvalQueue.id })
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, tenantId),
        inArray(approvalQueue.status, [...OPEN_APPROVALS]),
        or(...places.map((place) => lacksCardIn(tx, place, now))),
      ),
    )
    .limit(limit);
  return rows.map(({ id }) => id);
}

function lacksCardIn(tx: Tx, place: Destination, now: number): SQL {
  const cards = tx
    .select({ id: outbox.id })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, approvalQueue.tenantId),
        eq(outbox.approvalId, approvalQueue.id),
        eq(outbox.channelId, place.channelId),
        eq(outbox.chatId, place.chatId),
        eq(outbox.purpose, "card"),
        or(inArray(outbox.status, [...SHOWN]), gt(outbox.dueAt, now)),
      ),
    );
  return sql`not exists ${cards}`;
}

/**
 * Posts the card in these chats alone, below what it is about. One that could not be delivered there
 * before is sent again as it is now, and keeps its row: what was looked up and edited by it still is.
 */
export async function postCardIn(
  tx: Tx,
  write: CardWrite,
  places: readonly Destination[],
): Promise<void> {
  const before = await rowsBefore(tx, write);
  for (const { channelId, chatId } of places) {
    const above = before.map((row) => ({ ...row, channelId, chatId }));
    const place = { channelId, chatId };
    if (!(await sendAgain(tx, write, { place, above }))) await post(tx, write, { place, above });
  }
}

interface Posting {
  place: Pick<Destination, "channelId" | "chatId">;
  /** What stands right above the card, for this chat. */
  above: OutgoingRow[];
}

async function post(tx: Tx, write: CardWrite, { place, above }: Posting): Promise<void> {
  const { approvalId, conversationId, card } = write;
  const row = { ...place, approvalId, conversationId, purpose: "card" as const };
  await writeAbove(tx, write, above);
  await writeOutgoing(tx, write, [{ ...row, content: { kind: "card", card } }]);
}

async function sendAgain(tx: Tx, write: CardWrite, { place, above }: Posting): Promise<boolean> {
  const { tenantId, now, card } = write;
  const [last] = await tx
    .select({ id: outbox.id, status: outbox.status })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.approvalId, write.approvalId),
        eq(outbox.channelId, place.channelId),
        eq(outbox.chatId, place.chatId),
        eq(outbox.purpose, "card"),
        inArray(outbox.status, ["uncertain", "failed"]),
      ),
    )
    .orderBy(desc(outbox.seq))
    .limit(1)
    .for("update");
  if (!last) return false;
  if (await writeAbove(tx, write, above)) await putLast(tx, write, last.id);
  await requeue(
    tx,
    { tenantId, now, ...last },
    { content: { kind: "card", card }, externalIds: [] },
  );
  write.jobs.wakeDelivery(tx);
  // a copy that is found there may show what was true then
  if (last.status === "uncertain")
    await writeOutgoing(tx, write, [
      {
        ...{ ...place, purpose: "card_edit" as const },
        ...{ approvalId: write.approvalId, conversationId: write.conversationId },
        content: { kind: "card_edit", card, cardOutboxId: last.id },
      },
    ]);
  return true;
}

/** Has what belongs above the card sent, unless it stands there as the chat's newest; was it? */
async function writeAbove(tx: Tx, write: CardWrite, above: OutgoingRow[]): Promise<boolean> {
  let isWritten = false;
  for (const row of above) {
    const known = await newestOf(tx, write, row);
    if (known?.isOnItsWay || known?.isNewest) continue;
    isWritten = true;
    const { tenantId, now } = write;
    if (!known || known.status === "sent") await writeOutgoing(tx, write, [row]);
    else {
      await toEnd(tx, { tenantId, id: known.id });
      await requeue(tx, { tenantId, now, ...known });
    }
  }
  return isWritten;
}

/** The row that was written with this content before, in the same chat. */
async function newestOf(tx: Tx, { tenantId, approvalId }: CardWrite, row: OutgoingRow) {
  const { channelId, chatId, content } = row;
  const [known] = await queryRows<{
    id: string;
    status: string;
    isOnItsWay: boolean;
    isNewest: boolean;
  }>(
    tx,
    sql`select o.id, o.status, o.status in ('queued', 'sending') as "isOnItsWay",
        o.status = 'sent' and not exists (select 1 from outbox n
          where n.tenant_id = o.tenant_id and n.channel_id = o.channel_id
            and n.chat_id = o.chat_id and n.seq > o.seq and n.status = 'sent'
            and n.approval_id is distinct from o.approval_id) as "isNewest"
      from outbox o
      where o.tenant_id = ${tenantId} and o.approval_id = ${approvalId} and o.purpose = 'notice'
        and o.channel_id = ${channelId} and o.chat_id = ${chatId}
        and o.content = ${JSON.stringify(storable(content))}::jsonb
      order by o.seq desc limit 1`,
  );
  return known;
}

/** The card goes behind what was just written, and edits of it that wait behind the card. */
async function putLast(tx: Tx, { tenantId, approvalId }: CardWrite, cardId: string): Promise<void> {
  const edits = await queryRows<{ id: string }>(
    tx,
    sql`select id from outbox where tenant_id = ${tenantId} and approval_id = ${approvalId}
      and purpose = 'card_edit' and status in ('queued', 'sending') and content->>'cardOutboxId' = ${cardId}
      order by seq for update`,
  );
  for (const id of [cardId, ...edits.map((edit) => edit.id)]) await toEnd(tx, { tenantId, id });
}

async function toEnd(tx: Tx, { tenantId, id }: { tenantId: string; id: string }): Promise<void> {
  await tx.execute(
    sql`update outbox set seq = default where tenant_id = ${tenantId} and id = ${id}`,
  );
}

interface Ended {
  tenantId: string;
  id: string;
  status: string;
  now: number;
}

/**
 * In its old place, before edits of it that wait. What may stand there is looked up first where the
 * messenger can.
 */
async function requeue(
  tx: Tx,
  { tenantId, id, status, now }: Ended,
  set: Partial<typeof outbox.$inferInsert> = {},
): Promise<void> {
  await tx
    .update(outbox)
    .set({
      ...{ ...set, dueAt: now, attempts: 1, lastError: null, leaseToken: null, leaseUntil: null },
      status: status === "uncertain" ? "sending" : "queued",
    })
    .where(and(eq(outbox.tenantId, tenantId), eq(outbox.id, id)));
}

/**
 * Cards without which money waits for nobody: the question whether an action happened, and a request
 * for a person that is open. Those whose rest is over are sent again as they were; how many.
 */
export async function requeueOpenCards(
  tx: Tx,
  write: WriteOutgoing & { limit: number },
): Promise<number> {
  const { tenantId, now, limit } = write;
  const at = sql`${new Date(now).toISOString()}::timestamptz`;
  const rows = await queryRows<{ id: string; status: string }>(
    tx,
    sql`select o.id, o.status from outbox o
      where o.tenant_id = ${tenantId} and o.id in (
          select c.id from handoffs h join outbox c
              on c.tenant_id = h.tenant_id and c.handoff_id = h.id
            where h.tenant_id = ${tenantId} and h.status <> 'closed'
          union
          select c.id from tool_execution_queue e join outbox c
              on c.tenant_id = e.tenant_id and c.approval_id = e.approval_id
            where e.tenant_id = ${tenantId} and e.status = 'waiting_approval')
        and o.purpose = 'card' and o.status in ('uncertain', 'failed') and o.due_at <= ${at}
        and not exists (select 1 from outbox n where n.tenant_id = o.tenant_id
          and n.channel_id = o.channel_id and n.chat_id = o.chat_id and n.purpose = 'card'
          and n.seq > o.seq and n.status in ('queued', 'sending', 'sent')
          and (n.handoff_id = o.handoff_id or n.approval_id = o.approval_id))
      limit ${limit} for update of o skip locked`,
  );
  for (const row of rows) await requeue(tx, { tenantId, now, ...row });
  if (rows.length > 0) write.jobs.wakeDelivery(tx);
  return rows.length;
}
