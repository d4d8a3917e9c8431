import { and, eq, inArray, isNull } from "drizzle-orm";
import { OPEN_APPROVALS, voidVote } from "./approvals.ts";
import type { Tx } from "./db.ts";
import { changeOrder, NO_PAYOUT_CODE } from "./orders.ts";
import { verifiedRows } from "./row-mac.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { toolCallCandidates } from "./schema/tools.ts";

interface OfPerson {
  tenantId: string;
  staffId: string;
}

/** The person's votes on what nobody has decided yet count no more. Ids of those approvals. */
export async function voidOpenVotes(
  tx: Tx,
  { tenantId, staffId, now }: OfPerson & { now: number },
): Promise<string[]> {
  const rows = await tx
    .select({ vote: approvalVotes })
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
        inArray(approvalQueue.status, [...OPEN_APPROVALS]),
      ),
    );
  const votes = verifiedRows(
    tx,
    "approval_votes",
    rows.map(({ vote }) => vote),
  );
  for (const vote of votes) await voidVote(tx, vote, now);
  return [...new Set(votes.map(({ approvalId }) => approvalId))];
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
