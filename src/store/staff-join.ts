import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { UserError } from "../domain/errors.ts";
import { voidVote } from "./approvals.ts";
import { writeAudit } from "./audit.ts";
import type { Tx } from "./db.ts";
import { asOwner } from "./enter-tenant.ts";
import { verifiedRows } from "./row-mac.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { auditLog, staffIdentities } from "./schema/tenancy.ts";
import { toolExecutionQueue } from "./schema/tools.ts";
import { lockActiveAdmins, moveIdentities, type StaffMember, updateStaff } from "./staff.ts";
import { joinsOf, noteJoin } from "./staff-accounts.ts";
import { dropDraftsOf, lockUndoneOf, voidOpenVotes } from "./suspension.ts";
import { revokeTokensOf } from "./tokens.ts";

export interface StaffJoin {
  tenantId: string;
  /** Staff ids. Whoever is joined stays in the votes and requests of the past, and is nobody else. */
  from: string;
  into: string;
  /** Staff id, `setup` or `environment`. */
  by: string;
  now: number;
}

/** Two rows of one person become one: accounts move, and what both decided counts once. */
export async function joinStaff(tx: Tx, join: StaffJoin): Promise<void> {
  const { tenantId, from, into, by, now } = join;
  await lockUndoneOf(tx, { tenantId, staffIds: [from] });
  await voidOpenVotes(tx, { tenantId, staffId: from, now });
  await voidSecondVotes(tx, join);
  await asOwner(tx, tenantId, () => revokeTokensOf(tx, { tenantId, staffId: from, now }));
  await dropDraftsOf(tx, { tenantId, staffId: from, now });
  await moveIdentities(tx, { tenantId, from, into });
  await noteJoin(tx, { tenantId, from, into });
  const change = { status: "suspended", suspendedAt: now, suspendedBy: by } as const;
  await updateStaff(tx, { tenantId, staffId: from }, change);
}

/** What both approved and nobody has carried out yet has one vote less. */
async function voidSecondVotes(tx: Tx, { tenantId, from, into, now }: StaffJoin): Promise<void> {
  const rows = await tx
    .select({ vote: approvalVotes })
    .from(approvalVotes)
    .innerJoin(
      toolExecutionQueue,
      and(
        eq(toolExecutionQueue.tenantId, tenantId),
        eq(toolExecutionQueue.approvalId, approvalVotes.approvalId),
        eq(toolExecutionQueue.status, "queued"),
      ),
    )
    .innerJoin(
      approvalQueue,
      and(
        eq(approvalQueue.tenantId, tenantId),
        eq(approvalQueue.id, approvalVotes.approvalId),
        eq(approvalQueue.status, "approved"),
      ),
    )
    .where(
      and(
        eq(approvalVotes.tenantId, tenantId),
        inArray(approvalVotes.staffId, [from, into]),
        isNull(approvalVotes.voidedAt),
      ),
    );
  const votes = verifiedRows(
    tx,
    "approval_votes",
    rows.map(({ vote }) => vote),
  );
  const kept = new Set(votes.flatMap((vote) => (vote.staffId === into ? vote.approvalId : [])));
  for (const vote of votes)
    if (vote.staffId === from && kept.has(vote.approvalId)) await voidVote(tx, vote, now);
}

/** Did the variables name this person, and nobody of the staff? */
export async function isOfEnvironment(
  tx: Tx,
  tenantId: string,
  person: StaffMember,
): Promise<boolean> {
  const [row] = await tx
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.tenantId, tenantId),
        eq(auditLog.eventType, "staff.created"),
        eq(auditLog.userId, "environment"),
        sql`${auditLog.refs}->>'staffId' = ${person.id}`,
      ),
    )
    .limit(1);
  return row !== undefined;
}

/** Throws UserError when the person lives on as another. */
export async function refuseJoined(
  tx: Tx,
  { tenantId, staffId }: { tenantId: string; staffId: string },
  text: (into: string) => string,
): Promise<void> {
  const into = (await joinsOf(tx, tenantId)).into(staffId);
  if (into !== staffId) throw new UserError("conflict", text(into));
}

/** One account in several rows, as earlier versions let it be, is one person. */
export async function joinDoubledStaff(
  tx: Tx,
  { tenantId, now }: { tenantId: string; now: number },
): Promise<void> {
  for (const ids of await doubledStaff(tx, tenantId)) {
    const joins = await joinsOf(tx, tenantId);
    await lockUndoneOf(tx, { tenantId, staffIds: ids });
    const admins = await lockActiveAdmins(tx, tenantId);
    const rows = [...new Set(ids.map(joins.into))];
    const isLastAdmin = (id: string) => admins.length === 1 && admins[0] === id;
    const into = rows.find(isLastAdmin) ?? rows[0] ?? "";
    for (const from of rows.filter((id) => id !== into)) {
      await joinStaff(tx, { tenantId, from, into, by: "setup", now });
      const summary = "had an account of another row and became one person with it";
      const refs = { staffId: from, into };
      await writeAudit(tx, [
        { tenantId, userId: "setup", createdAt: now, eventType: "staff.changed", summary, refs },
      ]);
    }
  }
}

/** Ids of the rows; the one that the account acts as stands first. */
async function doubledStaff(tx: Tx, tenantId: string): Promise<string[][]> {
  const rows = await tx
    .select()
    .from(staffIdentities)
    .where(eq(staffIdentities.tenantId, tenantId))
    .orderBy(sql`${staffIdentities.teamId} desc`, staffIdentities.createdAt, staffIdentities.id);
  const holders = new Map<string, string[]>();
  for (const { messenger, userId, staffId } of verifiedRows(tx, "staff_identities", rows)) {
    const account = `${messenger} ${userId}`;
    holders.set(account, [...new Set([...(holders.get(account) ?? []), staffId])]);
  }
  return [...holders.values()].filter((ids) => ids.length > 1);
}
