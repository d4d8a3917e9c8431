import { eq } from "drizzle-orm";
import { StartError } from "../domain/errors.ts";
import { type Db, type Tx, withOwner } from "./db.ts";
import { appState } from "./schema/tenancy.ts";
import type { Secrets } from "./secrets.ts";

const NAME = "master_key_check";
const SEALED = "this database's key";

/**
 * The first start seals a word with its key; a later one, or another process, that cannot open it
 * has another key and would find every secret unreadable. StartError then.
 */
export function checkMasterKey(db: Db, secrets: Pick<Secrets, "seal" | "open">): Promise<void> {
  return withOwner(db, async (tx) => {
    const value = secrets.seal(SEALED, NAME).toString("base64");
    await tx.insert(appState).values({ name: NAME, value }).onConflictDoNothing();
    await refuseUnlessKeyOf(tx, secrets);
  });
}

/** The same where nothing is written yet. */
export function refuseOtherKey(db: Db, secrets: Pick<Secrets, "open">): Promise<void> {
  return withOwner(db, (tx) => refuseUnlessKeyOf(tx, secrets));
}

async function refuseUnlessKeyOf(tx: Tx, secrets: Pick<Secrets, "open">): Promise<void> {
  if (await isKeyOf(tx, secrets)) return;
  throw new StartError(
    "MASTER_KEY: is not the key that this database was written with; put that key back (every process on a database has the same one)",
  );
}

/** Was the database written with this key? Yes as well when no start has used it yet. */
export async function isKeyOf(tx: Tx, secrets: Pick<Secrets, "open">): Promise<boolean> {
  const word = await sealedWord(tx);
  return word === null || opensWord(secrets, word);
}

/** From here on only this key opens the database. */
export async function putKeyWord(tx: Tx, secrets: Pick<Secrets, "seal">): Promise<void> {
  const value = secrets.seal(SEALED, NAME).toString("base64");
  await tx.update(appState).set({ value }).where(eq(appState.name, NAME));
}

/** Was the database written with some key? A new one would then be of no use. */
export async function hasKey(db: Db): Promise<boolean> {
  return (await withOwner(db, sealedWord)) !== null;
}

/** What the first start sealed with its key; null when there was none yet. */
export async function sealedWord(tx: Tx): Promise<string | null> {
  const [row] = await tx.select().from(appState).where(eq(appState.name, NAME));
  return row?.value ?? null;
}

/** False for a wrong key and for a word that was tampered with alike. */
export function opensWord(secrets: Pick<Secrets, "open">, value: string): boolean {
  try {
    return secrets.open(Buffer.from(value, "base64"), NAME) === SEALED;
  } catch {
    return false;
  }
}
