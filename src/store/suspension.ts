import { and, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import { OPEN_APPROVALS, voidVote } from "./approvals.ts";
import type { Tx } from "./db.ts";
import { changeOrder, NO_PAYOUT_CODE } from "./orders.ts";
import { verified } from "./row-mac.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { toolCallCandidates } from "./schema/tools.ts";

interface OfPerson {
  tenantId: string;
  staffId: string;
}

/**
 * Before anything else that a suspension or a join writes: all that the people voted on or asked for
 * and that is not carried out, by number, as whoever decides on many takes it. Nobody votes on it or
 * dispatches it until the transaction ends.
 */
export async function lockUndoneOf(
  tx: Tx,
  { tenantId, staffIds }: { tenantId: string; staffIds: readonly string[] },
): Promise<void> {
  const voted = tx
    .select({ id: approvalVotes.approvalId })
    .from(approvalVotes)
    .where(
      and(
        eq(approvalVotes.tenantId, tenantId),
        inArray(approvalVotes.staffId, [...staffIds]),
        isNull(approvalVotes.voidedAt),
      ),
    );
  const found = await tx
    .select({ id: approvalQueue.id })
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, tenantId),
        or(inArray(approvalQueue.requestedBy, [...staffIds]), inArray(approvalQueue.id, voted)),
        IS_UNDONE,
      ),
    );
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  await tx
    .select({ id: approvalQueue.id })
    .from(approvalQueue)
    .where(and(eq(approvalQueue.tenantId, tenantId), inArray(approvalQueue.id, ids)))
    .orderBy(approvalQueue.number)
    .for("update");
}

const IS_OPEN = inArray(approvalQueue.status, [...OPEN_APPROVALS]);

/** Open, or approved and not sent. */
const IS_UNDONE = or(
  IS_OPEN,
  sql`(${approvalQueue.status} = 'approved' and exists (
    select 1 from tool_execution_queue e
    where e.tenant_id = ${approvalQueue.tenantId} and e.approval_id = ${approvalQueue.id}
      and e.status in ('queued', 'retry_scheduled')))`,
);

/**
 * The person's votes on what is not carried out yet count no more. The caller holds `lockUndoneOf`.
 * Ids of those approvals that are open; what is approved is asked anew by whoever comes to carry it
 * out.
 */
export function voidUndoneVotes(tx: Tx, of: OfPerson & { now: number }): Promise<string[]> {
  return voidVotesWhere(tx, of, IS_UNDONE);
}

/** Of these the open ones alone. */
export function voidOpenVotes(tx: Tx, of: OfPerson & { now: number }): Promise<string[]> {
  return voidVotesWhere(tx, of, IS_OPEN);
}

async function voidVotesWhere(
  tx: Tx,
  { tenantId, staffId, now }: OfPerson & { now: number },
  which: SQL | undefined,
): Promise<string[]> {
  const rows = await tx
    .select({ vote: approvalVotes, status: approvalQueue.status })
    .from(approvalVotes)
    .innerJoin(
      approvalQueue,
      and(eq(approvalQueue.tenantId, tenantId), eq(approvalQueue.id, approvalVotes.approvalId)),
    )
    .where(
      and(
        eq(approvalVotes.tenantId, tenantId),
        eq(approvalVotes.staffId, staffId),
        isNull(approvalVotes.voidedAt),
        which,
      ),
    )
    .orderBy(approvalQueue.number);
  const open = new Set<string>();
  for (const { vote: row, status } of rows) {
    const vote = verified(tx, "approval_votes", row);
    if (!vote) continue;
    await voidVote(tx, vote, now);
    if (OPEN_APPROVALS.includes(status)) open.add(vote.approvalId);
  }
  return [...open];
}

/** What the person asked for as one of the staff and nobody has decided on. Ids. */
export async function openRequestsOf(tx: Tx, { tenantId, staffId }: OfPerson): Promise<string[]> {
  const rows = await tx
    .select({ id: approvalQueue.id })
    .from(approvalQueue)
    .innerJoin(
      toolCallCandidates,
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        eq(toolCallCandidates.id, approvalQueue.candidateId),
        eq(toolCallCandidates.source, "desk"),
      ),
    )
    .where(
      and(
        eq(approvalQueue.tenantId, tenantId),
        eq(approvalQueue.requestedBy, staffId),
        inArray(approvalQueue.status, [...OPEN_APPROVALS]),
      ),
    )
    .orderBy(approvalQueue.number);
  return rows.map(({ id }) => id);
}

/** A payout code that the person typed and did not confirm is gone: another types it anew. */
export async function dropDraftsOf(
  tx: Tx,
  { tenantId, staffId, now }: OfPerson & { now: number },
): Promise<void> {
  const rows = await tx
    .select({ id: exchangeOrders.id })
    .from(exchangeOrders)
    .where(
      and(eq(exchangeOrders.tenantId, tenantId), eq(exchangeOrders.payoutCodeDraftBy, staffId)),
    );
  const { payoutCodeDraft, payoutCodeDraftBy } = NO_PAYOUT_CODE;
  for (const { id } of rows)
    await changeOrder(tx, { tenantId, id, now }, { payoutCodeDraft, payoutCodeDraftBy });
}
