import { and, asc, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { NO_HEAD, rowMac, type Seal, sealMac, shortHead } from "./audit-mac.ts";
import { type Db, queryRows, type Tx, withOwner, withSystem, withTenant } from "./db.ts";
import { auditLog, auditSeals } from "./schema/tenancy.ts";
import { listTenantIds } from "./tenants.ts";

/** The end of a tenant's sealed trail. */
export interface Head {
  sealNumber: number;
  /** Place of the last sealed row, from 1. */
  index: number;
  mac: string;
}

export interface Sealed {
  /** What the new seal follows; null: it is the first. */
  before: Head | null;
  /** null: nothing was ever sealed. */
  head: Head | null;
  /** Rows that were sealed now; a full batch means that there may be more. */
  rows: number;
}

/** Most rows of a seal. */
export const SEAL_ROWS = 100;

/**
 * Seals what no seal covers yet, oldest id first, whatever the order of commits was: one batch, in
 * the tenant's transaction. Of several processes one seals at a time.
 */
export async function sealRows(
  tx: Tx,
  sealing: { key: Buffer; tenantId: string; now: number },
): Promise<Sealed> {
  const { key, tenantId, now } = sealing;
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`audit seal ${tenantId}`}, 0))`,
  );
  const before = await headOf(tx, tenantId);
  const rows = await tx
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.tenantId, tenantId), isNull(auditLog.sealNumber)))
    .orderBy(asc(auditLog.id))
    .limit(SEAL_ROWS);
  if (rows.length === 0) return { before, head: before, rows: 0 };
  const firstIndex = (before?.index ?? 0) + 1;
  const rowIds = rows.map(({ id }) => id);
  const unsigned: Omit<Seal, "mac"> = {
    tenantId,
    sealNumber: (before?.sealNumber ?? 0) + 1,
    firstIndex,
    rowIds,
    rowMacs: rows.map((row, at) => rowMac(key, row, firstIndex + at)),
    previousMac: before?.mac ?? NO_HEAD,
    sealedAt: now,
  };
  const seal = { ...unsigned, mac: sealMac(key, unsigned) };
  await tx.insert(auditSeals).values(seal);
  await tx
    .update(auditLog)
    .set({ sealNumber: seal.sealNumber })
    .where(and(eq(auditLog.tenantId, tenantId), inArray(auditLog.id, rowIds)));
  return { before, head: headIn(seal), rows: rows.length };
}

/** null: nothing was ever sealed. */
export async function headOf(tx: Tx, tenantId: string): Promise<Head | null> {
  const [last] = await tx
    .select()
    .from(auditSeals)
    .where(eq(auditSeals.tenantId, tenantId))
    .orderBy(desc(auditSeals.sealNumber))
    .limit(1);
  return last ? headIn(last) : null;
}

/** Of every tenant that has one. */
export async function allHeads(db: Db): Promise<Map<string, Head>> {
  const heads = new Map<string, Head>();
  for (const id of await withOwner(db, listTenantIds)) {
    const head = await withTenant(db, id, (tx) => headOf(tx, id));
    if (head) heads.set(id, head);
  }
  return heads;
}

/** What a card shows, so that the trail has witnesses outside the database. */
export async function shownHead(tx: Tx, tenantId: string): Promise<string | null> {
  const [last] = await tx
    .select({ mac: auditSeals.mac })
    .from(auditSeals)
    .where(eq(auditSeals.tenantId, tenantId))
    .orderBy(desc(auditSeals.sealNumber))
    .limit(1);
  return last ? shortHead(last.mac) : null;
}

/** The head that this seal was when it was made; null when there is no such seal. */
export async function headAt(tx: Tx, tenantId: string, sealNumber: number): Promise<Head | null> {
  const [seal] = await tx
    .select()
    .from(auditSeals)
    .where(and(eq(auditSeals.tenantId, tenantId), eq(auditSeals.sealNumber, sealNumber)));
  return seal ? headIn(seal) : null;
}

/** Tenants that have rows which no seal covers. */
export async function unsealedTenants(db: Db): Promise<string[]> {
  const rows = await withSystem(db, (tx) =>
    queryRows<{ id: string }>(
      tx,
      sql`select distinct tenant_id as id from audit_log where seal_number is null`,
    ),
  );
  return rows.map(({ id }) => id);
}

function headIn({ sealNumber, firstIndex, rowIds, mac }: Seal): Head {
  return { sealNumber, index: firstIndex + rowIds.length - 1, mac };
}
