import { sql } from "drizzle-orm";
import type { Tx } from "./db.ts";
import type { NewSecret, Secrets } from "./secrets.ts";

/** The secret that stands under this name; the given one is kept when there is none yet. */
export async function ensureSecret(tx: Tx, secrets: Secrets, fresh: NewSecret): Promise<string> {
  const { tenantId, name } = fresh;
  // of two processes that start at once, the second finds what the first has made
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`secret ${tenantId} ${name}`}))`);
  const known = await secrets.get(tx, tenantId, name);
  if (known !== null) return known;
  await secrets.set(tx, fresh);
  return fresh.value;
}
