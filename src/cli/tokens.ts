import { issueToken } from "../admin/issue-token.ts";
import { StartError, UserError } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { type Db, withTenant } from "../store/db.ts";
import { listStaff } from "../store/staff.ts";

/**
 * A personal token from the host's shell, the way back when the last one was lost. Throws
 * StartError with the people of the tenant when the id is none of theirs.
 */
export async function createToken(
  parts: { db: Db; clock: Clock; write(line: string): void },
  request: { staffId: string; tenantId?: string; days?: number },
): Promise<void> {
  const { staffId, tenantId = "default", days = 90 } = request;
  if (!Number.isInteger(days) || days < 1 || days > 365)
    throw new StartError("--days: a whole number from 1 to 365 is wanted");
  try {
    const issued = await issueToken(parts, { tenantId, staffId, days, by: "shell" });
    parts.write(issued.token);
    parts.write(`Shown this once; it expires on ${new Date(issued.expiresAt).toISOString()}`);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new StartError(
      `--staff ${staffId}: ${error.message}${await peopleOf(parts.db, tenantId)}`,
    );
  }
}

async function peopleOf(db: Db, tenantId: string): Promise<string> {
  const people = await withTenant(db, tenantId, (tx) => listStaff(tx, tenantId));
  if (people.length === 0) return `; tenant ${tenantId} has no staff yet`;
  const lines = people.map(({ id, name, role, status }) => `  ${id}  ${name} (${role}, ${status})`);
  return `\nStaff of tenant ${tenantId}:\n${lines.join("\n")}`;
}
