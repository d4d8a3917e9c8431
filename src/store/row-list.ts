import { and, eq } from "drizzle-orm";
import type { Verified } from "../domain/verified.ts";
import type { Tx } from "./db.ts";
import { macOf, reportForged, verified } from "./row-mac.ts";
import { rowLists } from "./schema/tenancy.ts";

/** Tables of which it matters that no row is deleted by anybody else. */
export const LISTED_TABLES = ["tool_policy", "staff_identities", "exchange_settings"] as const;
export type ListedTable = (typeof LISTED_TABLES)[number];

export interface ListRef {
  tenantId: string;
  tableName: ListedTable;
}

/** Name of the row -> what it is for. */
export type ListedRows = Record<string, string>;
export type RowList = Verified<typeof rowLists.$inferSelect>;

/**
 * Stands in the list of the staff's accounts once those of clients are signed: somebody who takes the
 * hashes and the migration out of the database does not get what he wrote signed by the next start.
 */
export const CLIENTS_SIGNED: Readonly<ListedRows> = { "signed//contact_identities": "" };

/** With the tenant's own row, and never again: a list that is missing later was deleted. */
export async function startRowLists(tx: Tx, tenantId: string): Promise<void> {
  const lists = LISTED_TABLES.map((tableName) =>
    signed(tx, { tenantId, tableName }, tableName === "staff_identities" ? CLIENTS_SIGNED : {}),
  );
  await tx.insert(rowLists).values(lists).onConflictDoNothing();
}

/** null: it is not what the product wrote; nothing that it should tell is known. */
export async function rowListOf(tx: Tx, ref: ListRef): Promise<RowList | null> {
  const [row] = await tx.select().from(rowLists).where(isList(ref));
  return checkedList(tx, ref, row);
}

/** For a list that was read with other rows. */
export function checkedList(
  tx: Tx,
  ref: ListRef,
  row: typeof rowLists.$inferSelect | null | undefined,
): RowList | null {
  if (row) return verified(tx, "row_lists", row);
  reportForged(tx, "row_lists", ref);
  return null;
}

/** Holds the list until the transaction ends: changes of one come one after another. */
export async function lockRowList(tx: Tx, ref: ListRef): Promise<RowList | null> {
  const [row] = await tx.select().from(rowLists).where(isList(ref)).for("update");
  return checkedList(tx, ref, row);
}

/** The given rows are all there is afterwards. */
export async function putRowList(tx: Tx, ref: ListRef, rows: ListedRows): Promise<void> {
  const row = signed(tx, ref, rows);
  await tx
    .insert(rowLists)
    .values(row)
    .onConflictDoUpdate({ target: [rowLists.tenantId, rowLists.tableName], set: row });
}

function signed(tx: Tx, ref: ListRef, rows: ListedRows) {
  const row = { ...ref, rows };
  return { ...row, mac: macOf(tx, "row_lists", row) };
}

function isList({ tenantId, tableName }: ListRef) {
  return and(eq(rowLists.tenantId, tenantId), eq(rowLists.tableName, tableName));
}
