import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Database,
  openEmbedded,
  openPostgres,
  prepareDatabase,
} from "../../src/store/database.ts";
import { type Engine, forEachEngine as forEachServer } from "./engines.ts";
import { withTestKey } from "./row-key.ts";

export interface OpenOptions {
  /** Leaves out schema and world: for tests of the start itself. */
  bare?: boolean;
  poolSize?: number;
}

/** Opens a database of its own, with the product's schema; `close` drops it. */
export type OpenDatabase = (options?: OpenOptions) => Promise<Database>;

/**
 * Runs a file's tests on the embedded database and, where a server answers, on PostgreSQL. There
 * the owner is no superuser, as in production.
 */
export function forEachEngine(define: (open: OpenDatabase) => void): void {
  forEachServer((engine) => define((options = {}) => openOn(engine, options)));
}

/** A database of this engine, with the product's schema unless it is bare. */
export async function openOn(engine: Engine, options: OpenOptions = {}): Promise<Database> {
  const own = await engine.open();
  if (own.url === null) return options.bare ? openBare() : openFromSnapshot();
  const database = withTestKey(await openPostgres(own.url, options.poolSize ?? 10));
  if (!options.bare) await prepareDatabase(database, "sandbox");
  return {
    ...database,
    async close() {
      await database.close();
      await own.drop();
    },
  };
}

async function openBare(snapshot?: Blob): Promise<Database> {
  const options = { dir: null, durable: false, ...(snapshot ? { snapshot } : {}) };
  return withTestKey(await openEmbedded(options));
}

/** Making the schema anew takes seconds a file: the first file leaves its image for the others. */
async function openFromSnapshot(): Promise<Database> {
  const path = join(tmpdir(), `countersign-tests-${schemaHash()}.tar.gz`);
  if (existsSync(path)) return openBare(new Blob([new Uint8Array(readFileSync(path))]));
  const database = await openBare();
  await prepareDatabase(database, "sandbox");
  const image = await database.embedded?.dumpDataDir("gzip");
  if (image) {
    const unfinished = `${path}.${randomUUID()}`;
    writeFileSync(unfinished, new Uint8Array(await image.arrayBuffer()));
    renameSync(unfinished, path); // another file sees all of it or nothing
  }
  return database;
}

function schemaHash(): string {
  const hash = createHash("sha256").update(readFileSync("package-lock.json"));
  for (const name of readdirSync("migrations").sort())
    if (name.endsWith(".sql")) hash.update(readFileSync(join("migrations", name)));
  return hash.digest("hex").slice(0, 16);
}
