import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import {
  NO_HEAD,
  rowMac,
  type Seal,
  type StoredAuditRow,
  sealMac,
  shortHead,
} from "./audit-mac.ts";
import type { Head } from "./audit-seal.ts";
import { queryRows, type Tx } from "./db.ts";
import { auditLog, auditSeals } from "./schema/tenancy.ts";

/** What is not as it was written. `index`: place in the tenant's trail, from 1. */
export interface Problem {
  index: number;
  what: string;
}

export interface ChainState {
  seals: number;
  /** Where the trail ends as far as its seals tell. */
  head: Head | null;
  /** First characters of every seal's hash, as cards show them. */
  shownHeads: Set<string>;
  /** Hash of each seal that was asked for, by its number. */
  macs: Map<number, string>;
  problems: Problem[];
}

const SEALS_AT_ONCE = 20;

/** How a caller reads: each step in a transaction of its own, as the product works meanwhile. */
export type Read = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Goes through all seals of a tenant in order, each with its rows. Seals are only ever added, so what
 * is added meanwhile does not disturb. `macsOf`: numbers of seals whose hashes are wanted.
 */
export async function walkChain(
  read: Read,
  of: { tenantId: string; key: Buffer; macsOf: ReadonlySet<number> },
): Promise<ChainState> {
  const state: ChainState = {
    ...{ seals: 0, head: null, problems: [] },
    shownHeads: new Set(),
    macs: new Map(),
  };
  for (;;) {
    const after = state.head?.sealNumber ?? 0;
    const page = await read((tx) => pageOf(tx, of.tenantId, after));
    for (const { seal, rows } of page) {
      state.problems.push(...sealProblems(of.key, state.head, { seal, rows }));
      state.seals += 1;
      state.shownHeads.add(shortHead(seal.mac));
      if (of.macsOf.has(seal.sealNumber)) state.macs.set(seal.sealNumber, seal.mac);
      const { sealNumber, firstIndex, rowIds, mac } = seal;
      state.head = { sealNumber, index: firstIndex + rowIds.length - 1, mac };
    }
    if (page.length < SEALS_AT_ONCE) return state;
  }
}

interface SealWithRows {
  seal: Seal;
  rows: Map<string, StoredAuditRow>;
}

async function pageOf(tx: Tx, tenantId: string, after: number): Promise<SealWithRows[]> {
  const seals = await tx
    .select()
    .from(auditSeals)
    .where(and(eq(auditSeals.tenantId, tenantId), gt(auditSeals.sealNumber, after)))
    .orderBy(asc(auditSeals.sealNumber))
    .limit(SEALS_AT_ONCE);
  const ids = seals.flatMap((seal) => seal.rowIds);
  const rows = await tx
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.tenantId, tenantId), inArray(auditLog.id, ids)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return seals.map((seal) => ({ seal, rows: byId }));
}

/** Pure: one seal against the one before it and its rows. */
export function sealProblems(
  key: Buffer,
  before: Head | null,
  { seal, rows }: SealWithRows,
): Problem[] {
  const { sealNumber, firstIndex, rowIds, rowMacs } = seal;
  const wanted = (before?.index ?? 0) + 1;
  const follows = (before?.sealNumber ?? 0) + 1;
  const states = rowIds.map((id, at) => ({
    index: firstIndex + at,
    what: rowProblem(key, rows.get(id), {
      seal,
      index: firstIndex + at,
      mac: rowMacs[at] ?? "",
      id,
    }),
  }));
  const problems = states.flatMap(({ index, what }) => (what === null ? [] : [{ index, what }]));
  if (sealNumber !== follows)
    return [
      { index: wanted, what: `seals ${follows} to ${sealNumber - 1} are missing` },
      ...problems,
    ];
  const isWhole =
    seal.mac === sealMac(key, seal) &&
    seal.previousMac === (before?.mac ?? NO_HEAD) &&
    firstIndex === wanted;
  if (isWhole) return problems;
  // its own list is not to be believed: what each row's hash still proves ends at the first that fails
  const unproven = problems[0]?.index ?? firstIndex + rowIds.length;
  const what = `seal ${sealNumber} is not the one that was made with this installation's key`;
  return [{ index: unproven, what }];
}

function rowProblem(
  key: Buffer,
  row: StoredAuditRow | undefined,
  at: { seal: Seal; index: number; mac: string; id: string },
): string | null {
  if (!row) return `row ${at.id} was deleted`;
  if (rowMac(key, row, at.index) !== at.mac) return `row ${at.id} was changed`;
  if (row.sealNumber === at.seal.sealNumber) return null;
  return `row ${at.id} no longer says that it belongs to seal ${at.seal.sealNumber}`;
}

/** Rows that say they are sealed, and no seal has them: put in by hand. */
export async function foreignRows(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await queryRows<{ id: string }>(
    tx,
    sql`select a.id from audit_log a
      where a.tenant_id = ${tenantId} and a.seal_number is not null
        and not exists (select 1 from audit_seals s where s.tenant_id = a.tenant_id
          and s.seal_number = a.seal_number and jsonb_exists(s.row_ids, a.id))
      order by a.id limit 20`,
  );
  return rows.map(({ id }) => id);
}

/** A second's worth while the product runs; more means that nobody seals. */
export async function countUnsealed(tx: Tx, tenantId: string): Promise<number> {
  const rows = await queryRows<{ rows: number }>(
    tx,
    sql`select count(*)::int as rows from audit_log
      where tenant_id = ${tenantId} and seal_number is null`,
  );
  return rows[0]?.rows ?? 0;
}

/**
 * The place in the trail of the first row whose id is not before this one, from 1: where a row that
 * is missing would stand. null: after all that is sealed.
 */
export async function placeOf(tx: Tx, tenantId: string, id: string): Promise<number | null> {
  const rows = await queryRows<{ index: number }>(
    tx,
    sql`select s.first_index + p.place::int - 1 as index from (
        select id, seal_number from audit_log
        where tenant_id = ${tenantId} and id >= ${id} and seal_number is not null order by id limit 1
      ) a
      join audit_seals s on s.tenant_id = ${tenantId} and s.seal_number = a.seal_number
      join lateral jsonb_array_elements_text(s.row_ids) with ordinality p(id, place) on p.id = a.id`,
  );
  return rows[0]?.index ?? null;
}
