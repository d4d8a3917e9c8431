import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Database } from "../../src/store/database.ts";
import { queryRows, type Tx, withOwner, withTenant } from "../../src/store/db.ts";
import { type Column, type ProductTable, productTables } from "../../src/store/product-tables.ts";
import { ensureTenant } from "../../src/store/tenants.ts";

export const TENANTS = ["default", "second"];
const FILLED_AT = Date.UTC(2026, 10, 1);
const ROWS = 3;

/** Puts rows into every table there is, whatever its columns; of a table without tenants, too. */
export async function fillDatabase({ db }: Database): Promise<void> {
  const tables = await withOwner(db, productTables);
  await withOwner(db, async (tx) => {
    for (const id of TENANTS) await ensureTenant(tx, { id, name: id, now: FILLED_AT });
    for (const table of tables.filter(
      ({ name }) => name !== "tenants" && !isOfTenant(name, tables),
    ))
      await fill(tx, table, "default");
  });
  for (const tenant of TENANTS)
    await withTenant(db, tenant, async (tx) => {
      for (const table of tables.filter((one) => one.isOfTenant)) await fill(tx, table, tenant);
    });
}

/** Every row as PostgreSQL's own text, by table, in one order. */
export async function allRows({ db }: Database): Promise<Record<string, string[]>> {
  const tables = await withOwner(db, productTables);
  const rows: Record<string, string[]> = {};
  for (const table of tables) {
    const read = (tx: Tx) => rowsOf(tx, table.name);
    const found = table.isOfTenant
      ? (await Promise.all(TENANTS.map((tenant) => withTenant(db, tenant, read)))).flat()
      : await withOwner(db, read);
    rows[table.name] = found.sort();
  }
  return rows;
}

async function rowsOf(tx: Tx, table: string): Promise<string[]> {
  await tx.execute(sql`select set_config('timezone', 'UTC', true)`);
  const rows = await queryRows<{ text: string }>(
    tx,
    sql`select r::text as text from ${sql.identifier(table)} r`,
  );
  return rows.map(({ text }) => text);
}

function isOfTenant(name: string, tables: readonly ProductTable[]): boolean {
  return tables.some((table) => table.name === name && table.isOfTenant);
}

async function fill(tx: Tx, table: ProductTable, tenant: string): Promise<void> {
  const columns = table.columns.filter(({ sequence }) => sequence === null);
  const names = columns.map(({ name }) => sql.identifier(name));
  for (let row = 0; row < ROWS; row += 1) {
    const values = columns.map((column) =>
      column.name === "tenant_id" ? sql`${tenant}` : sql.raw(literalOf(column, row)),
    );
    await tx.execute(
      sql`insert into ${sql.identifier(table.name)} (${sql.join(names, sql`, `)})
        values (${sql.join(values, sql`, `)}) on conflict do nothing`,
    );
  }
}

/** What a careless copy would change: long fractions, zeros at the end, bytes, separators of lines. */
function literalOf({ type }: Column, row: number): string {
  const unique = randomBytes(6).toString("hex");
  if (type === "numeric") return `'123456789012345678901234.5678901234567890${row}0'`;
  if (type === "double precision") return `'0.1${row}000000000000001'`;
  if (type === "bytea") return `'\\x00ff0a${unique}'`;
  if (type.startsWith("timestamp")) return `'2026-03-29 0${row}:59:59.98${row}+02'`;
  if (type === "jsonb")
    return row === 2
      ? "'null'"
      : `'{"n": 1.10, "big": 12345678901234567890.1, "t": "\\u2028\\n\\"ы"}'`;
  if (type === "boolean") return row === 0 ? "false" : "true";
  if (type === "integer" || type === "bigint") return String(row);
  return `'${unique} \u2028 line\nfeed \\ "тест" ['`;
}
