import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { z } from "zod";
import { StartError } from "../domain/errors.ts";
import type { Tx } from "./db.ts";
import { actAsOwner, enterTenant } from "./enter-tenant.ts";
import { appState, auditSeals } from "./schema/tenancy.ts";
import { type KeyChange, type Secrets, sealAnew } from "./secrets.ts";
import { listTenantIds } from "./tenants.ts";

/** What seals are made and checked with. */
export interface AuditKey {
  key: Buffer;
  /** When sealing began here, product time: what is older need not be complete. */
  since: number;
}

const NAME = "audit_key";
const KEY_BYTES = 32;
const wrapped = z.object({ key: z.string().regex(/^[0-9a-f]{64}$/), since: z.number() });

/**
 * The key of the seals, of this installation alone: random, kept in the database as the master key
 * wraps it. Made by the first start. Throws StartError when it is gone and seals are there: a new
 * one would seal anew what somebody has cut.
 */
export async function ensureAuditKey(
  tx: Tx,
  secrets: Pick<Secrets, "seal" | "open">,
  now: number,
): Promise<AuditKey> {
  const known = await findAuditKey(tx, secrets);
  if (known) return known;
  await refuseSealed(tx);
  const fresh = { key: randomBytes(KEY_BYTES).toString("hex"), since: now };
  const value = secrets.seal(JSON.stringify(fresh), NAME).toString("base64");
  // of two processes that start at once, the second takes what the first has made
  await tx.insert(appState).values({ name: NAME, value }).onConflictDoNothing();
  const made = await findAuditKey(tx, secrets);
  if (!made) throw new Error("the audit key was not stored");
  return made;
}

async function refuseSealed(tx: Tx): Promise<void> {
  for (const id of await listTenantIds(tx)) {
    await enterTenant(tx, id);
    const [seal] = await tx.select().from(auditSeals).where(eq(auditSeals.tenantId, id)).limit(1);
    await actAsOwner(tx);
    if (seal)
      throw new StartError(
        "The database has a sealed audit trail and the trail's key is gone from app_state: somebody has changed the database; put a backup back, npm run audit -- verify tells what else is missing",
      );
  }
}

/** The seals stay as they are: only what wraps their key changes. StartError when it does not open. */
export async function wrapAuditKeyAnew(tx: Tx, change: KeyChange): Promise<void> {
  const [row] = await tx.select().from(appState).where(eq(appState.name, NAME));
  if (!row) return;
  const value = sealAnew(Buffer.from(row.value, "base64"), NAME, change);
  if (value === null)
    throw new StartError(
      "The key of the audit trail does not open with the master key: somebody has changed the database; put a backup back first",
    );
  await tx
    .update(appState)
    .set({ value: value.toString("base64") })
    .where(eq(appState.name, NAME));
}

/** null: no start has made one. In the owner's transaction. */
export async function findAuditKey(
  tx: Tx,
  secrets: Pick<Secrets, "open">,
): Promise<AuditKey | null> {
  const [row] = await tx.select().from(appState).where(eq(appState.name, NAME));
  if (!row) return null;
  const stored = wrapped.parse(JSON.parse(secrets.open(Buffer.from(row.value, "base64"), NAME)));
  return { key: Buffer.from(stored.key, "hex"), since: stored.since };
}
