import { and, asc, eq, inArray, isNotNull, lte, ne, sql } from "drizzle-orm";
import { type ApprovalRow, OPEN_APPROVALS } from "./approvals.ts";
import type { Tx } from "./db.ts";
import { macOf, verifiedRows } from "./row-mac.ts";
import { approvalQueue } from "./schema/approvals.ts";

/** Steps of one tenant come one after another, so that what is due at once is told at once. */
export async function holdSteps(tx: Tx, tenantId: string): Promise<void> {
  const held = JSON.stringify(["approval steps", tenantId]);
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${held}, 0))`);
}

/** The other open approvals that something is due for; what somebody else works on is left out. */
export async function lockDueApprovals(
  tx: Tx,
  due: { tenantId: string; except: string; now: number; limit: number },
): Promise<ApprovalRow[]> {
  const rows = await tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, due.tenantId),
        ne(approvalQueue.id, due.except),
        inArray(approvalQueue.status, [...OPEN_APPROVALS]),
        lte(approvalQueue.nextStepAt, due.now),
      ),
    )
    .orderBy(asc(approvalQueue.number))
    .limit(due.limit)
    .for("update", { skipLocked: true });
  return verifiedRows(tx, TABLE, rows);
}

const TABLE = "approval_queue";

/** Only what time moves: nothing of it is signed, so that the row's hash stays as it is. */
export async function setStep(
  tx: Tx,
  step: { tenantId: string; id: string } & Partial<
    Pick<ApprovalRow, "nextStepAt" | "remindersSent" | "escalatedAt">
  >,
): Promise<void> {
  const { tenantId, id, ...set } = step;
  await tx
    .update(approvalQueue)
    .set(set)
    .where(and(eq(approvalQueue.tenantId, tenantId), eq(approvalQueue.id, id)));
}

/**
 * Time that counts for no limit: all that waits for people waits so much longer, and nothing ends
 * before `notBefore` (product time). Doing it with 0 and the same `notBefore` again changes nothing.
 */
export async function shiftOpenApprovals(
  tx: Tx,
  shift: { tenantId: string; byMs: number; notBefore: number },
): Promise<void> {
  const by = sql`make_interval(secs => ${shift.byMs / 1000})`;
  const floor = sql`${new Date(shift.notBefore).toISOString()}::timestamptz`;
  await tx.execute(sql`
    update approval_queue set
      expires_at = greatest(expires_at + ${by}, case when expires_at is not null then ${floor} end),
      next_step_at = case
        when next_step_at = expires_at or next_step_at = approves_itself_at
          then greatest(next_step_at + ${by}, ${floor})
        else next_step_at + ${by} end
    where tenant_id = ${shift.tenantId} and status in ('pending', 'frozen')`);
  await shiftSelfApproving(tx, shift);
}

/** When a request takes effect by itself is signed with it. */
async function shiftSelfApproving(
  tx: Tx,
  shift: { tenantId: string; byMs: number; notBefore: number },
): Promise<void> {
  const rows = await tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, shift.tenantId),
        inArray(approvalQueue.status, [...OPEN_APPROVALS]),
        isNotNull(approvalQueue.approvesItselfAt),
      ),
    )
    .for("update");
  for (const row of verifiedRows(tx, TABLE, rows)) {
    const later = (row.approvesItselfAt ?? 0) + shift.byMs;
    const approvesItselfAt = Math.max(later, shift.notBefore);
    await tx
      .update(approvalQueue)
      .set({ approvesItselfAt, mac: macOf(tx, TABLE, { ...row, approvesItselfAt }) })
      .where(and(eq(approvalQueue.tenantId, row.tenantId), eq(approvalQueue.id, row.id)));
  }
}
