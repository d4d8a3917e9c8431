import { createHash, randomBytes } from "node:crypto";
import { and, desc, eq, gt, isNull, or } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { macOf, verified, verifiedRows } from "./row-mac.ts";
import { apiTokens } from "./schema/tenancy.ts";

/** Transactions of this file are the owner's (`withOwner`): the token tells the tenant. */
export type TokenHolder =
  | { kind: "setup" }
  | { kind: "personal"; tokenId: string; tenantId: string; staffId: string };

/** `expiresAt`: product time, milliseconds. */
export interface IssuedToken {
  id: string;
  /** Shown once; only its hash is kept. */
  token: string;
  expiresAt: number;
}

const TABLE = "api_tokens";
const TOKEN_BYTES = 32;

/** In the owner's role. `ttlMs` in product time. */
export async function createPersonalToken(
  tx: Tx,
  wanted: { tenantId: string; staffId: string; now: number; ttlMs: number },
): Promise<IssuedToken> {
  const { tenantId, staffId, now, ttlMs } = wanted;
  const { token, tokenHash } = drawToken();
  const expiresAt = now + ttlMs;
  const id = await storePersonalToken(tx, { tenantId, staffId, tokenHash, expiresAt, now });
  return { id, token, expiresAt };
}

/** A token that opens nothing until its hash is stored. */
export function drawToken(): { token: string; tokenHash: string } {
  const token = newToken();
  return { token, tokenHash: hashOf(token) };
}

/** Answers the row's id. */
export async function storePersonalToken(
  tx: Tx,
  token: { tenantId: string; staffId: string; tokenHash: string; expiresAt: number; now: number },
): Promise<string> {
  const { now, ...given } = token;
  const row = { id: newId(), kind: "personal" as const, ...given };
  await tx.insert(apiTokens).values({ ...row, mac: macOf(tx, TABLE, row), createdAt: now });
  return row.id;
}

/** null: unknown, revoked or expired. Whether the person is still active is for the caller. */
export async function verifyToken(tx: Tx, token: string, now: number): Promise<TokenHolder | null> {
  const [row] = await tx
    .select()
    .from(apiTokens)
    .where(and(eq(apiTokens.tokenHash, hashOf(token)), isLive(now)));
  if (!row || !verified(tx, TABLE, row)) return null;
  if (row.kind === "setup") return { kind: "setup" };
  if (!row.tenantId || !row.staffId) return null;
  return { kind: "personal", tokenId: row.id, tenantId: row.tenantId, staffId: row.staffId };
}

/** Answers how many there were, expired ones among them. */
export async function revokeTokensOf(
  tx: Tx,
  who: { tenantId: string; staffId: string; now: number },
): Promise<number> {
  const live = await tx
    .select()
    .from(apiTokens)
    .where(
      and(
        eq(apiTokens.tenantId, who.tenantId),
        eq(apiTokens.staffId, who.staffId),
        isNull(apiTokens.revokedAt),
      ),
    )
    .for("update");
  for (const row of verifiedRows(tx, TABLE, live)) await revoke(tx, row, who.now);
  return live.length;
}

/** A personal token as people may see it: nothing that opens anything. Product times. */
export interface ListedToken {
  id: string;
  createdAt: number;
  expiresAt: number | null;
}

/** Those of a person that work now, newest first. */
export async function listTokensOf(
  tx: Tx,
  who: { tenantId: string; staffId: string; now: number },
): Promise<ListedToken[]> {
  const rows = await tx
    .select()
    .from(apiTokens)
    .where(and(isPersonal(who), isLive(who.now)))
    .orderBy(desc(apiTokens.createdAt), desc(apiTokens.id));
  return verifiedRows(tx, TABLE, rows).map(({ id, createdAt, expiresAt }) => ({
    id,
    createdAt,
    expiresAt,
  }));
}

/** False: the person has no such token that was not revoked. */
export async function revokeToken(
  tx: Tx,
  token: { tenantId: string; staffId: string; tokenId: string; now: number },
): Promise<boolean> {
  const [row] = await tx
    .select()
    .from(apiTokens)
    .where(and(isPersonal(token), eq(apiTokens.id, token.tokenId), isNull(apiTokens.revokedAt)))
    .for("update");
  if (!row || !verified(tx, TABLE, row)) return false;
  await revoke(tx, row, token.now);
  return true;
}

function isPersonal({ tenantId, staffId }: { tenantId: string; staffId: string }) {
  return and(eq(apiTokens.tenantId, tenantId), eq(apiTokens.staffId, staffId));
}

type Row = typeof apiTokens.$inferSelect;

async function revoke(tx: Tx, row: Row, now: number): Promise<void> {
  const mac = macOf(tx, TABLE, { ...row, revokedAt: now });
  await tx.update(apiTokens).set({ revokedAt: now, mac }).where(eq(apiTokens.id, row.id));
}

/** Staff ids of a tenant that hold a token which works now. */
export async function tokenHolders(tx: Tx, tenantId: string, now: number): Promise<Set<string>> {
  const rows = await tx
    .select()
    .from(apiTokens)
    .where(and(eq(apiTokens.tenantId, tenantId), eq(apiTokens.kind, "personal"), isLive(now)));
  return new Set(
    verifiedRows(tx, TABLE, rows).flatMap(({ staffId }) => (staffId ? [staffId] : [])),
  );
}

/**
 * ADMIN_TOKEN: the one of the environment replaces any other. Without it the stored one stays; when
 * there is none a token is made and returned, to be shown once.
 */
export async function ensureSetupToken(
  tx: Tx,
  options: { fromEnv?: string | undefined; now: number },
): Promise<string | null> {
  const { fromEnv, now } = options;
  const stored = await tx
    .select()
    .from(apiTokens)
    .where(and(eq(apiTokens.kind, "setup"), isNull(apiTokens.revokedAt)));
  const live = verifiedRows(tx, TABLE, stored);
  if (fromEnv === undefined) {
    if (live.length > 0) return null;
    const token = newToken();
    await storeSetupToken(tx, token, now);
    return token;
  }
  const wanted = hashOf(fromEnv);
  for (const row of live) if (row.tokenHash !== wanted) await revoke(tx, row, now);
  await storeSetupToken(tx, fromEnv, now);
  return null;
}

async function storeSetupToken(tx: Tx, token: string, now: number): Promise<void> {
  const means = { kind: "setup", tenantId: null, staffId: null, expiresAt: null } as const;
  const row = { ...means, tokenHash: hashOf(token), revokedAt: null };
  const [stored] = await tx
    .insert(apiTokens)
    .values({ id: newId(), ...row, createdAt: now })
    .onConflictDoUpdate({
      target: apiTokens.tokenHash,
      set: row,
      setWhere: eq(apiTokens.kind, "setup"),
    })
    .returning({ id: apiTokens.id });
  if (!stored) return;
  const mac = macOf(tx, TABLE, { ...row, id: stored.id });
  await tx.update(apiTokens).set({ mac }).where(eq(apiTokens.id, stored.id));
}

function isLive(now: number) {
  return and(
    isNull(apiTokens.revokedAt),
    or(isNull(apiTokens.expiresAt), gt(apiTokens.expiresAt, now)),
  );
}

/** The beginning tells people and secret scanners what it is, and never looks like an option. */
function newToken(): string {
  return `cst_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

/** 32 random bytes need no slow hash. */
function hashOf(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}
