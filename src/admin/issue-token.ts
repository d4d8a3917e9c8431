import { UserError } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { writeAudit } from "../store/audit.ts";
import { type Db, withOwner } from "../store/db.ts";
import { enterTenant } from "../store/enter-tenant.ts";
import { staffById } from "../store/staff.ts";
import { createPersonalToken, type IssuedToken } from "../store/tokens.ts";
import { notFound } from "./error-response.ts";

const DAY_MS = 86_400_000;

/** A personal token of an active person, audited. Throws UserError. */
export function issueToken(
  parts: { db: Db; clock: Clock },
  /** `by`: a staff id, `setup` or `shell`. */
  request: { tenantId: string; staffId: string; days: number; by: string },
): Promise<IssuedToken> {
  const { tenantId, staffId, days, by } = request;
  const now = parts.clock.now();
  return withOwner(parts.db, async (tx) => {
    const token = await createPersonalToken(tx, { tenantId, staffId, now, ttlMs: days * DAY_MS });
    await enterTenant(tx, tenantId);
    const person = await staffById(tx, tenantId, staffId);
    if (!person) throw notFound(`staff member ${staffId}`);
    if (person.status !== "active")
      throw new UserError("conflict", "This person is suspended; restore the person first");
    await writeAudit(tx, [
      {
        tenantId,
        userId: by,
        eventType: "token.created",
        summary: `A personal token for ${days} days was made`,
        refs: { staffId, tokenId: token.id },
        createdAt: now,
      },
    ]);
    return token;
  });
}
