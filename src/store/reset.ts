import { sql } from "drizzle-orm";
import { type Db, queryRows } from "./db.ts";

/** What a reset of the sandbox keeps: which world it is, and the tokens of its owner. */
const KEPT = ["app_state", "api_tokens"];

/** Empties all product tables and the queue; only the sandbox asks for it. */
export async function emptyProduct(db: Db): Promise<void> {
  const tables = await queryRows<{ name: string }>(
    db,
    sql`select tablename as name from pg_tables where schemaname = 'public'`,
  );
  const names = tables
    .map(({ name }) => name)
    .filter((name) => !KEPT.includes(name))
    .map((name) => `"${name}"`);
  await db.execute(sql.raw(`truncate ${names.join(", ")}`));
  await db.execute(sql`delete from pgboss.job`);
  await db.execute(sql`delete from api_tokens where kind = 'personal'`);
}
