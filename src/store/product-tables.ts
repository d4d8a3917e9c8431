import { sql } from "drizzle-orm";
import { queryRows, type Tx } from "./db.ts";

export interface Column {
  name: string;
  /** As a cast writes it: `timestamp(3) with time zone`. */
  type: string;
  /** The sequence that numbers it; null for most. */
  sequence: string | null;
}

export interface ProductTable {
  name: string;
  /** Row security: its rows are read and written in the role of their tenant. */
  isOfTenant: boolean;
  columns: Column[];
}

/** Every table of the product as the database itself describes it, by name. */
export async function productTables(tx: Tx): Promise<ProductTable[]> {
  const rows = await queryRows<Column & { table: string; isOfTenant: boolean }>(
    tx,
    sql`select c.relname as "table", c.relforcerowsecurity as "isOfTenant", a.attname as name,
        format_type(a.atttypid, a.atttypmod) as type,
        pg_get_serial_sequence(format('public.%I', c.relname), a.attname) as sequence
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
        and not a.attisdropped and a.attgenerated = ''
      where c.relkind = 'r'
      order by c.relname, a.attnum`,
  );
  const tables = new Map<string, ProductTable>();
  for (const { table, isOfTenant, ...column } of rows) {
    const known = tables.get(table) ?? { name: table, isOfTenant, columns: [] };
    known.columns.push(column);
    tables.set(table, known);
  }
  return [...tables.values()];
}
