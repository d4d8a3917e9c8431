import { and, desc, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { Language } from "../domain/language.ts";
import type { RunKind, RunStatus } from "../domain/run.ts";
import { SIGNED_PLACE } from "./conversations.ts";
import type { Db, Tx } from "./db.ts";
import { type Lease, LeaseLostError } from "./lease.ts";
import { verified } from "./row-mac.ts";
import { contacts, conversations, messages } from "./schema/chat.ts";
import { runs } from "./schema/runs.ts";
import { statement, type ValueAt } from "./statement.ts";

interface RowRef extends Record<string, unknown> {
  tenantId: string;
  id: string;
}

export type RunRow = typeof runs.$inferSelect;

/** A run under this worker's lease, with whom it answers. */
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
  return (await lockById(tx, { tenantId, id }))[0] ?? null;
}

const lockById = statement((on, value: ValueAt<RowRef>) =>
  locking(on, value, eq(conversations.id, value("id"))),
);

/** That of a run; null when there is no such run. */
async function lockConversationOf(tx: Tx, { tenantId, id }: RowRef) {
  return (await lockByRun(tx, { tenantId, id }))[0] ?? null;
}

const lockByRun = statement((on, value: ValueAt<RowRef>) => {
  const ofRun = on
    .select({ id: runs.conversationId })
    .from(runs)
    .where(and(eq(runs.tenantId, value("tenantId")), eq(runs.id, value("id"))));
  return locking(on, value, inArray(conversations.id, ofRun));
});

function locking(on: Db, value: ValueAt<RowRef>, which: SQL) {
  return on
    .select({
      ...SIGNED_PLACE,
      stage: conversations.stage,
      mode: conversations.mode,
      language: conversations.language,
    })
    .from(conversations)
    .where(and(eq(conversations.tenantId, value("tenantId")), which))
    .for("update");
}

/**
 * Takes a run that is due, or whose worker is gone. null: nothing to do (done already, not due,
 * or another run of the conversation is at work).
 */
export async function claimRun(
  tx: Tx,
  claim: { tenantId: string; id: string; lease: Lease; now: number; realNow: number },
): Promise<ClaimedRun | null> {
  const conversation = await lockConversationOf(tx, claim);
  // one that something else wrote waits until it is put back as it was
  if (!conversation || !verified(tx, "conversations", conversation)) return null;
  const [rows, contact] = await Promise.all([
    takeRun(tx, claim, conversation.id),
    contactOf(tx, claim.tenantId, conversation.contactId),
  ]);
  const run = rows[0];
  return run ? { run, conversation, contact } : null;
}

/** Only where no other run of the conversation is at work; the conversation is locked. */
function takeRun(
  tx: Tx,
  claim: { tenantId: string; id: string; lease: Lease; now: number; realNow: number },
  conversationId: string,
): Promise<RunRow[]> {
  const { lease } = claim;
  return tx
    .update(runs)
    .set({
      status: "running",
      leaseOwner: lease.owner,
      leaseToken: lease.token,
      leaseUntil: lease.untilMs,
      restarts: sql`${runs.restarts} + case when ${runs.status} = 'running' then 1 else 0 end`,
    })
    .where(
      and(
        eq(runs.tenantId, claim.tenantId),
        eq(runs.id, claim.id),
        sql`((${runs.status} in ('queued', 'waiting_retry') and ${runs.dueAt} <= ${iso(claim.now)}) or (${runs.status} = 'running' and ${runs.leaseUntil} < ${iso(claim.realNow)}))`,
        sql`not exists (select 1 from runs o where o.tenant_id = ${claim.tenantId}
          and o.conversation_id = ${conversationId} and o.id <> ${claim.id}
          and o.status = 'running' and o.lease_until > ${iso(claim.realNow)})`,
      ),
    )
    .returning();
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
      | "spent"
      | "styleId"
      | "leaseUntil"
      | "dueAt"
      | "outcome"
      | "endedAt"
    >
  >,
): Promise<void> {
  const { tenantId, id, token } = own;
  const given = Object.entries(set).filter(([, value]) => value !== undefined);
  const change = changeOf(given.map(([name]) => name));
  const rows = await change(tx, { ...set, "own tenant": tenantId, "own id": id, token });
  if (rows.length === 0) throw new LeaseLostError(`run ${own.id} is no longer ours`);
}

type Change = (tx: Tx, values: Record<string, unknown>) => Promise<{ id: string }[]>;

/** One for each set of columns that the code changes together. */
const changes = new Map<string, Change>();

function changeOf(names: readonly string[]): Change {
  const known = changes.get(names.join());
  if (known) return known;
  const change: Change = statement((on, value: ValueAt<Record<string, unknown>>) =>
    on
      .update(runs)
      .set(Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])))
      .where(
        and(
          eq(runs.tenantId, value("own tenant")),
          eq(runs.id, value("own id")),
          eq(runs.leaseToken, value("token")),
          eq(runs.status, "running"),
        ),
      )
      .returning({ id: runs.id }),
  );
  changes.set(names.join(), change);
  return change;
}

/** Runs of the conversation that wait to start; the newest message run is at most one. */
export async function queuedRuns(tx: Tx, tenantId: string, conversationId: string) {
  return waitingOf(tx, { tenantId, conversationId });
}

const waitingOf = statement((on, value: ValueAt<{ tenantId: string; conversationId: string }>) =>
  on
    .select({ id: runs.id, kind: runs.kind, dueAt: runs.dueAt })
    .from(runs)
    .where(
      and(
        eq(runs.tenantId, value("tenantId")),
        eq(runs.conversationId, value("conversationId")),
        inArray(runs.status, ["queued", "waiting_retry"]),
      ),
    )
    .orderBy(runs.dueAt),
);

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
  const rows = await newestToAnswer(tx, { tenantId, conversationId });
  return rows[0]?.seq ?? 0;
}

const newestToAnswer = statement(
  (on, value: ValueAt<{ tenantId: string; conversationId: string }>) =>
    on
      .select({ seq: messages.seq })
      .from(messages)
      .where(
        and(
          eq(messages.tenantId, value("tenantId")),
          eq(messages.conversationId, value("conversationId")),
          sql`(${messages.author} = 'lead' or ${messages.kind} = 'event')`,
        ),
      )
      .orderBy(desc(messages.seq))
      .limit(1),
);

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
