import { eq, sql } from "drizzle-orm";
import { type Db, queryRows, withOwner } from "./db.ts";
import { sealedWord } from "./key-check.ts";
import { newestSchema, type SchemaVersion, schemaOf } from "./migrations.ts";
import { appState } from "./schema/tenancy.ts";

/** What is to be known of a database before anything is done with it; reading changes nothing. */
export interface DatabaseFacts {
  /** 0: new, nothing is in it. */
  schema: SchemaVersion;
  /** Of the code that read this. */
  newestSchema: SchemaVersion;
  world: string | null;
  /** Sealed with the master key; null before the first start. */
  sealedWord: string | null;
  /** The server's clock, milliseconds; to compare, not to decide on. */
  clockMs: number;
  /** When that was, by the reader's own clock. */
  readAt: number;
}

/** Reads only; serves a database of an older or newer schema as well. */
export async function readDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const schema = await schemaOf(db);
  const askedAt = Date.now();
  const [clock] = await queryRows<{ ms: string | number }>(
    db,
    sql`select extract(epoch from clock_timestamp()) * 1000 as ms`,
  );
  const known = {
    schema,
    newestSchema: newestSchema(),
    clockMs: Number(clock?.ms ?? 0),
    readAt: (askedAt + Date.now()) / 2,
  };
  if (schema === 0) return { ...known, world: null, sealedWord: null };
  return withOwner(db, async (tx) => {
    const [world] = await tx.select().from(appState).where(eq(appState.name, "world"));
    return { ...known, world: world?.value ?? null, sealedWord: await sealedWord(tx) };
  });
}
