import { and, gt, lt, ne, sql } from "drizzle-orm";
import { shiftOpenApprovals } from "./approval-steps.ts";
import { type Db, queryRows, type Tx, withSystem } from "./db.ts";
import { asSystem, enterTenant } from "./enter-tenant.ts";
import { LEASE_MS } from "./lease.ts";
import { heartbeats } from "./schema/tenancy.ts";
import { listTenants } from "./tenants.ts";

/** Real time in which no process lived. */
export interface Outage {
  from: number;
  until: number;
}

export interface Beat {
  bootId: string;
  role: string;
  realNow: number;
  /** A shorter silence was none: others lived on, or this process only had much to do. */
  longestSilenceMs: number;
  /** Product time before which nothing may end; null: the process did not just start. */
  notBefore: number | null;
}

/** Rows of processes that ended long ago tell nothing any more. */
const KEPT_MS = 30 * 86_400_000;

/**
 * Says that the process lives. When no process did for a while, that time counts for no limit of
 * people: all of it in one transaction, so a process that dies half way has changed nothing, and of
 * two that come back at once the second finds the first's beat.
 */
export function beat(db: Db, one: Beat): Promise<Outage | null> {
  return withSystem(db, async (tx) => {
    await tx.execute(
      sql`select pg_advisory_xact_lock(hashtextextended('countersign:heartbeats', 0))`,
    );
    const outage = outageOf(await lastBeat(tx), one);
    await writeBeat(tx, one);
    if (outage === null && one.notBefore === null) return null;
    const byMs = outage ? outage.until - outage.from : 0;
    const notBefore = one.notBefore ?? 0;
    for (const { id: tenantId } of await listTenants(tx)) {
      await enterTenant(tx, tenantId);
      await shiftOpenApprovals(tx, { tenantId, byMs, notBefore });
    }
    return outage;
  });
}

/** Processes that beat since then, within a tenant's transaction. */
export async function livingBoots(
  tx: Tx,
  { tenantId, since }: { tenantId: string; since: number },
): Promise<string[]> {
  const rows = await asSystem(tx, tenantId, () =>
    tx.select({ bootId: heartbeats.bootId }).from(heartbeats).where(gt(heartbeats.beatAt, since)),
  );
  return rows.map(({ bootId }) => bootId);
}

/**
 * Real time since the last beat when it is so long that nobody may have lived: the next beat says
 * whether it counts for a limit, and until then it does not. Within a tenant's transaction, after
 * the row that the limit belongs to is locked: a beat moves limits in the transaction it is written in.
 */
export async function missedMs(
  tx: Tx,
  { tenantId, realNow }: { tenantId: string; realNow: number },
): Promise<number> {
  const last = await asSystem(tx, tenantId, () => lastBeat(tx));
  const silentMs = last === null ? 0 : realNow - last;
  return silentMs > LEASE_MS ? silentMs : 0;
}

async function lastBeat(tx: Tx): Promise<number | null> {
  const [row] = await queryRows<{ last: string | null }>(
    tx,
    sql`select max(beat_at) as last from heartbeats`,
  );
  return row?.last ? new Date(row.last).getTime() : null;
}

function outageOf(from: number | null, one: Beat): Outage | null {
  const until = one.realNow;
  return from !== null && until - from > one.longestSilenceMs ? { from, until } : null;
}

async function writeBeat(tx: Tx, { bootId, role, realNow, notBefore }: Beat): Promise<void> {
  const values = { bootId, role, startedAt: realNow, beatAt: realNow };
  await tx
    .insert(heartbeats)
    .values(values)
    .onConflictDoUpdate({ target: heartbeats.bootId, set: { beatAt: realNow } });
  if (notBefore === null) return;
  const old = lt(heartbeats.beatAt, realNow - KEPT_MS);
  await tx.delete(heartbeats).where(and(ne(heartbeats.bootId, bootId), old));
}
