import { sql } from "drizzle-orm";
import { StartError } from "../domain/errors.ts";
import type { World } from "../domain/world.ts";
import { settleRestored } from "./after-restore.ts";
import { publicTable, writeAlike } from "./backup-dump.ts";
import {
  type BackupHeader,
  type BackupSection,
  type BackupSequence,
  checkBackup,
  readBackup,
} from "./backup-file.ts";
import { refuseCompany } from "./company.ts";
import type { Database } from "./database.ts";
import { queryRows, type Tx, withOwner } from "./db.ts";
import { actAsOwner, enterTenant } from "./enter-tenant.ts";
import { isKnownSchema, migrateTo, newestSchema } from "./migrations.ts";
import { type ProductTable, productTables } from "./product-tables.ts";

const ROWS_AT_ONCE = 500;
const CHARS_AT_ONCE = 4_000_000;
const TOLD_EVERY = 20_000;

export interface Restore {
  path: string;
  /** What this installation is. */
  world: World;
  now: number;
  realNow: number;
  /** Called when all rows stand; throws to take everything back. */
  check(tx: Tx): Promise<void>;
  /** Progress, a line at a time. */
  write(line: string): void;
}

/**
 * Puts a backup into a new database, whole or not at all: the schema of the backup's time, its
 * rows, the migrations since. Payouts are stopped afterwards.
 */
export async function restoreDatabase(
  database: Database,
  restore: Restore,
): Promise<{ header: BackupHeader; rows: number }> {
  const { header, rows } = await checkBackup(restore.path);
  refuseForeign(header, restore);
  await refuseCompany(database, "restore");
  await withOwner(database.db, async (tx) => {
    await refuseFull(tx);
    await migrateTo(tx, header.schema);
    await writeAlike(tx);
    await load(tx, { ...restore, rows });
    await actAsOwner(tx);
    await restore.check(tx); // before older rows are signed
    await migrateTo(tx, newestSchema());
    const { now, realNow } = restore;
    await settleRestored(tx, { backupAt: Date.parse(header.at), now, realNow });
  });
  return { header, rows };
}

function refuseForeign({ schema, product, world }: BackupHeader, restore: Restore): void {
  if (schema > newestSchema())
    throw new StartError(
      `${restore.path} was made by a newer version of Countersign (${product}); restore with that version`,
    );
  if (!isKnownSchema(schema))
    throw new StartError(
      `${restore.path} was made by a version of Countersign (${product}) that this one does not know; restore with that version`,
    );
  if (world === restore.world) return;
  const next =
    world === "real"
      ? "put the tokens of the real messengers into .env first"
      : "set SANDBOX=on without tokens of real messengers, or the whole environment of npm run sandbox";
  throw new StartError(
    `SANDBOX: ${restore.path} is a backup of the ${world} world and this start is ${restore.world}: played and real money never share a database; ${next}`,
  );
}

async function refuseFull(tx: Tx): Promise<void> {
  if (await hasTables(tx))
    throw new StartError(
      "The database is not empty, and a restore replaces nothing; choose another DATA_DIR or DATABASE_URL",
    );
}

/** Written by a start, or by a restore that came to its end. */
export async function hasTables(tx: Tx): Promise<boolean> {
  const rows = await queryRows<{ tables: number }>(
    tx,
    sql`select count(*)::int as tables from pg_tables
      where schemaname in ('public', 'drizzle', 'pgboss')`,
  );
  return (rows[0]?.tables ?? 0) > 0;
}

interface Place {
  table: ProductTable;
  section: BackupSection;
}

async function load(tx: Tx, from: Restore & { rows: number }): Promise<void> {
  const tables = new Map((await productTables(tx)).map((table) => [table.name, table]));
  let place: Place | null = null;
  let batch: string[] = [];
  let chars = 0;
  let rows = 0;

  async function flush(): Promise<void> {
    if (place && batch.length > 0) await insertRows(tx, place, batch);
    batch = [];
    chars = 0;
  }

  for await (const line of readBackup(from.path)) {
    if (line.kind === "row") {
      batch.push(line.text);
      chars += line.text.length;
      rows += 1;
      if (rows % TOLD_EVERY === 0) from.write(`${rows} of ${from.rows} rows`);
      if (batch.length >= ROWS_AT_ONCE || chars >= CHARS_AT_ONCE) await flush();
      continue;
    }
    await flush();
    if (line.kind === "section") place = await enterSection(tx, tables, line.section);
    else await setSequence(tx, line.sequence);
  }
  await flush();
}

async function enterSection(
  tx: Tx,
  tables: ReadonlyMap<string, ProductTable>,
  section: BackupSection,
): Promise<Place> {
  const table = tables.get(section.table);
  if (!table) throw new StartError(`The backup has a table that does not exist: ${section.table}`);
  if (section.tenant === null) await actAsOwner(tx);
  else await enterTenant(tx, section.tenant);
  return { table, section };
}

/** The values stay PostgreSQL's own texts from one database to the other. */
async function insertRows(tx: Tx, { table, section }: Place, rows: string[]): Promise<void> {
  const types = new Map(table.columns.map(({ name, type }) => [name, type]));
  const values = section.columns.map((name, at) => {
    const type = types.get(name);
    if (!type) throw new StartError(`The backup has a column that does not exist: ${name}`);
    return sql.raw(`(r->>${at})::${type}`); // the type as this database itself writes it
  });
  const names = section.columns.map((name) => sql.identifier(name));
  await tx.execute(
    sql`insert into ${publicTable(table.name)} (${sql.join(names, sql`, `)})
      overriding system value
      select ${sql.join(values, sql`, `)} from jsonb_array_elements(${`[${rows.join(",")}]`}::jsonb) r`,
  );
}

async function setSequence(tx: Tx, { table, column, last, called }: BackupSequence): Promise<void> {
  await actAsOwner(tx);
  await tx.execute(
    sql`select setval(pg_get_serial_sequence(format('public.%I', ${table}::text), ${column}), ${last}::bigint, ${called})`,
  );
}
