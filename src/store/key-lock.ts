import { sql } from "drizzle-orm";
import { queryRows, type Tx } from "./db.ts";

const KEY_LOCK = "countersign:master key";

/** Until the transaction ends no other one changes the key and no process starts. False: one does. */
export async function lockKey(tx: Tx): Promise<boolean> {
  const [row] = await queryRows<{ held: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(hashtextextended(${KEY_LOCK}, 0)) as held`,
  );
  return row?.held === true;
}

/** False: the key is being changed. */
export async function isKeySettled(tx: Tx): Promise<boolean> {
  const [row] = await queryRows<{ held: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock_shared(hashtextextended(${KEY_LOCK}, 0)) as held`,
  );
  return row?.held === true;
}
