import { and, desc, eq, gte, or } from "drizzle-orm";
import { UserError } from "../domain/errors.ts";
import { writeAudit } from "./audit.ts";
import type { AuditEvent } from "./audit-events.ts";
import type { Tx } from "./db.ts";
import { asSystem } from "./enter-tenant.ts";
import { auditLog } from "./schema/tenancy.ts";
import { changeTenant, tenantById } from "./tenants.ts";

/** While it stands, nothing that sends money out is dispatched. */
export interface PayoutStop {
  stoppedAt: number;
  /** For people. */
  reason: string;
}

interface Stopping {
  tenantId: string;
  /** Staff id, or what stopped them: `restore`. */
  by: string;
  reason: string;
  now: number;
}

/** null: payouts go. */
export async function payoutStopOf(tx: Tx, tenantId: string): Promise<PayoutStop | null> {
  const tenant = await tenantById(tx, tenantId);
  if (!tenant || tenant.payoutsStoppedAt === null) return null;
  return { stoppedAt: tenant.payoutsStoppedAt, reason: tenant.payoutsStoppedReason ?? "" };
}

/** Stops at once. A second stop adds its reason: whoever resumes must know all of them. */
export async function stopPayouts(tx: Tx, stopping: Stopping): Promise<PayoutStop> {
  const { tenantId, now } = stopping;
  const standing = await payoutStopOf(tx, tenantId);
  const stop = {
    stoppedAt: standing?.stoppedAt ?? now,
    reason: [standing?.reason, stopping.reason].filter(Boolean).join("; "),
  };
  await setStop(tx, tenantId, stop);
  await note(tx, stopping, STOPPED);
  return stop;
}

/** The stop that it ended; null when none stood. Throws UserError when it cannot be ended. */
export async function endPayoutStop(tx: Tx, ending: Stopping): Promise<PayoutStop | null> {
  const standing = await payoutStopOf(tx, ending.tenantId);
  if (!standing) return null;
  if (!(await setStop(tx, ending.tenantId, null))) throw new UserError("conflict", standing.reason);
  await note(tx, ending, "payouts.resumed");
  return standing;
}

const STOPPED = "payouts.stopped";
const LISTED = "payouts.listed";

/** A person was shown what has to be looked through before payouts go on. */
export function noteListed(tx: Tx, { tenantId, by, now }: Omit<Stopping, "reason">): Promise<void> {
  const summary = "shown what to look through before payouts go on";
  return writeAudit(tx, [{ tenantId, userId: by, createdAt: now, eventType: LISTED, summary }]);
}

/** Was the person shown it since then, and nothing stopped payouts once more after that? */
export async function wasListed(
  tx: Tx,
  { tenantId, by, since }: { tenantId: string; by: string; since: number },
): Promise<boolean> {
  const listed = and(eq(auditLog.eventType, LISTED), eq(auditLog.userId, by));
  const [last] = await tx
    .select({ eventType: auditLog.eventType })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.tenantId, tenantId),
        gte(auditLog.createdAt, since),
        or(eq(auditLog.eventType, STOPPED), listed),
      ),
    )
    .orderBy(desc(auditLog.createdAt), desc(auditLog.id))
    .limit(1);
  return last?.eventType === LISTED;
}

/** False: the tenant's row is not what the product wrote, and stays so. */
function setStop(tx: Tx, tenantId: string, stop: PayoutStop | null): Promise<boolean> {
  const set = {
    payoutsStoppedAt: stop?.stoppedAt ?? null,
    payoutsStoppedReason: stop?.reason ?? null,
  };
  return asSystem(tx, tenantId, () => changeTenant(tx, tenantId, set));
}

function note(
  tx: Tx,
  { tenantId, by, reason, now }: Stopping,
  eventType: AuditEvent,
): Promise<void> {
  const summary = eventType === STOPPED ? "payouts stopped" : "payouts resumed";
  return writeAudit(tx, [
    { tenantId, userId: by, createdAt: now, eventType, summary, refs: { reason } },
  ]);
}
