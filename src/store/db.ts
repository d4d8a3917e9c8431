import type { SQL } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";

/** One type for both drivers: the embedded database and PostgreSQL. */
export type Db = PgDatabase<PgQueryResultHKT, Record<string, never>>;
/**
 * A transaction, and the only thing a function of the store may query by. Its role says what it can
 * see.
 */
export type Tx = Parameters<Parameters<Db["transaction"]>[0]>[0];

/** Roles that never bypass row-level security. The session user only migrates and queues. */
const TENANT_ROLE = "app_rw";
const SYSTEM_ROLE = "app_system";

interface Hooks {
  database: WeakKey;
  /** Run at the end of the transaction, inside it; one of each name. */
  before: Map<string, (tx: Tx) => Promise<unknown>>;
  after: (() => void)[];
}

const hooksOf = new WeakMap<object, Hooks>();

/**
 * A transaction that sees and writes the rows of one tenant. Everything inside must use the
 * `tx` it is given: on the embedded database the outer handle would wait for ever.
 */
export function withTenant<T>(db: Db, tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inRole(db, { role: TENANT_ROLE, tenantId }, work);
}

/** A deadlock, and a transaction that came after one of the same rows. */
const TAKEN_BACK: readonly unknown[] = ["40P01", "40001"];
const MOST_TRIES = 3;

/**
 * As `withTenant`; from the beginning when the database took it back for another transaction's sake.
 * The work asks nobody outside: it may run several times, and what waits for the commit runs once.
 */
export async function withTenantRetried<T>(
  db: Db,
  tenantId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await withTenant(db, tenantId, work);
    } catch (error) {
      if (tries === MOST_TRIES || !TAKEN_BACK.includes(sqlState(error))) throw error;
    }
  }
}

/** Finds ids, states and due times across tenants; may write nothing. */
export function withSystem<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inRole(db, { role: SYSTEM_ROLE, tenantId: "" }, work);
}

/** Tables without tenant: tenants, channels, tokens. Runs as the session user. */
export function withOwner<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withHooks(db, work);
}

/** Runs once the transaction is committed, in order; not at all when it is rolled back. */
export function afterCommit(tx: Tx, hook: () => void): void {
  hooksFor(tx).after.push(hook);
}

/** Runs at the end of the transaction, with others of its kind; a later one of the name replaces it. */
export function beforeCommit(tx: Tx, name: string, hook: (tx: Tx) => Promise<unknown>): void {
  hooksFor(tx).before.set(name, hook);
}

/** Which database the transaction is on: to look up what is kept beside it, never to query. */
export function databaseOf(tx: Tx): WeakKey {
  return hooksFor(tx).database;
}

/** A part that is taken back alone when it fails; what it wants done at the commit goes, too. */
export async function withSavepoint<T>(tx: Tx, work: (inner: Tx) => Promise<T>): Promise<T> {
  const hooks = noHooks(databaseOf(tx));
  const result = await tx.transaction((inner) => {
    hooksOf.set(inner, hooks);
    return work(inner);
  });
  for (const [name, hook] of hooks.before) beforeCommit(tx, name, hook);
  for (const hook of hooks.after) afterCommit(tx, hook);
  return result;
}

function noHooks(database: WeakKey): Hooks {
  return { database, before: new Map(), after: [] };
}

function hooksFor(tx: Tx): Hooks {
  const hooks = hooksOf.get(tx);
  if (!hooks) throw new Error("hooks need the transaction that withTenant gave");
  return hooks;
}

/** Raw rows of either driver. */
export function toRows<Row>(result: unknown): Row[] {
  if (Array.isArray(result)) return result as Row[];
  return (result as { rows: Row[] }).rows; // PGlite's shape
}

export async function queryRows<Row>(tx: Db | Tx, query: SQL): Promise<Row[]> {
  return toRows<Row>(await tx.execute(query));
}

/** As it stands, with $1 … for its parameters; issued when this is called. Rows: see `toRows`. */
export function executeText(tx: Tx, text: string, params: unknown[]): Promise<unknown> {
  return tx._.session.prepareQuery({ sql: text, params }, undefined, undefined, false).execute();
}

/** SQLSTATE of a database error; drivers keep it in `cause`. */
export function sqlState(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return undefined;
}

/** Code of PostgreSQL's error. */
export const UNIQUE_VIOLATION = "23505";

function inRole<T>(
  db: Db,
  as: { role: string; tenantId: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return withHooks(db, async (tx) => {
    // The first statement of the work travels along. It runs after this one, or not at all: when
    // this one fails, the transaction takes no other.
    const [entered, done] = await Promise.allSettled([enter(tx, as), work(tx)]);
    if (entered.status === "rejected") throw entered.reason;
    if (done.status === "rejected") throw done.reason;
    return done.value;
  });
}

/** Issued when it is called, not when it is awaited. */
function enter(tx: Tx, { role, tenantId }: { role: string; tenantId: string }): Promise<unknown> {
  return executeText(tx, ENTER, [role, tenantId]);
}

const ENTER = "select set_config('role', $1, true), set_config('app.tenant_id', $2, true)";

async function withHooks<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const hooks = noHooks(db);
  const result = await db.transaction(async (tx) => {
    hooksOf.set(tx, hooks);
    const done = await work(tx);
    while (hooks.before.size > 0) {
      const due = [...hooks.before.values()];
      hooks.before.clear(); // what these add comes after them
      await Promise.all(due.map((hook) => hook(tx)));
    }
    return done;
  });
  for (const hook of hooks.after) hook();
  return result;
}
