import { and, eq, type SQL, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Outgoing } from "../domain/messenger.ts";
import { type Db, queryRows, type Tx, withSystem } from "./db.ts";
import { type MirroredTurn, type MirrorRow, mirrorRows } from "./mirror.ts";
import { outbox } from "./schema/chat.ts";
import { insertRows } from "./statement.ts";
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
  handoffId?: string | null;
  /** The staff's thread that it goes to, instead of `threadId`. */
  reviewThreadId?: string | null;
  /**
   * What is said to a client is mirrored to the staff: with the turn that it answers, alone when
   * this is left out, not at all when it is null (the staff have just said it themselves).
   */
  mirror?: MirroredTurn | null;
}

/** What all writers of the outbox share; the delivery is woken by `jobs` at the commit. */
export interface WriteOutgoing {
  jobs: Pick<Jobs<Tx>, "wakeDelivery">;
  tenantId: string;
  now: number;
}

/**
 * Writes what must be sent, in this order within a chat, and what the staff read of it in their
 * threads; answers the ids of the given rows.
 */
export async function writeOutgoing(
  tx: Tx,
  { jobs, tenantId, now }: WriteOutgoing,
  rows: readonly OutgoingRow[],
): Promise<string[]> {
  if (rows.length === 0) return [];
  const mirrors: OutgoingRow[] = [];
  for (const row of rows) mirrors.push(...(await mirrorOf(tx, { tenantId, now }, row)));
  const values = [...rows, ...mirrors].map(({ id, dueAt, content, mirror: _, ...row }) => ({
    ...row,
    id: id ?? newId(),
    tenantId,
    content: storable(content),
    status: "queued" as const,
    dueAt: dueAt ?? now,
    createdAt: now,
  }));
  await insertRows(tx, outbox, values);
  jobs.wakeDelivery(tx);
  return values.slice(0, rows.length).map((row) => row.id);
}

/** A code of a payout is never in a mirror: only that one was sent. */
async function mirrorOf(
  tx: Tx,
  { tenantId, now }: { tenantId: string; now: number },
  row: OutgoingRow,
): Promise<MirrorRow[]> {
  const { channelId, chatId, content, conversationId, messageId = null, mirror, purpose } = row;
  if (!conversationId || mirror === null) return [];
  if (purpose !== "reply" && purpose !== "notice") return [];
  if (content.kind !== "text" && content.kind !== "secret_text") return [];
  return mirrorRows(tx, {
    tenantId,
    conversationId,
    ...(mirror ? { turn: mirror } : {}),
    said: content.kind === "text" ? { kind: "text", text: content.text } : { kind: "code" },
    messageId,
    to: { channelId, chatId },
    now,
  });
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

/**
 * The earliest open row of a chat; later rows of the chat wait for it. Mirrors wait for mirrors
 * alone and nothing waits for them: a chat with both has two heads.
 */
export interface ChatHead {
  id: string;
  tenantId: string;
  channelId: string;
  chatId: string;
  isMirror: boolean;
  /** Product time from which it may be worked on, milliseconds. */
  dueAt: number;
  /** Real time until which another worker holds it; null when nobody does. */
  leasedUntil: number | null;
}

export interface HeadsQuery {
  channelIds: readonly string[];
  limit: number;
}

/** Heads of all chats that have something open, mirrors after the rest, the longest due first. */
export async function chatHeads(db: Db, query: HeadsQuery): Promise<ChatHead[]> {
  if (query.channelIds.length === 0) return [];
  const rows = await withSystem(db, (tx) => queryRows<HeadRow>(tx, headsSql(query)));
  return rows.map((row) => ({
    id: row.id,
    tenantId: row.tenant_id,
    channelId: row.channel_id,
    chatId: row.chat_id,
    isMirror: row.is_mirror,
    dueAt: new Date(row.due_at).getTime(),
    leasedUntil: row.lease_until === null ? null : new Date(row.lease_until).getTime(),
  }));
}

interface HeadRow {
  id: string;
  tenant_id: string;
  channel_id: string;
  chat_id: string;
  is_mirror: boolean;
  due_at: string;
  lease_until: string | null;
}

function headsSql({ channelIds, limit }: HeadsQuery): SQL {
  const channels = sql.join(
    channelIds.map((id) => sql`${id}`),
    sql`, `,
  );
  return sql`
    select id, tenant_id, channel_id, chat_id, is_mirror, due_at, lease_until from (
      select distinct on (channel_id, chat_id, purpose = 'mirror')
        id, tenant_id, channel_id, chat_id, purpose = 'mirror' as is_mirror, seq, due_at,
        case when status = 'sending' then lease_until end as lease_until
      from outbox
      where status in ('queued', 'sending') and channel_id in (${channels})
      order by channel_id, chat_id, purpose = 'mirror', seq
    ) heads
    order by is_mirror, due_at, seq
    limit ${limit}`;
}
