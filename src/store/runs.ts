import { and, desc, eq, gt, inArray, ne, sql } from "drizzle-orm";
import type { Language } from "../domain/language.ts";
import type { RunKind, RunStatus } from "../domain/run.ts";
import type { Tx } from "./db.ts";
import { type Lease, LeaseLostError } from "./lease.ts";
import { contacts, conversations, messages } from "./schema/chat.ts";
import { runs } from "./schema/runs.ts";

export type RunRow = typeof runs.$inferSelect;

export interface ClaimedRun {
  run: RunRow;
  conversation: {
    id: string;
    contactId: string;
    channelId: string;
    chatId: string;
    stage: string;
    mode: "bot" | "operator";
    language: Language;
  };
  contact: { name: string; attributes: Record<string, unknown>; blocked: boolean };
}

/** Locks the conversation: attaching, outcomes and the end of a run come one after another. */
export async function lockConversation(tx: Tx, tenantId: string, id: string) {
  const rows = await tx
    .select({
      id: conversations.id,
      contactId: conversations.contactId,
      channelId: conversations.channelId,
      chatId: conversations.chatId,
      stage: conversations.stage,
      mode: conversations.mode,
      language: conversations.language,
    })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, id)))
    .for("update");
  return rows[0] ?? null;
}

/**
 * Takes a run that is due, or whose worker is gone. null: nothing to do (done already, not due,
 * or another run of the conversation is at work).
 */
export async function claimRun(
  tx: Tx,
  claim: { tenantId: string; id: string; lease: Lease; now: number; realNow: number },
): Promise<ClaimedRun | null> {
  const found = await tx
    .select({ conversationId: runs.conversationId })
    .from(runs)
    .where(and(eq(runs.tenantId, claim.tenantId), eq(runs.id, claim.id)));
  const conversationId = found[0]?.conversationId;
  if (!conversationId) return null;
  const conversation = await lockConversation(tx, claim.tenantId, conversationId);
  if (!conversation || (await othersAtWork(tx, claim, conversationId))) return null;
  const rows = await tx
    .update(runs)
    .set({
      status: "running",
      leaseOwner: claim.lease.owner,
      leaseToken: claim.lease.token,
      leaseUntil: claim.lease.untilMs,
      restarts: sql`${runs.restarts} + case when ${runs.status} = 'running' then 1 else 0 end`,
    })
    .where(
      and(
        eq(runs.tenantId, claim.tenantId),
        eq(runs.id, claim.id),
        sql`((${runs.status} in ('queued', 'waiting_retry') and ${runs.dueAt} <= ${iso(claim.now)}) or (${runs.status} = 'running' and ${runs.leaseUntil} < ${iso(claim.realNow)}))`,
      ),
    )
    .returning();
  const run = rows[0];
  if (!run) return null;
  const contact = await contactOf(tx, claim.tenantId, conversation.contactId);
  return { run, conversation, contact };
}

