import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { describe } from "vitest";

/** A database product that flows run on. `open` gives a database of its own. */
export interface Engine {
  name: string;
  open(): Promise<OwnDatabase>;
}

export interface OwnDatabase {
  /** null: the embedded database in the data folder. */
  url: string | null;
  /** Does this stand in any row of any table, in the clear? */
  holds(text: string, dataDir: string): Promise<boolean>;
  drop(): Promise<void>;
}

/** Runs the flows of a file on each database that is there. */
export function forEachEngine(flows: (engine: Engine) => void): void {
  for (const engine of ENGINES) describe(`on ${engine.name}`, () => flows(engine));
  if (ENGINES.length === 1)
    describe.skip("on PostgreSQL: skipped, no server answers at TEST_DATABASE_URL or 127.0.0.1:5432", () =>
      flows(embeddedEngine));
}

/** For what only exists on a server: several processes on one database. */
export function onServer(flows: (engine: Engine) => void): void {
  const server = ENGINES.find(({ name }) => name === "PostgreSQL");
  if (server) describe("on PostgreSQL", () => flows(server));
  else
    describe.skip("on PostgreSQL: skipped, no server answers at TEST_DATABASE_URL or 127.0.0.1:5432", () =>
      flows(embeddedEngine));
}

export const embeddedEngine: Engine = {
  name: "the embedded database",
  open: async () => ({ url: null, holds: async (text, dir) => anyFileHolds(dir, text), drop }),
};

async function drop(): Promise<void> {} // the database goes with the data folder

/** The log of the embedded database has every row that was ever written. */
function anyFileHolds(dataDir: string, text: string): boolean {
  const files = readdirSync(join(dataDir, "db"), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .some(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name));
      if (bytes.includes(text)) return true;
      return parentPath.endsWith("pg_wal") && withoutPageHeads(bytes).includes(text);
    });
}

const PAGE_BYTES = 8_192;
const HEAD_BYTES = { first: 40, other: 24 };

/** A row may stand across two pages of the log, with the second one's head in the middle. */
function withoutPageHeads(log: Buffer): Buffer {
  const bodies: Buffer[] = [];
  for (let at = 0; at < log.length; at += PAGE_BYTES) {
    const head = at === 0 ? HEAD_BYTES.first : HEAD_BYTES.other;
    bodies.push(log.subarray(at + head, at + PAGE_BYTES));
  }
  return Buffer.concat(bodies);
}

// biome-ignore lint/style/noProcessEnv: the runner of the tests names the server
const SERVER = process.env.TEST_DATABASE_URL || "postgres://postgres@127.0.0.1:5432/postgres";
const ENGINES: Engine[] = (await answers(SERVER))
  ? [embeddedEngine, { name: "PostgreSQL", open: () => openOwnDatabase(SERVER) }]
  : [embeddedEngine];

async function answers(url: string): Promise<boolean> {
  const server = connect(url);
  try {
    await server`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await server.end({ timeout: 1 });
  }
}

/** The owner is no superuser, as in production: row level security holds for it, too. */
async function openOwnDatabase(serverUrl: string): Promise<OwnDatabase> {
  const name = `flows_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  const server = connect(serverUrl);
  await server.unsafe(`create role ${name} login createrole password '${password}'`);
  await server.unsafe(`create database ${name} owner ${name}`);
  await shareRoles(server, name);
  const url = new URL(serverUrl);
  url.username = name;
  url.password = password;
  url.pathname = `/${name}`;
  return {
    url: url.href,
    holds: (text) => anyRowHolds(serverUrl, name, text),
    async drop() {
      await server.unsafe(`drop database ${name} with (force)`);
      await server.unsafe(`drop role ${name}`);
      await server.end({ timeout: 5 });
    },
  };
}

async function anyRowHolds(serverUrl: string, name: string, text: string): Promise<boolean> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = connect(url.href);
  try {
    const tables = await database<{ name: string }[]>`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
    for (const table of tables) {
      const query = `select 1 from ${table.name} as r where strpos(r::text, $1) > 0 limit 1`;
      if ((await database.unsafe(query, [text])).length > 0) return true;
    }
    return false;
  } finally {
    await database.end({ timeout: 5 });
  }
}

/**
 * The product's group roles belong to the whole server: an earlier file has made them, and this
 * file's owner may use them only as a member.
 */
async function shareRoles(server: postgres.Sql, owner: string): Promise<void> {
  const roles = await server<{ rolname: string }[]>`
    select rolname from pg_roles where rolname in ('app_rw', 'app_system')`;
  for (const { rolname } of roles) await server.unsafe(`grant ${rolname} to ${owner}`);
}

function connect(url: string): postgres.Sql {
  return postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
}
