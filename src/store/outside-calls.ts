import { and, asc, eq, inArray } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { externalApiLog } from "./schema/runs.ts";
import { storable } from "./storable.ts";

/** One request to a service outside; the execution tells whose it was and what id came back. */
export type OutsideCallRow = Omit<typeof externalApiLog.$inferInsert, "id">;

export async function insertOutsideCalls(tx: Tx, rows: readonly OutsideCallRow[]): Promise<void> {
  if (rows.length > 0)
    await tx.insert(externalApiLog).values(rows.map((row) => ({ id: newId(), ...storable(row) })));
}

/** What was asked outside for these executions, oldest first. */
export function outsideCallsOf(
  tx: Tx,
  of: { tenantId: string; executionIds: string[] },
): Promise<(typeof externalApiLog.$inferSelect)[]> {
  return tx
    .select()
    .from(externalApiLog)
    .where(
      and(
        eq(externalApiLog.tenantId, of.tenantId),
        inArray(externalApiLog.executionId, of.executionIds),
      ),
    )
    .orderBy(asc(externalApiLog.createdAt), asc(externalApiLog.id));
}
