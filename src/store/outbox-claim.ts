import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Outgoing } from "../domain/messenger.ts";
import { type Db, queryRows, type Tx, withSystem, withTenant } from "./db.ts";
import { type ReviewThread, reviewThreadById } from "./review-threads.ts";
import { outbox } from "./schema/chat.ts";

/** How long a worker may be silent about a row, real time. A part sent renews it. */
export const LEASE_MS = 50_000;

/** Starts `lastError` of a row that is already on its second and last sending. */
export const SENT_ONCE_MORE = "sent once more after: ";

/** A row of the outbox under this process's lease, with what sending it needs. */
export interface ClaimedRow {
  id: string;
  tenantId: string;
  channelId: string;
  chatId: string;
  threadId: string | null;
  purpose: "reply" | "notice" | "card" | "card_edit" | "mirror";
  content: Outgoing;
  attempts: number;
  sentParts: string[];
  approvalId: string | null;
  conversationId: string | null;
  reviewThreadId: string | null;
  /** The thread that `reviewThreadId` names, as it stood when the row was claimed. */
  reviewThread: ReviewThread | null;
  lastError: string | null;
  createdAt: number;
  leaseToken: string;
  /** An earlier attempt ended without an answer: the messenger may have the next part. */
  uncertain: boolean;
}

export interface Claim {
  tenantId: string;
  id: string;
  leaseToken: string;
  /** Product time. */
  now: number;
  /** Real time. */
  realNow: number;
}

/**
 * Commits `sending` and a lease before anything leaves. null: somebody else works on the row, it
 * is not due, or an earlier row of its kind (mirrors, or the rest) is still open in the chat.
 */
export function claimDelivery(db: Db, claim: Claim): Promise<ClaimedRow | null> {
  return withTenant(db, claim.tenantId, async (tx) => {
    const before = await lockOpen(tx, claim);
    if (!before) return null;
    const rows = await tx
      .update(outbox)
      .set({
        status: "sending",
        attempts: sql`attempts + 1`,
        leaseToken: claim.leaseToken,
        leaseUntil: claim.realNow + LEASE_MS,
      })
      .where(and(eq(outbox.tenantId, claim.tenantId), eq(outbox.id, claim.id)))
      .returning();
    const row = rows[0];
    if (!row) return null;
    const { reviewThreadId } = row;
    const reviewThread =
      reviewThreadId === null ? null : await reviewThreadById(tx, claim.tenantId, reviewThreadId);
    return {
      ...row,
      threadId: reviewThread?.threadId ?? row.threadId,
      reviewThread,
      sentParts: row.externalIds,
      leaseToken: claim.leaseToken,
      uncertain: before.status === "sending",
    };
  });
}

async function lockOpen(tx: Tx, claim: Claim): Promise<{ status: string } | null> {
  const rows = await queryRows<{ status: string }>(
    tx,
    sql`select status from outbox o
      where id = ${claim.id} and tenant_id = ${claim.tenantId}
        and due_at <= ${instantOf(claim.now)}
        and (status = 'queued' or (status = 'sending'
          and (lease_until is null or lease_until <= ${instantOf(claim.realNow)})))
        and not exists (select 1 from outbox e where e.tenant_id = o.tenant_id
          and e.channel_id = o.channel_id and e.chat_id = o.chat_id and e.seq < o.seq
          and (e.purpose = 'mirror') = (o.purpose = 'mirror')
          and e.status in ('queued', 'sending'))
      for update of o skip locked`,
  );
  return rows[0] ?? null;
}

/** Keeps the id of a part that went out and renews the lease; false when the lease is lost. */
export function recordPart(
  db: Db,
  row: ClaimedRow,
  part: { externalId: string; realNow: number },
): Promise<boolean> {
  return withTenant(db, row.tenantId, async (tx) => {
    const kept = await tx
      .update(outbox)
      .set({
        externalIds: sql`external_ids || ${JSON.stringify([part.externalId])}::jsonb`,
        leaseUntil: part.realNow + LEASE_MS,
      })
      .where(ownRow(row))
      .returning({ id: outbox.id });
    return kept.length > 0;
  });
}

/** A long step of a delivery went well; false when the lease is lost. */
export function renewLease(db: Db, row: ClaimedRow, realNow: number): Promise<boolean> {
  return withTenant(db, row.tenantId, async (tx) => {
    const renewed = await tx
      .update(outbox)
      .set({ leaseUntil: realNow + LEASE_MS })
      .where(ownRow(row))
      .returning({ id: outbox.id });
    return renewed.length > 0;
  });
}

/** What nobody waits for is put off, in product time; false: it is being sent, or done. */
export function putOff(
  db: Db,
  row: { tenantId: string; id: string },
  dueAt: number,
): Promise<boolean> {
  const { tenantId, id } = row;
  return withTenant(db, tenantId, async (tx) => {
    const moved = await tx
      .update(outbox)
      .set({ dueAt })
      .where(and(eq(outbox.tenantId, tenantId), eq(outbox.id, id), eq(outbox.status, "queued")))
      .returning({ id: outbox.id });
    return moved.length > 0;
  });
}

/** The row is still ours: results are written only under one's own lease. */
export function ownRow(row: ClaimedRow): SQL | undefined {
  return and(
    eq(outbox.tenantId, row.tenantId),
    eq(outbox.id, row.id),
    eq(outbox.status, "sending"),
    eq(outbox.leaseToken, row.leaseToken),
  );
}

/** A start that knows no other process lives: every lease found is of a process that died. */
export async function dropLeases(db: Db): Promise<number> {
  const held = await withSystem(db, (tx) =>
    tx
      .select({ id: outbox.id, tenantId: outbox.tenantId })
      .from(outbox)
      .where(eq(outbox.status, "sending")),
  );
  for (const tenantId of new Set(held.map((row) => row.tenantId))) {
    const ids = held.filter((row) => row.tenantId === tenantId).map((row) => row.id);
    await withTenant(db, tenantId, (tx) =>
      tx
        .update(outbox)
        .set({ leaseUntil: null, leaseToken: null })
        .where(and(eq(outbox.tenantId, tenantId), inArray(outbox.id, ids))),
    );
  }
  return held.length;
}

function instantOf(ms: number): SQL {
  return sql`${new Date(ms).toISOString()}::timestamptz`;
}
