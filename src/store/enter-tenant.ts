import { sql } from "drizzle-orm";
import type { Tx } from "./db.ts";

/**
 * Goes on in an owner's transaction as one tenant: what follows sees and writes that tenant's rows
 * only. There is no way back before the commit.
 */
export async function enterTenant(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute(
    sql`select set_config('role', 'app_rw', true), set_config('app.tenant_id', ${tenantId}, true)`,
  );
}
