import type { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { messageOf, StartError } from "../domain/errors.ts";
import type { World } from "../domain/world.ts";
import { type Db, queryRows, withOwner } from "./db.ts";
import { migrate, newestSchema, schemaOf } from "./migrations.ts";
import { withPreparedStatements } from "./prepared-client.ts";

/** One of the two: embedded in the process, or PostgreSQL. All else works with `db` alone. */
export interface Database {
  kind: "embedded" | "postgres";
  db: Db;
  /** The embedded engine itself: the queue shares its one connection. */
  embedded: PGlite | null;
  /** Connection string for the queue's own pool; null when embedded. */
  url: string | null;
  /** What other processes on the database say; null when embedded: there are none. */
  listen: Listen | null;
  close(): Promise<void>;
}

/** `onConnected`: at first, and after each broken connection. Answers how to stop. */
export type Listen = (
  channel: string,
  on: { onMessage(text: string): void; onConnected(): void },
) => Promise<() => Promise<void>>;

/** Opens the embedded database in a folder (null: in memory). `durable` turns fsync on. */
export async function openEmbedded(options: {
  dir: string | null;
  durable: boolean;
  snapshot?: Blob;
}): Promise<Database> {
  const { PGlite } = await import("@electric-sql/pglite");
  const { drizzle } = await import("drizzle-orm/pglite");
  const engine = await PGlite.create({
    ...(options.dir === null ? {} : { dataDir: options.dir }),
    ...(options.snapshot ? { loadDataDir: options.snapshot } : {}),
    ...(options.durable
      ? { startParams: [...PGlite.defaultStartParams.filter((p) => p !== "-F")] }
      : {}),
  });
  return {
    kind: "embedded",
    db: drizzle(engine) as unknown as Db, // the same query builder over another driver
    embedded: engine,
    url: null,
    listen: null,
    close: () => engine.close(),
  };
}

/** For the first answer; a packet that is dropped on its way brings no refusal. */
const FIRST_ANSWER_MS = 9_000;

/**
 * Throws StartError when nobody answers within `limitMs` (real time), with host and next step and
 * without the password.
 */
export async function openPostgres(
  url: string,
  poolSize = 10,
  limitMs = FIRST_ANSWER_MS,
): Promise<Database> {
  const { default: postgres } = await import("postgres");
  const { drizzle } = await import("drizzle-orm/postgres-js");
  const client = postgres(url, {
    max: poolSize,
    onnotice: () => {},
    connect_timeout: 10,
    connection: { jit: "off" as never, application_name: "countersign" },
  });
  try {
    await firstAnswer(client`select 1`, limitMs);
  } catch (error) {
    await client.end({ timeout: 0 });
    const nextStep =
      error instanceof NoAnswer
        ? "check host and port, the network up to there, and that PostgreSQL runs"
        : "check that it runs and that user and database exist";
    throw new StartError(
      `DATABASE_URL: PostgreSQL at ${hostOf(url)} cannot be used (${messageOf(error)}); ${nextStep}`,
    );
  }
  return {
    kind: "postgres",
    db: drizzle(withPreparedStatements(client)) as unknown as Db, // the same query builder over another driver
    embedded: null,
    url,
    async listen(channel, { onMessage, onConnected }) {
      const { unlisten } = await client.listen(channel, onMessage, onConnected);
      return unlisten;
    },
    close: () => client.end({ timeout: 5 }),
  };
}

class NoAnswer extends Error {}

/** The query itself would wait as long as the network likes. */
async function firstAnswer(query: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new NoAnswer(`no answer within ${limitMs / 1000} s`);
    timer = setTimeout(() => reject(error), limitMs);
  });
  try {
    await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Brings the schema up to the code. Refuses a database that is newer, or of the other world. */
export async function prepareDatabase(database: Database, world: World): Promise<void> {
  await refuseNewer(database.db);
  await migrate(database.db);
  await stampWorld(database.db, world);
}

export async function refuseNewer(db: Db): Promise<void> {
  if ((await schemaOf(db)) > newestSchema())
    throw new StartError(
      "The database was written by a newer version of Countersign; start that version, or restore a backup made with this one",
    );
}

async function stampWorld(db: Db, world: World): Promise<void> {
  await withOwner(db, async (tx) => {
    await tx.execute(
      sql`insert into app_state (name, value) values ('world', ${world}) on conflict (name) do nothing`,
    );
    const rows = await queryRows<{ value: string }>(
      tx,
      sql`select value from app_state where name = 'world'`,
    );
    const stamped = rows[0]?.value;
    if (stamped !== world)
      throw new StartError(
        `The database belongs to the ${stamped} world and this start is ${world}: played and real money never share one; ${NEXT_STEP[world]}`,
      );
  });
}

const NEXT_STEP: Record<World, string> = {
  real: "choose another DATA_DIR or DATABASE_URL",
  sandbox:
    "choose another DATA_DIR or DATABASE_URL (a database that an earlier version filled from a sandbox in another process belongs to the real world too: begin a new one)",
};

function hostOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return "an unreadable address";
  }
}
