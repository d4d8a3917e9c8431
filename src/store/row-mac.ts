import { hkdfSync } from "node:crypto";
import { RowKey, type Verified } from "../domain/verified.ts";
import { type Db, databaseOf, type Tx } from "./db.ts";
import { type Meaning, meaningOf, placeOf, type SignedTable } from "./row-meaning.ts";

/** A row whose hash does not hold: something other than the product wrote it. */
export interface ForgedRow {
  table: SignedTable;
  /** null: a row of the whole installation. */
  tenantId: string | null;
  id: string;
}

interface Guard {
  key: RowKey;
  report(row: ForgedRow): void;
}

const KEY_BYTES = 32;
const guards = new WeakMap<WeakKey, Guard>();

/** Derived from the master key and good for nothing else. */
export function rowKeyOf(masterKey: Buffer): RowKey {
  return new RowKey(
    Buffer.from(hkdfSync("sha256", masterKey, "countersign", "signed rows", KEY_BYTES)),
  );
}

/** From here on the store's functions sign and check with this key, in every transaction on `db`. */
export function bindRowKey(db: Db, key: RowKey): void {
  guards.set(db, { key, report: () => {} });
}

/** Without a key no signed row can be read on this database. */
export function hasRowKey(db: Db): boolean {
  return guards.has(db);
}

/** `report` is called inside transactions, for every read: it neither throws nor waits. */
export function onForgedRow(db: Db, report: Guard["report"]): void {
  const guard = guards.get(db);
  if (!guard) throw new Error(UNBOUND);
  guard.report = report;
}

/** For the column `mac` of a row that is about to be written. */
export function macOf<T extends SignedTable>(tx: Tx, table: T, row: Meaning<T>): string {
  return guardOf(tx).key.mac(meaningOf(table, row));
}

/** The row when the product wrote it so; else null, and people are told. */
export function verified<T extends SignedTable, Row extends Meaning<T> & { mac: string }>(
  tx: Tx,
  table: T,
  row: Row,
): Verified<Row> | null {
  const { key } = guardOf(tx);
  const genuine = key.verify(row, { content: meaningOf(table, row), mac: row.mac });
  if (!genuine) reportForged(tx, table, row);
  return genuine;
}

/** Those of the rows that the product wrote. */
export function verifiedRows<T extends SignedTable, Row extends Meaning<T> & { mac: string }>(
  tx: Tx,
  table: T,
  rows: readonly Row[],
): Verified<Row>[] {
  return rows.flatMap((row) => verified(tx, table, row) ?? []);
}

/** For a row that is missed as well: somebody deleted it. */
export function reportForged<T extends SignedTable>(tx: Tx, table: T, row: Meaning<T>): void {
  const place = placeOf(row);
  const tenantId = table === "tenants" ? place.id : place.tenantId;
  guardOf(tx).report({ table, tenantId, id: place.id ?? tenantId ?? "" });
}

function guardOf(tx: Tx): Guard {
  const guard = guards.get(databaseOf(tx));
  if (!guard) throw new Error(UNBOUND);
  return guard;
}

const UNBOUND = "the database has no row key yet: bindRowKey comes before the first transaction";
