import { sql } from "drizzle-orm";
import { StartError } from "../domain/errors.ts";
import type { Database } from "./database.ts";
import { type Db, queryRows, type Tx } from "./db.ts";

/**
 * Throws StartError while another process works on the database. The embedded folder has its lock;
 * on a server the sessions of a running process are seen. `then`: what the owner wants to do.
 */
export async function refuseCompany(
  { kind, db }: { kind: Database["kind"]; db: Db | Tx },
  then: string,
): Promise<void> {
  if (kind === "embedded") return;
  const rows = await queryRows<{ sessions: number }>(
    db,
    sql`select count(*)::int as sessions from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name like 'countersign%'`,
  );
  const sessions = rows[0]?.sessions ?? 0;
  if (sessions > 0)
    throw new StartError(
      `DATABASE_URL: a running Countersign uses this database (${sessions} sessions); stop all its processes, then ${then}`,
    );
}
