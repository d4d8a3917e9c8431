import { sql } from "drizzle-orm";
import type { Db } from "./db.ts";

/** The queue engine's tables belong to the session user; tenants may only add jobs. */
export async function grantQueue(db: Db): Promise<void> {
  for (const grant of [
    "grant usage on schema pgboss to app_rw",
    "grant select, insert, update on all tables in schema pgboss to app_rw",
    "grant execute on all functions in schema pgboss to app_rw",
  ])
    await db.execute(sql.raw(grant));
}

/** The embedded database has one process: what is still active belongs to a dead one. */
export async function dropActiveJobs(db: Db): Promise<void> {
  await db.execute(sql`delete from pgboss.job where state = 'active'`);
}
