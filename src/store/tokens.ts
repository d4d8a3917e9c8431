import { createHash, randomBytes } from "node:crypto";
import { and, eq, gt, isNull, or } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { apiTokens } from "./schema/tenancy.ts";

/** Transactions of this file are the owner's (`withOwner`): the token tells the tenant. */
export type TokenHolder =
  | { kind: "setup" }
  | { kind: "personal"; tokenId: string; tenantId: string; staffId: string };

export interface IssuedToken {
  id: string;
  /** Shown once; only its hash is kept. */
  token: string;
  expiresAt: number;
}

const TOKEN_BYTES = 32;

export async function createPersonalToken(
  tx: Tx,
  token: { tenantId: string; staffId: string; now: number; ttlMs: number },
): Promise<IssuedToken> {
  const issued = { id: newId(), token: newToken(), expiresAt: token.now + token.ttlMs };
  await tx.insert(apiTokens).values({
    id: issued.id,
    kind: "personal",
    tenantId: token.tenantId,
    staffId: token.staffId,
    tokenHash: hashOf(issued.token),
    expiresAt: issued.expiresAt,
    createdAt: token.now,
  });
  return issued;
}

/** null: unknown, revoked or expired. Whether the person is still active is for the caller. */
export async function verifyToken(tx: Tx, token: string, now: number): Promise<TokenHolder | null> {
  const [row] = await tx
    .select()
    .from(apiTokens)
    .where(and(eq(apiTokens.tokenHash, hashOf(token)), isLive(now)));
  if (!row) return null;
  if (row.kind === "setup") return { kind: "setup" };
  if (!row.tenantId || !row.staffId) return null;
  return { kind: "personal", tokenId: row.id, tenantId: row.tenantId, staffId: row.staffId };
}

export async function revokeTokensOf(
  tx: Tx,
  who: { tenantId: string; staffId: string; now: number },
): Promise<number> {
  const revoked = await tx
    .update(apiTokens)
    .set({ revokedAt: who.now })
    .where(
      and(
        eq(apiTokens.tenantId, who.tenantId),
        eq(apiTokens.staffId, who.staffId),
        isNull(apiTokens.revokedAt),
      ),
    )
    .returning({ id: apiTokens.id });
  return revoked.length;
}

/** Staff ids of a tenant that hold a token which works now. */
export async function tokenHolders(tx: Tx, tenantId: string, now: number): Promise<Set<string>> {
  const rows = await tx
    .select({ staffId: apiTokens.staffId })
    .from(apiTokens)
    .where(and(eq(apiTokens.tenantId, tenantId), eq(apiTokens.kind, "personal"), isLive(now)));
  return new Set(rows.flatMap(({ staffId }) => (staffId ? [staffId] : [])));
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
  const live = await tx
    .select({ id: apiTokens.id, tokenHash: apiTokens.tokenHash })
    .from(apiTokens)
    .where(and(eq(apiTokens.kind, "setup"), isNull(apiTokens.revokedAt)));
  if (fromEnv === undefined) {
    if (live.length > 0) return null;
    const token = newToken();
    await storeSetupToken(tx, token, now);
    return token;
  }
  const wanted = hashOf(fromEnv);
  for (const { id, tokenHash } of live)
    if (tokenHash !== wanted)
      await tx.update(apiTokens).set({ revokedAt: now }).where(eq(apiTokens.id, id));
  await storeSetupToken(tx, fromEnv, now);
  return null;
}

async function storeSetupToken(tx: Tx, token: string, now: number): Promise<void> {
  const row = { kind: "setup", tokenHash: hashOf(token), createdAt: now } as const;
  await tx
    .insert(apiTokens)
    .values({ id: newId(), ...row })
    .onConflictDoUpdate({
      target: apiTokens.tokenHash,
      set: { revokedAt: null },
      setWhere: eq(apiTokens.kind, "setup"),
    });
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