/** When a waiting run becomes due, product time; null when it does not wait. */
export async function waitingRunDueAt(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<number | null> {
  const rows = await tx
    .select({ dueAt: runs.dueAt })
    .from(runs)
    .where(
      and(
        eq(runs.tenantId, tenantId),
        eq(runs.id, id),
        inArray(runs.status, ["queued", "waiting_retry"]),
      ),
    );
  return rows[0]?.dueAt ?? null;
}

async function othersAtWork(
  tx: Tx,
  claim: { tenantId: string; id: string; realNow: number },
  conversationId: string,
): Promise<boolean> {
  const rows = await tx
    .select({ id: runs.id })
    .from(runs)
    .where(
      and(
        eq(runs.tenantId, claim.tenantId),
        eq(runs.conversationId, conversationId),
        ne(runs.id, claim.id),
        eq(runs.status, "running"),
        gt(runs.leaseUntil, claim.realNow),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

async function contactOf(tx: Tx, tenantId: string, contactId: string) {
  const rows = await tx
    .select({ name: contacts.name, attributes: contacts.attributes, blockedAt: contacts.blockedAt })
    .from(contacts)
    .where(and(eq(contacts.tenantId, tenantId), eq(contacts.id, contactId)));
  const row = rows[0];
  if (!row) throw new Error(`contact ${contactId} does not exist`);
  return { name: row.name, attributes: row.attributes, blocked: row.blockedAt !== null };
}

/** Writes to a run that is still ours; throws LeaseLostError when somebody else took it over. */
export async function updateOwnRun(
  tx: Tx,
  own: { tenantId: string; id: string; token: string },
  set: Partial<
    Pick<
      RunRow,
      | "status"
      | "seenSeq"
      | "cycle"
      | "attempts"
      | "modelFailures"
      | "supersededDrafts"
      | "activeMs"
      | "leaseUntil"
      | "dueAt"
      | "outcome"
      | "endedAt"
    >
  >,
): Promise<void> {
  const rows = await tx
    .update(runs)
    .set(set)
    .where(
      and(
        eq(runs.tenantId, own.tenantId),
        eq(runs.id, own.id),
        eq(runs.leaseToken, own.token),
        eq(runs.status, "running"),
      ),
    )
    .returning({ id: runs.id });
  if (rows.length === 0) throw new LeaseLostError(`run ${own.id} is no longer ours`);
}

/** Runs of the conversation that wait to start; the newest message run is at most one. */
export async function queuedRuns(tx: Tx, tenantId: string, conversationId: string) {
  return tx
    .select({ id: runs.id, kind: runs.kind, dueAt: runs.dueAt })
    .from(runs)
    .where(
      and(
        eq(runs.tenantId, tenantId),
        eq(runs.conversationId, conversationId),
        inArray(runs.status, ["queued", "waiting_retry"]),
      ),
    )
    .orderBy(runs.dueAt);
}

/** The run at work in a conversation, if any (a lost worker's counts: it is taken back). */
export async function workingRun(tx: Tx, tenantId: string, conversationId: string) {
  const rows = await tx
    .select({ id: runs.id, kind: runs.kind })
    .from(runs)
    .where(
      and(
        eq(runs.tenantId, tenantId),
        eq(runs.conversationId, conversationId),
        eq(runs.status, "running"),
      ),
    )
    .limit(1);
  return rows[0] ?? null;
}

/** The queued run's messages were taken in by the run at work: it has nothing left to do. */
export async function absorbQueuedRuns(
  tx: Tx,
  absorb: { tenantId: string; conversationId: string; now: number },
): Promise<void> {
  await tx
    .update(runs)
    .set({ status: "superseded", outcome: "absorbed", endedAt: absorb.now })
    .where(
      and(
        eq(runs.tenantId, absorb.tenantId),
        eq(runs.conversationId, absorb.conversationId),
        eq(runs.status, "queued"),
        eq(runs.kind, "message"),
      ),
    );
}

export async function insertContinuation(
  tx: Tx,
  run: {
    id: string;
    tenantId: string;
    conversationId: string;
    approvalId: string;
    dueAt: number;
    now: number;
  },
): Promise<boolean> {
  const rows = await tx
    .insert(runs)
    .values({
      id: run.id,
      tenantId: run.tenantId,
      conversationId: run.conversationId,
      kind: "continuation" satisfies RunKind,
      status: "queued" satisfies RunStatus,
      approvalId: run.approvalId,
      dueAt: run.dueAt,
      firstMessageAt: run.now,
      createdAt: run.now,
    })
    .onConflictDoNothing()
    .returning({ id: runs.id });
  return rows.length > 0;
}

/** The newest thing a run must answer: the lead's last message, or an outcome's line. */
export async function newestSeq(tx: Tx, tenantId: string, conversationId: string): Promise<number> {
  const rows = await tx
    .select({ seq: messages.seq })
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, conversationId),
        sql`(${messages.author} = 'lead' or ${messages.kind} = 'event')`,
      ),
    )
    .orderBy(desc(messages.seq))
    .limit(1);
  return rows[0]?.seq ?? 0;
}

/** An embedded start is the only process: every lease of another boot is over. */
export async function dropForeignLeases(
  tx: Tx,
  drop: { tenantId: string; owner: string; realNow: number },
): Promise<void> {
  await tx
    .update(runs)
    .set({ leaseUntil: drop.realNow - 1 })
    .where(
      and(
        eq(runs.tenantId, drop.tenantId),
        eq(runs.status, "running"),
        ne(runs.leaseOwner, drop.owner),
      ),
    );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
