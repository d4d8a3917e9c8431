import { and, asc, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { ApprovalStatus, DecisionVia } from "../domain/approval.ts";
import { newId } from "../domain/ids.ts";
import type { Verified } from "../domain/verified.ts";
import type { Tx } from "./db.ts";
import { macOf, verified, verifiedRows } from "./row-mac.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { statement, type ValueAt } from "./statement.ts";

/** As it stands in the table. Whether the product wrote it so only a `Verified` one says. */
export type ApprovalRow = typeof approvalQueue.$inferSelect;
export type NewApproval = typeof approvalQueue.$inferInsert;

/** Signs the row: whatever changes it past `setApproval` makes it none. */
export async function insertApproval(tx: Tx, row: NewApproval): Promise<void> {
  const whole = { editableFields: [], ...row }; // signed as the database fills it in
  await tx.insert(approvalQueue).values({ ...whole, mac: macOf(tx, APPROVALS, whole) });
}

export const APPROVALS = "approval_queue";

/**
 * Locks the row: decisions on one approval come one after another. One that something else than the
 * product wrote is put aside: null, as when there is none.
 */
export async function lockApproval(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<Verified<ApprovalRow> | null> {
  const [row] = await tx.select().from(approvalQueue).where(isApproval(tenantId, id)).for("update");
  return row ? genuineOrAside(tx, row) : null;
}

/** Nobody can decide on it any more, and nothing is due for it. */
async function genuineOrAside(tx: Tx, row: ApprovalRow): Promise<Verified<ApprovalRow> | null> {
  const genuine = verified(tx, APPROVALS, row);
  if (!genuine && OPEN_APPROVALS.includes(row.status))
    await tx
      .update(approvalQueue)
      .set({ status: "cancelled", nextStepAt: null })
      .where(isApproval(row.tenantId, row.id));
  return genuine;
}

/** Before the execution's own lock: whoever decides on the request takes both in this order. */
export async function holdApprovalOf(
  tx: Tx,
  { tenantId, executionId }: { tenantId: string; executionId: string },
): Promise<void> {
  await tx.execute(sql`select id from approval_queue where tenant_id = ${tenantId} and id = (
    select approval_id from tool_execution_queue
    where tenant_id = ${tenantId} and id = ${executionId}) for update`);
}

function isApproval(tenantId: string, id: string) {
  return and(eq(approvalQueue.tenantId, tenantId), eq(approvalQueue.id, id));
}

/** To be shown: a decision locks the row, a dispatch asks for what people granted. */
export async function approvalById(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<ApprovalRow | null> {
  const rows = await tx
    .select()
    .from(approvalQueue)
    .where(and(eq(approvalQueue.tenantId, tenantId), eq(approvalQueue.id, id)));
  return rows[0] ?? null;
}

/** What waits for people in a conversation, of these tools; the newest. */
export async function pendingOfConversation(
  tx: Tx,
  of: { tenantId: string; conversationId: string; toolNames: readonly string[] },
): Promise<{ id: string; number: number } | null> {
  const rows = await tx
    .select({ id: approvalQueue.id, number: approvalQueue.number })
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, of.tenantId),
        eq(approvalQueue.conversationId, of.conversationId),
        inArray(approvalQueue.toolName, [...of.toolNames]),
        inArray(approvalQueue.status, ["pending", "frozen"]),
      ),
    )
    .orderBy(desc(approvalQueue.number))
    .limit(1);
  return rows[0] ?? null;
}

/**
 * The pending approval that stands for a business key: at most one. Whoever asks holds the key
 * until the transaction ends: of two at once, the second sees what the first has written.
 */
