import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { type Database, openEmbedded, openPostgres } from "../src/store/database.ts";

const LOCAL = "postgres://postgres@127.0.0.1:5432/postgres";
const POOL = 20;

export interface BenchDatabase {
  database: Database;
  /** Where it is, without a password. */
  place: string;
  drop(): Promise<void>;
}

/**
 * The given database, whose rows stay; else one of its own on the PostgreSQL of TEST_DATABASE_URL or
 * the standard local port; else the embedded one in memory.
 */
export async function openBenchDatabase(given: string | undefined): Promise<BenchDatabase> {
  if (given !== undefined) {
    const database = await openPostgres(given, POOL);
    return { database, place: placeOf(given), drop: () => database.close() };
  }
  // biome-ignore lint/style/noProcessEnv: whoever runs the tests names the server
  const url = process.env.TEST_DATABASE_URL || LOCAL;
  return (await openOwn(url)) ?? openInMemory();
}

async function openInMemory(): Promise<BenchDatabase> {
  const database = await openEmbedded({ dir: null, durable: false });
  return { database, place: "the embedded database, in memory", drop: () => database.close() };
}

/** The owner is no superuser, as in production. null: no server answers. */
async function openOwn(serverUrl: string): Promise<BenchDatabase | null> {
  const server = postgres(serverUrl, { max: 1, connect_timeout: 3, onnotice: () => {} });
  const name = `bench_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  try {
    await server`select 1`;
  } catch {
    await server.end({ timeout: 1 });
    return null;
  }
  await server.unsafe(`create role ${name} login createrole password '${password}'`);
  await server.unsafe(`create database ${name} owner ${name}`);
  const roles = await server<{ rolname: string }[]>`
    select rolname from pg_roles where rolname in ('app_rw', 'app_system')`;
  for (const { rolname } of roles) await server.unsafe(`grant ${rolname} to ${name}`);
  const url = new URL(serverUrl);
  Object.assign(url, { username: name, password, pathname: `/${name}` });
  const database = await openPostgres(url.href, POOL);
  return {
    database,
    place: placeOf(serverUrl),
    async drop() {
      await database.close();
      await server.unsafe(`drop database ${name} with (force)`);
      await server.unsafe(`drop role ${name}`);
      await server.end({ timeout: 5 });
    },
  };
}

function placeOf(url: string): string {
  return `PostgreSQL at ${URL.parse(url)?.host ?? "an address that cannot be read"}`;
}
