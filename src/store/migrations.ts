import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { z } from "zod";
import { type Db, queryRows, sqlState, type Tx, withOwner } from "./db.ts";
import { signOlderAccounts, signOlderRows } from "./sign-older-rows.ts";

const FOLDER = fileURLToPath(new URL("../../migrations", import.meta.url));

/** Names a state of the schema: when its newest migration was made. 0: no schema yet. */
export type SchemaVersion = number;

/** Of this code; a database that is newer is refused at the start. */
export function newestSchema(): SchemaVersion {
  return known().at(-1)?.folderMillis ?? 0;
}

export function isKnownSchema(version: SchemaVersion): boolean {
  return known().some(({ folderMillis }) => folderMillis === version);
}

/** 0 for a database in which nothing was ever done. */
export async function schemaOf(db: Db): Promise<SchemaVersion> {
  try {
    return await appliedIn(db);
  } catch (error) {
    if (sqlState(error) === "42P01" || sqlState(error) === "3F000") return 0; // a new database
    throw error;
  }
}

/** Brings the schema up to the code; of several starts at once one does it. */
export function migrate(db: Db): Promise<void> {
  return withOwner(db, (tx) => migrateTo(tx, newestSchema()));
}

/** Applies what is missing up to a version, as the owner, in the transaction it is given. */
export async function migrateTo(tx: Tx, version: SchemaVersion): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended('countersign:migrations', 0))`,
  );
  await tx.execute(sql`create schema if not exists drizzle`);
  await tx.execute(
    sql`create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`,
  );
  const applied = await appliedIn(tx);
  for (const migration of known())
    if (migration.folderMillis > applied && migration.folderMillis <= version)
      await apply(tx, migration);
  const passes = (tag: string) => applied < versionOf(tag) && versionOf(tag) <= version;
  if (passes("0006_governed_execution")) await signOlderRows(tx);
  if (passes("0009_signed_contact_accounts")) await signOlderAccounts(tx);
}

async function apply(tx: Tx, { sql: statements, hash, folderMillis }: MigrationMeta) {
  for (const statement of statements) await tx.execute(sql.raw(statement));
  await tx.execute(
    sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`,
  );
}

async function appliedIn(tx: Db | Tx): Promise<SchemaVersion> {
  const rows = await queryRows<{ last: string | number | null }>(
    tx,
    sql`select max(created_at) as last from drizzle.__drizzle_migrations`,
  );
  return Number(rows[0]?.last ?? 0);
}

/** Of one migration by its name in the journal. */
function versionOf(tag: string): SchemaVersion {
  const journal = journalSchema.parse(JSON.parse(readFileSync(join(FOLDER, JOURNAL), "utf8")));
  const entry = journal.entries.find((one) => one.tag === tag);
  if (!entry) throw new Error(`the migrations' journal has no ${tag}`);
  return entry.when;
}

const JOURNAL = "meta/_journal.json";
const journalSchema = z.object({
  entries: z.array(z.object({ tag: z.string(), when: z.number().int() })),
});

function known(): MigrationMeta[] {
  return readMigrationFiles({ migrationsFolder: FOLDER });
}