export async function pendingByBusinessKey(
  tx: Tx,
  tenantId: string,
  businessKey: string,
): Promise<Verified<ApprovalRow> | null> {
  const held = JSON.stringify([tenantId, businessKey]);
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${held}, 0))`);
  const rows = await tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, tenantId),
        eq(approvalQueue.businessKey, businessKey),
        inArray(approvalQueue.status, ["pending", "frozen"]),
      ),
    )
    .for("update");
  return rows[0] ? genuineOrAside(tx, rows[0]) : null;
}

/** The pending approval of a tool in a conversation, newest first. */
export async function pendingOfTool(
  tx: Tx,
  query: { tenantId: string; conversationId: string; toolName: string },
): Promise<ApprovalRow | null> {
  const rows = await tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, query.tenantId),
        eq(approvalQueue.conversationId, query.conversationId),
        eq(approvalQueue.toolName, query.toolName),
        inArray(approvalQueue.status, ["pending", "frozen"]),
      ),
    )
    .orderBy(desc(approvalQueue.number))
    .limit(1);
  return rows[0] ?? null;
}

/** Tools whose approval waits in a conversation, whoever proposed them. */
export async function pendingToolsOf(
  tx: Tx,
  query: { tenantId: string; conversationId: string },
): Promise<string[]> {
  const rows = await waitingTools(tx, query);
  return rows.map((row) => row.toolName);
}

const waitingTools = statement((on, value: ValueAt<{ tenantId: string; conversationId: string }>) =>
  on
    .select({ toolName: approvalQueue.toolName })
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, value("tenantId")),
        eq(approvalQueue.conversationId, value("conversationId")),
        inArray(approvalQueue.status, ["pending", "frozen"]),
      ),
    ),
);

/** By number, frozen ones among them; rows that the product did not write are left out. */
export async function pendingApprovals(tx: Tx, tenantId: string): Promise<ApprovalRow[]> {
  const rows = await tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, tenantId),
        inArray(approvalQueue.status, ["pending", "frozen"]),
      ),
    )
    .orderBy(asc(approvalQueue.number));
  return verifiedRows(tx, APPROVALS, rows);
}

/**
 * Locks the row, changes it and signs it anew. Throws when there is none, or none that the product
 * wrote.
 */
export async function setApproval(
  tx: Tx,
  change: { tenantId: string; id: string } & Partial<
    Pick<
      NewApproval,
      | "status"
      | "approver"
      | "decidedVia"
      | "approvedAt"
      | "decidedAt"
      | "rejectedReason"
      | "approvedActionJson"
      | "effectiveActionJson"
      | "actionDigest"
      | "materialJson"
      | "payloadSummary"
      | "approvalsRequired"
      | "approverRole"
      | "editedBy"
      | "frozenAt"
      | "frozenReason"
      | "clientSays"
      | "approvesItselfAt"
      | "expiresAt"
      | "nextStepAt"
    >
  >,
): Promise<void> {
  const { tenantId, id, ...set } = change;
  const row = await lockApproval(tx, tenantId, id);
  if (!row) throw new Error(`approval ${id} does not exist, or the product did not write it so`);
  const mac = macOf(tx, APPROVALS, { ...row, ...set });
  await tx
    .update(approvalQueue)
    .set({ ...set, mac })
    .where(isApproval(tenantId, id));
}

/** Adds a person's vote; false when that person has already voted. */
export async function addVote(
  tx: Tx,
  vote: {
    tenantId: string;
    approvalId: string;
    staffId: string;
    decision: "approve" | "reject";
    via: DecisionVia;
    actionDigest: string;
    now: number;
  },
): Promise<boolean> {
  const { now, ...given } = vote;
  const row = { id: newId(), ...given };
  const rows = await tx
    .insert(approvalVotes)
    .values({ ...row, mac: macOf(tx, VOTES, row), createdAt: now })
    .onConflictDoNothing()
    .returning({ id: approvalVotes.id });
  return rows.length > 0;
}

/** Read with who gave them in `standing-votes.ts`. */
export const VOTES = "approval_votes";
export type Vote = typeof approvalVotes.$inferSelect;

/** What people decided before counts no more: the action was changed, or one of them, `staffId`, did. */
export async function voidVotes(
  tx: Tx,
  which: { tenantId: string; approvalId: string; staffId?: string; now: number },
): Promise<void> {
  const standing = await tx
    .select()
    .from(approvalVotes)
    .where(
      and(
        eq(approvalVotes.tenantId, which.tenantId),
        eq(approvalVotes.approvalId, which.approvalId),
        ...(which.staffId === undefined ? [] : [eq(approvalVotes.staffId, which.staffId)]),
        isNull(approvalVotes.voidedAt),
      ),
    )
    .for("update");
  for (const vote of verifiedRows(tx, VOTES, standing)) await voidVote(tx, vote, which.now);
}

export async function voidVote(tx: Tx, vote: Verified<Vote>, now: number): Promise<void> {
  const mac = macOf(tx, VOTES, { ...vote, voidedAt: now });
  await tx
    .update(approvalVotes)
    .set({ voidedAt: now, mac })
    .where(and(eq(approvalVotes.tenantId, vote.tenantId), eq(approvalVotes.id, vote.id)));
}

/** Who granted this tool's action about an order: staff ids. */
export async function approversOf(
  tx: Tx,
  of: { tenantId: string; conversationId: string; toolName: string; orderId: string },
): Promise<string[]> {
  const rows = await tx
    .select({ staffId: approvalVotes.staffId })
    .from(approvalQueue)
    .innerJoin(
      approvalVotes,
      and(
        eq(approvalVotes.tenantId, approvalQueue.tenantId),
        eq(approvalVotes.approvalId, approvalQueue.id),
        eq(approvalVotes.decision, "approve"),
        isNull(approvalVotes.voidedAt),
      ),
    )
    .where(
      and(
        eq(approvalQueue.tenantId, of.tenantId),
        eq(approvalQueue.conversationId, of.conversationId),
        eq(approvalQueue.toolName, of.toolName),
        eq(approvalQueue.status, "approved"),
        sql`${approvalQueue.proposedActionJson}->>'orderId' = ${of.orderId}`,
      ),
    );
  return [...new Set(rows.map(({ staffId }) => staffId))];
}

/** Decisions of one person come one after another, until this transaction ends. */
export async function lockPerson(tx: Tx, tenantId: string, staffId: string): Promise<void> {
  const held = JSON.stringify(["decides", tenantId, staffId]);
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${held}, 0))`);
}

/** Those that people still decide on. */
export const OPEN_APPROVALS: readonly ApprovalStatus[] = ["pending", "frozen"];
