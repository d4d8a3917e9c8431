import { sql } from "drizzle-orm";
import type { Tx } from "./db.ts";

/**
 * Goes on in an owner's transaction as one tenant: what follows sees and writes that tenant's rows
 * only. Only what copies a whole database goes back (`actAsOwner`).
 */
export async function enterTenant(tx: Tx, tenantId: string): Promise<void> {
  await act(tx, "app_rw", tenantId);
}

/** The owner again: for the commands that copy a whole database, tenant after tenant. */
export async function actAsOwner(tx: Tx): Promise<void> {
  await act(tx, "none", "");
}

/** One step in a tenant's transaction on rows that no tenant may touch, such as the tenant's own. */
export async function asSystem<T>(tx: Tx, tenantId: string, step: () => Promise<T>): Promise<T> {
  await act(tx, "app_system", "");
  const done = await step(); // a failed step takes the transaction with it
  await act(tx, "app_rw", tenantId);
  return done;
}

/** One step in a tenant's transaction on a table that no tenant may touch, such as that of tokens. */
export async function asOwner<T>(tx: Tx, tenantId: string, step: () => Promise<T>): Promise<T> {
  await actAsOwner(tx);
  const done = await step(); // a failed step takes the transaction with it
  await enterTenant(tx, tenantId);
  return done;
}

async function act(tx: Tx, role: string, tenantId: string): Promise<void> {
  await tx.execute(
    sql`select set_config('role', ${role}, true), set_config('app.tenant_id', ${tenantId}, true)`,
  );
}
