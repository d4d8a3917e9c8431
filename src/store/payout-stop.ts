import { eq } from "drizzle-orm";
import { writeAudit } from "./audit.ts";
import type { Tx } from "./db.ts";
import { asSystem } from "./enter-tenant.ts";
import { tenants } from "./schema/tenancy.ts";

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
  const [row] = await tx
    .select({ stoppedAt: tenants.payoutsStoppedAt, reason: tenants.payoutsStoppedReason })
    .from(tenants)
    .where(eq(tenants.id, tenantId));
  if (!row || row.stoppedAt === null) return null;
  return { stoppedAt: row.stoppedAt, reason: row.reason ?? "" };
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
  await note(tx, stopping, "payouts.stopped");
  return stop;
}

/** The stop that it ended; null when none stood. */
export async function endPayoutStop(tx: Tx, ending: Stopping): Promise<PayoutStop | null> {
  const standing = await payoutStopOf(tx, ending.tenantId);
  if (!standing) return null;
  await setStop(tx, ending.tenantId, null);
  await note(tx, ending, "payouts.resumed");
  return standing;
}

async function setStop(tx: Tx, tenantId: string, stop: PayoutStop | null): Promise<void> {
  const set = {
    payoutsStoppedAt: stop?.stoppedAt ?? null,
    payoutsStoppedReason: stop?.reason ?? null,
  };
  await asSystem(tx, tenantId, async () => {
    await tx.update(tenants).set(set).where(eq(tenants.id, tenantId));
  });
}

function note(tx: Tx, { tenantId, by, reason, now }: Stopping, eventType: string): Promise<void> {
  const summary = eventType === "payouts.stopped" ? "payouts stopped" : "payouts resumed";
  return writeAudit(tx, [
    { tenantId, userId: by, createdAt: now, eventType, summary, refs: { reason } },
  ]);
}
