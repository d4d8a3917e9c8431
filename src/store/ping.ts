import { sql } from "drizzle-orm";
import type { Db } from "./db.ts";

/** Resolves when the database answers. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.execute(sql`select 1`);
}
