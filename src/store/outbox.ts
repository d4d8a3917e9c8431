import { and, eq, type SQL, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Outgoing } from "../domain/messenger.ts";
import { type Db, queryRows, type Tx, withSystem } from "./db.ts";
import { outbox } from "./schema/chat.ts";
import { storable } from "./storable.ts";

export interface OutgoingRow {
  /** Given by the caller when another row will name it (a card that will be edited). */
  id?: string;
  channelId: string;
  chatId: string;
  threadId?: string | null;
  purpose: "reply" | "notice" | "card" | "card_edit" | "mirror";
  content: Outgoing;
  /** Product time, milliseconds; now when left out. */
  dueAt?: number;
  conversationId?: string | null;
  messageId?: string | null;
  approvalId?: string | null;
}

export interface WriteOutgoing {
  jobs: Pick<Jobs<Tx>, "wakeDelivery">;
  tenantId: string;
  now: number;
}

/** Writes what must be sent, in this order within a chat; answers the ids of the rows. */
export async function writeOutgoing(
  tx: Tx,
  { jobs, tenantId, now }: WriteOutgoing,
  rows: readonly OutgoingRow[],
): Promise<string[]> {
  if (rows.length === 0) return [];
  const values = rows.map(({ id, dueAt, content, ...row }) => ({
    ...row,
    id: id ?? newId(),
    tenantId,
    content: storable(content),
    status: "queued" as const,
    dueAt: dueAt ?? now,
    createdAt: now,
  }));
  await tx.insert(outbox).values(values);
  jobs.wakeDelivery(tx);
  return values.map((row) => row.id);
}

/** A reply whose fate is not known is sent again because a person asked; false: it was not so. */
export async function resendUncertain(
  tx: Tx,
  { jobs, tenantId, now }: WriteOutgoing,
  outboxId: string,
): Promise<boolean> {
  const moved = await tx
    .update(outbox)
    .set({ status: "queued", dueAt: now, attempts: 0, lastError: null })
    .where(
      and(eq(outbox.tenantId, tenantId), eq(outbox.id, outboxId), eq(outbox.status, "uncertain")),
    )
    .returning({ id: outbox.id });
  if (moved.length > 0) jobs.wakeDelivery(tx);
  return moved.length > 0;
}

/** Whose reply a row is; null: there is no such reply. */
export async function replyById(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<{ conversationId: string | null } | null> {
  const rows = await tx
    .select({ conversationId: outbox.conversationId })
    .from(outbox)
    .where(and(eq(outbox.tenantId, tenantId), eq(outbox.id, id), eq(outbox.purpose, "reply")));
  return rows[0] ?? null;
}

/** The earliest open row of a chat; later rows of the chat wait for it. */
export interface ChatHead {
  id: string;
  tenantId: string;
  channelId: string;
  chatId: string;
  /** Product time from which it may be worked on, milliseconds. */
  dueAt: number;
  /** Real time until which another worker holds it; null when nobody does. */
  leasedUntil: number | null;
}

export interface HeadsQuery {
  channelIds: readonly string[];
  limit: number;
}

/** Heads of all chats that have something open, the longest due first. */
export async function chatHeads(db: Db, query: HeadsQuery): Promise<ChatHead[]> {
  if (query.channelIds.length === 0) return [];
  const rows = await withSystem(db, (tx) => queryRows<HeadRow>(tx, headsSql(query)));
  return rows.map((row) => ({
    id: row.id,
    tenantId: row.tenant_id,
    channelId: row.channel_id,
    chatId: row.chat_id,
    dueAt: new Date(row.due_at).getTime(),
    leasedUntil: row.lease_until === null ? null : new Date(row.lease_until).getTime(),
  }));
}

interface HeadRow {
  id: string;
  tenant_id: string;
  channel_id: string;
  chat_id: string;
  due_at: string;
  lease_until: string | null;
}

function headsSql({ channelIds, limit }: HeadsQuery): SQL {
  const channels = sql.join(
    channelIds.map((id) => sql`${id}`),
    sql`, `,
  );
  return sql`
    select id, tenant_id, channel_id, chat_id, due_at, lease_until from (
      select distinct on (channel_id, chat_id)
        id, tenant_id, channel_id, chat_id, seq, due_at,
        case when status = 'sending' then lease_until end as lease_until
      from outbox
      where status in ('queued', 'sending') and channel_id in (${channels})
      order by channel_id, chat_id, seq
    ) heads
    order by due_at, seq
    limit ${limit}`;
}
