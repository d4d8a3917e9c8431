import { type SQL, sql } from "drizzle-orm";
import { StartError } from "../domain/errors.ts";
import type { World } from "../domain/world.ts";
import { type BackupWriter, createBackupFile } from "./backup-file.ts";
import { type Db, queryRows, type Tx } from "./db.ts";
import { actAsOwner, enterTenant } from "./enter-tenant.ts";
import { schemaOf } from "./migrations.ts";
import { type ProductTable, productTables } from "./product-tables.ts";

const ROWS_AT_ONCE = 200;
const TOLD_EVERY = 20_000;

export interface Dump {
  path: string;
  /** The program's version. */
  product: string;
  now: number;
  /** Progress, a line at a time. */
  write(line: string): void;
}

/**
 * Writes every row to a file, all of one moment, while others go on. What the queue engine keeps is
 * left out: its jobs are hints, and the sweep finds what is due.
 */
export async function dumpDatabase(db: Db, dump: Dump): Promise<{ rows: number }> {
  const schema = await schemaOf(db);
  if (schema === 0) throw new StartError("There is nothing to back up: the database is empty");
  return db.transaction(
    async (tx) => {
      await writeAlike(tx);
      const header = { product: dump.product, schema, world: await worldOf(tx) };
      const at = new Date(dump.now).toISOString();
      const file = await createBackupFile(dump.path, { ...header, at });
      try {
        await dumpTables(tx, file, dump);
        return await file.finish();
      } catch (error) {
        await file.abandon();
        throw error;
      }
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/** Texts of values must not hang on a server's settings; for one transaction. */
export async function writeAlike(tx: Tx): Promise<void> {
  await tx.execute(
    sql`select set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
      set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true)`,
  );
}

async function worldOf(tx: Tx): Promise<World> {
  const rows = await queryRows<{ value: World }>(
    tx,
    sql`select value from app_state where name = 'world'`,
  );
  if (!rows[0]) throw new StartError("There is nothing to back up: no start has used the database");
  return rows[0].value;
}

async function dumpTables(tx: Tx, file: BackupWriter, dump: Dump): Promise<void> {
  const tables = await productTables(tx);
  const tenants = await queryRows<{ id: string }>(tx, sql`select id from tenants order by id`);
  for (const table of tables.filter(({ isOfTenant }) => !isOfTenant))
    await dumpRows(tx, file, { table, tenant: null, write: dump.write });
  for (const { id: tenant } of tenants) {
    await enterTenant(tx, tenant);
    for (const table of tables.filter(({ isOfTenant }) => isOfTenant))
      await dumpRows(tx, file, { table, tenant, write: dump.write });
  }
  await actAsOwner(tx);
  for (const table of tables) await dumpSequences(tx, file, table);
}

async function dumpRows(
  tx: Tx,
  file: BackupWriter,
  from: { table: ProductTable; tenant: string | null; write(line: string): void },
): Promise<void> {
  const { table, tenant, write } = from;
  const columns = table.columns.map(({ name }) => name);
  const of = tenant === null ? "" : `${tenant}: `;
  let rows = 0;
  for await (const batch of rowsOf(tx, table)) {
    if (rows === 0) await file.section({ table: table.name, tenant, columns });
    for (const { row } of batch) await file.row(row);
    if (told(rows + batch.length) > told(rows)) write(`${of}${table.name}: ${rows} rows so far`);
    rows += batch.length;
  }
  if (rows > 0) write(`${of}${table.name}: ${rows} rows`);
}

function told(rows: number): number {
  return Math.floor(rows / TOLD_EVERY);
}

/** A list of texts a row: exact for every type, and null stays apart from a JSON null. */
async function* rowsOf(tx: Tx, { name, columns }: ProductTable): AsyncGenerator<{ row: string }[]> {
  const texts = columns.map((column) => sql`${sql.identifier(column.name)}::text`);
  const row = sql`array_to_json(array[${sql.join(texts, sql`, `)}])::text as "row"`;
  await tx.execute(
    sql`declare dumped no scroll cursor for select ${row} from ${publicTable(name)}`,
  );
  while (true) {
    const batch = await queryRows<{ row: string }>(
      tx,
      sql.raw(`fetch ${ROWS_AT_ONCE} from dumped`),
    );
    if (batch.length === 0) break;
    yield batch;
  }
  await tx.execute(sql`close dumped`);
}

async function dumpSequences(tx: Tx, file: BackupWriter, table: ProductTable): Promise<void> {
  for (const { name: column, sequence } of table.columns) {
    if (sequence === null) continue;
    const rows = await queryRows<{ last: string; called: boolean }>(
      tx,
      sql`select last_value::text as last, is_called as called from ${sql.raw(sequence)}`, // the database's own quoting
    );
    if (rows[0]) await file.sequence({ table: table.name, column, ...rows[0] });
  }
}

export function publicTable(name: string): SQL {
  return sql`public.${sql.identifier(name)}`;
}
