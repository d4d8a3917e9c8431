import { type Db, withTenant } from "./db.ts";
import { dropForeignExecutionLeases } from "./executions.ts";
import { dropForeignLeases } from "./runs.ts";

/** An embedded start is the only process: what others held is taken back at once. */
export async function dropLeasesOfOtherBoots(
  db: Db,
  drop: { tenantIds: string[]; owner: string; realNow: number },
): Promise<void> {
  const { owner, realNow } = drop;
  for (const tenantId of drop.tenantIds)
    await withTenant(db, tenantId, async (tx) => {
      await dropForeignLeases(tx, { tenantId, owner, realNow });
      await dropForeignExecutionLeases(tx, { tenantId, owner, realNow });
    });
}
