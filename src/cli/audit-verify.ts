import { StartError } from "../domain/errors.ts";
import { countUnsealed } from "../store/audit-chain.ts";
import { type Heads, headsFile, readHeads } from "../store/audit-heads.ts";
import { type AuditKey, findAuditKey } from "../store/audit-key.ts";
import { headOf } from "../store/audit-seal.ts";
import { type TrailReport, verifyTrail } from "../store/audit-verify.ts";
import { type Db, withOwner, withTenant } from "../store/db.ts";
import { isKeyOf } from "../store/key-check.ts";
import { findMasterKey, placeOfMasterKey } from "../store/master-key.ts";
import { createSecrets } from "../store/secrets.ts";
import { listTenantIds } from "../store/tenants.ts";
import type { CommandParts } from "./command-parts.ts";

const MOST_PROBLEMS = 20;

/** One line a tenant; 1 when a trail was changed, with the first bad place and what is there. */
export async function verifyTrails(
  parts: CommandParts,
  request: { tenantId: string | null; head: string | null },
): Promise<number> {
  const { db, keySource, write } = parts;
  const kept = await readHeads(keySource.dataDir); // before the database: that is never behind it
  const tenantIds = await tenantsOf(db, kept, request.tenantId);
  const key = await auditKey(parts);
  let isWhole = true;
  for (const tenantId of tenantIds) {
    const lines = key
      ? linesOf(
          await verifyTrail((work) => withTenant(db, tenantId, work), {
            ...{ tenantId, key },
            witnesses: { kept: kept.get(tenantId) ?? null, card: request.head },
          }),
        )
      : await withoutKey(parts, tenantId, kept);
    if (lines.isChanged) isWhole = false;
    for (const line of lines.text) write(line);
  }
  if (!isWhole)
    write(
      `The rows before the first bad one are as they were written. ${headsFile(keySource.dataDir)} holds the last head that was seen here.`,
    );
  return isWhole ? 0 : 1;
}

/** Tenants of the database, and those that only the heads outside remember. */
async function tenantsOf(db: Db, kept: Heads, wanted: string | null): Promise<string[]> {
  const known = await withOwner(db, listTenantIds);
  const all = [...new Set([...known, ...kept.keys()])].sort();
  if (wanted === null) return all;
  if (!all.includes(wanted))
    throw new StartError(
      `--tenant ${wanted}: there is no such tenant; there are ${all.join(", ")}`,
    );
  return [wanted];
}

/** null: no start has made one, or somebody took it away. */
async function auditKey({ db, keySource }: CommandParts): Promise<AuditKey | null> {
  const master = findMasterKey(keySource);
  if (!master)
    throw new StartError(
      `MASTER_KEY: is not set and ${placeOfMasterKey(keySource)} is not there; without the master key nothing can be verified`,
    );
  const secrets = createSecrets(master);
  return withOwner(db, async (tx) => {
    if (!(await isKeyOf(tx, secrets)))
      throw new StartError("MASTER_KEY: is not the key that this database was written with");
    return findAuditKey(tx, secrets);
  });
}

interface Lines {
  isChanged: boolean;
  text: string[];
}

function linesOf(report: TrailReport): Lines {
  const { tenantId, rows, seals, head, unsealed, problems } = report;
  const [first, ...others] = problems;
  const waiting = `${unsealed} not sealed yet`;
  if (!first)
    return {
      isChanged: false,
      text: [`${tenantId}: ${rows} rows in ${seals} seals, head ${head ?? "none"}, ${waiting}`],
    };
  const more = problems.length - MOST_PROBLEMS;
  return {
    isChanged: true,
    text: [
      `${tenantId}: CHANGED, first bad index ${first.index} of ${rows}: ${first.what}`,
      ...others.slice(0, MOST_PROBLEMS - 1).map(({ index, what }) => `  index ${index}: ${what}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ],
  };
}

async function withoutKey({ db }: CommandParts, tenantId: string, kept: Heads): Promise<Lines> {
  const { head, unsealed } = await withTenant(db, tenantId, async (tx) => ({
    head: await headOf(tx, tenantId),
    unsealed: await countUnsealed(tx, tenantId),
  }));
  if (!head && !kept.has(tenantId))
    return {
      isChanged: false,
      text: [`${tenantId}: nothing was ever sealed, ${unsealed} not sealed yet`],
    };
  const text = [`${tenantId}: CHANGED, first bad index 1: the key of the seals was taken away`];
  return { isChanged: true, text };
}
