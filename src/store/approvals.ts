import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { ApprovalStatus, DecisionVia } from "../domain/approval.ts";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { staff } from "./schema/tenancy.ts";

export type ApprovalRow = typeof approvalQueue.$inferSelect;
export type NewApproval = typeof approvalQueue.$inferInsert;

export async function insertApproval(tx: Tx, row: NewApproval): Promise<void> {
  await tx.insert(approvalQueue).values(row);
}

/** Locks the row: decisions on one approval come one after another. */
export async function lockApproval(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<ApprovalRow | null> {
  const rows = await tx
    .select()
    .from(approvalQueue)
    .where(and(eq(approvalQueue.tenantId, tenantId), eq(approvalQueue.id, id)))
    .for("update");
  return rows[0] ?? null;
}

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
): Promise<ApprovalRow | null> {
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
  return rows[0] ?? null;
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
        eq(approvalQueue.status, "pending"),
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
  const rows = await tx
    .select({ toolName: approvalQueue.toolName })
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, query.tenantId),
        eq(approvalQueue.conversationId, query.conversationId),
        inArray(approvalQueue.status, ["pending", "frozen"]),
      ),
    );
  return rows.map((row) => row.toolName);
}

export async function pendingApprovals(tx: Tx, tenantId: string): Promise<ApprovalRow[]> {
  return tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, tenantId),
        inArray(approvalQueue.status, ["pending", "frozen"]),
      ),
    )
    .orderBy(asc(approvalQueue.number));
}

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
    >
  >,
): Promise<void> {
  const { tenantId, id, ...set } = change;
  await tx
    .update(approvalQueue)
    .set(set)
    .where(and(eq(approvalQueue.tenantId, tenantId), eq(approvalQueue.id, id)));
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
    now: number;
  },
): Promise<boolean> {
  const { now, ...rest } = vote;
  const rows = await tx
    .insert(approvalVotes)
    .values({ id: newId(), ...rest, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: approvalVotes.id });
  return rows.length > 0;
}

/** All approving votes, also of people who have been suspended since. */
export async function countVotes(tx: Tx, tenantId: string, approvalId: string): Promise<number> {
  const rows = await tx
    .select({ votes: sql<number>`count(*)::int` })
    .from(approvalVotes)
    .where(
      and(
        eq(approvalVotes.tenantId, tenantId),
        eq(approvalVotes.approvalId, approvalId),
        eq(approvalVotes.decision, "approve"),
      ),
    );
  return rows[0]?.votes ?? 0;
}

/** Votes of people who are still active: a suspension voids what is not decided yet. */
export async function countStandingVotes(
  tx: Tx,
  tenantId: string,
  approvalId: string,
): Promise<number> {
  const rows = await tx
    .select({ votes: sql<number>`count(*)::int` })
    .from(approvalVotes)
    .innerJoin(
      staff,
      and(eq(staff.tenantId, approvalVotes.tenantId), eq(staff.id, approvalVotes.staffId)),
    )
    .where(
      and(
        eq(approvalVotes.tenantId, tenantId),
        eq(approvalVotes.approvalId, approvalId),
        eq(approvalVotes.decision, "approve"),
        eq(staff.status, "active"),
      ),
    );
  return rows[0]?.votes ?? 0;
}

export const OPEN_APPROVALS: readonly ApprovalStatus[] = ["pending", "frozen"];
