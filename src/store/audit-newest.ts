import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { AuditEvent } from "./audit-events.ts";
import type { Tx } from "./db.ts";
import { auditLog } from "./schema/tenancy.ts";

/**
 * The newest line of the trail about one of these events; null: there is none. Others who ask for the
 * same wait until this transaction is over, so that of several processes one acts on the answer.
 */
export async function newestOf(
  tx: Tx,
  { tenantId, eventTypes }: { tenantId: string; eventTypes: readonly AuditEvent[] },
): Promise<{ eventType: string; createdAt: number } | null> {
  const name = `countersign:newest:${tenantId}:${eventTypes[0] ?? ""}`;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  const [row] = await tx
    .select({ eventType: auditLog.eventType, createdAt: auditLog.createdAt })
    .from(auditLog)
    .where(and(eq(auditLog.tenantId, tenantId), inArray(auditLog.eventType, [...eventTypes])))
    .orderBy(desc(auditLog.createdAt), desc(auditLog.id))
    .limit(1);
  return row ?? null;
}
