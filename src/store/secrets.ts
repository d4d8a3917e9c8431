import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { tenantSecrets } from "./schema/tenancy.ts";

export interface NewSecret {
  tenantId: string;
  name: string;
  value: string;
  /** Staff id, or `setup`. */
  by: string;
  now: number;
}

export interface SecretName {
  name: string;
  version: number;
  updatedBy: string;
  updatedAt: number;
}

/**
 * A tenant's secrets, and sealing for columns of others. Values leave it in the clear: they go into
 * no log, no audit row and no prompt.
 */
export interface Secrets {
  set(tx: Tx, secret: NewSecret): Promise<void>;
  /** null: it is not set. Throws when the row was moved or tampered with. */
  get(tx: Tx, tenantId: string, name: string): Promise<string | null>;
  /** Decrypted, by name; only names that start with `prefix` when it is given. */
  all(tx: Tx, tenantId: string, prefix?: string): Promise<Map<string, string>>;
  /** Without values, for people. */
  names(tx: Tx, tenantId: string): Promise<SecretName[]>;
  /** False when there was none. */
  remove(tx: Tx, tenantId: string, name: string): Promise<boolean>;
  /** For encrypted columns; `aad` names the place, so that a copied value does not open elsewhere. */
  seal(text: string, aad: string): Buffer;
  open(bytes: Buffer, aad: string): string;
  /** A keyed hash, hex: tells equal values of one place without showing them. */
  fingerprint(text: string, aad: string): string;
}

const KEY_BYTES = 32;
const SECRETS = "tenant secrets";
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Tenants' secrets, AES-256-GCM. The additional data is tenant, name and version: a row that was
 * moved, renamed or set back to an older value does not open, and reading it throws.
 */
export function createSecrets(masterKey: Buffer): Secrets {
  const secretKey = subkey(masterKey, SECRETS);
  const columnKey = subkey(masterKey, "sealed columns");
  const fingerprintKey = subkey(masterKey, "fingerprints");
  return {
    async set(tx, { tenantId, name, value, by, now }) {
      const version = (await versionOf(tx, tenantId, name)) + 1;
      const ciphertext = encrypt(secretKey, value, secretAad(tenantId, name, version));
      const row = { version, ciphertext, updatedBy: by, updatedAt: now };
      await tx
        .insert(tenantSecrets)
        .values({ tenantId, name, ...row })
        .onConflictDoUpdate({ target: [tenantSecrets.tenantId, tenantSecrets.name], set: row });
    },
    async get(tx, tenantId, name) {
      const [row] = await tx.select().from(tenantSecrets).where(named(tenantId, name));
      return row ? openRow(secretKey, row) : null;
    },
    async all(tx, tenantId, prefix = "") {
      const rows = await tx
        .select()
        .from(tenantSecrets)
        .where(
          and(
            eq(tenantSecrets.tenantId, tenantId),
            sql`starts_with(${tenantSecrets.name}, ${prefix})`,
          ),
        );
      return new Map(rows.map((row) => [row.name, openRow(secretKey, row)]));
    },
    names: secretNames,
    remove: removeSecret,
    seal: (text, aad) => encrypt(columnKey, text, aad),
    open: (bytes, aad) => decrypt(columnKey, bytes, aad),
    fingerprint: (text, aad) =>
      createHmac("sha256", fingerprintKey)
        .update(JSON.stringify([aad, text]))
        .digest("hex"),
  };
}

/** The same values under another key. */
export interface KeyChange {
  from: Secrets;
  to: Secrets;
}

/** null: it does not open with the old key. */
export function sealAnew(sealed: Buffer, aad: string, { from, to }: KeyChange): Buffer | null {
  try {
    return to.seal(from.open(sealed, aad), aad);
  } catch {
    return null;
  }
}

/**
 * Encrypts a tenant's secrets with another key: their versions and dates stay. Answers the names of
 * those that do not open with the old one; they are left as they are.
 */
export async function encryptSecretsAnew(
  tx: Tx,
  tenantId: string,
  { from, to }: { from: Buffer; to: Buffer },
): Promise<{ done: number; unopened: string[] }> {
  const keys = { from: subkey(from, SECRETS), to: subkey(to, SECRETS) };
  const rows = await tx.select().from(tenantSecrets).where(eq(tenantSecrets.tenantId, tenantId));
  const unopened: string[] = [];
  for (const row of rows) {
    const ciphertext = encryptedAnew(row, keys);
    if (ciphertext === null) unopened.push(row.name);
    else await tx.update(tenantSecrets).set({ ciphertext }).where(named(tenantId, row.name));
  }
  return { done: rows.length - unopened.length, unopened };
}

function encryptedAnew(
  row: typeof tenantSecrets.$inferSelect,
  { from, to }: { from: Buffer; to: Buffer },
): Buffer | null {
  try {
    return encrypt(to, openRow(from, row), secretAad(row.tenantId, row.name, row.version));
  } catch {
    return null;
  }
}

function secretNames(tx: Tx, tenantId: string): Promise<SecretName[]> {
  return tx
    .select({
      name: tenantSecrets.name,
      version: tenantSecrets.version,
      updatedBy: tenantSecrets.updatedBy,
      updatedAt: tenantSecrets.updatedAt,
    })
    .from(tenantSecrets)
    .where(eq(tenantSecrets.tenantId, tenantId))
    .orderBy(tenantSecrets.name);
}

/** Of these names, those that are set: which value it is, and since when. No key is needed. */
export async function secretVersions(
  tx: Tx,
  tenantId: string,
  names: readonly string[],
): Promise<SecretName[]> {
  const all = await secretNames(tx, tenantId);
  return all.filter(({ name }) => names.includes(name));
}

async function removeSecret(tx: Tx, tenantId: string, name: string): Promise<boolean> {
  const removed = await tx
    .delete(tenantSecrets)
    .where(named(tenantId, name))
    .returning({ name: tenantSecrets.name });
  return removed.length > 0;
}

async function versionOf(tx: Tx, tenantId: string, name: string): Promise<number> {
  const [row] = await tx
    .select({ version: tenantSecrets.version })
    .from(tenantSecrets)
    .where(named(tenantId, name))
    .for("update");
  return row?.version ?? 0;
}

function named(tenantId: string, name: string) {
  return and(eq(tenantSecrets.tenantId, tenantId), eq(tenantSecrets.name, name));
}

function openRow(key: Buffer, row: typeof tenantSecrets.$inferSelect): string {
  return decrypt(key, row.ciphertext, secretAad(row.tenantId, row.name, row.version));
}

/** JSON, so that no two triples give the same bytes. */
function secretAad(tenantId: string, name: string, version: number): string {
  return JSON.stringify([tenantId, name, version]);
}

function subkey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "countersign", purpose, KEY_BYTES));
}

function encrypt(key: Buffer, text: string, aad: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(aad, "utf8"));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), sealed]);
}

function decrypt(key: Buffer, bytes: Buffer, aad: string): string {
  if (bytes.length < HEAD_BYTES || bytes[0] !== FORMAT)
    throw new Error("an encrypted value has an unknown format");
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(aad, "utf8"));
  decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEAD_BYTES));
  try {
    return decipher.update(bytes.subarray(HEAD_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new Error(
      "an encrypted value does not open: it was changed, or the master key is another one",
      { cause },
    );
  }
}
