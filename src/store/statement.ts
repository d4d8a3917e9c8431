import { type Column, type InferInsertModel, is, Param, Placeholder, sql } from "drizzle-orm";
import { PgDatabase, PgDialect, type PgSession, type PgTable } from "drizzle-orm/pg-core";
import type { Db, Tx } from "./db.ts";

/** Stands in a query for a value that comes later; `column`: written as that column writes it. */
export type ValueAt<Values> = (name: keyof Values & string, column?: Column) => Param | Placeholder;

/** Any query of the builder. */
interface Preparable<Result> {
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Result> };
}

/**
 * A query of the builder whose text is built once, not at each call: building costs more than
 * sending. It is issued when it is called, in whatever transaction, not when it is awaited. Where the
 * text depends on the values, as with a list, it is none of these.
 */
export function statement<Values extends Record<string, unknown>, Result>(
  build: (on: Db, value: ValueAt<Values>) => Preparable<Result>,
): (tx: Tx, values: Values) => Promise<Result> {
  let text: Text | undefined;
  return (tx, values) => {
    text ??= textOf((on) => build(on, valueAt));
    return run(tx, text, values) as Promise<Result>; // with the fields of the built query
  };
}

/** More rows at once are rare, and each count is a text of its own. */
const MOST_ROWS = 16;
const inserts = new WeakMap<PgTable, Map<string, Text>>();

/** Plain values only; which columns are given decides the text. No row: nothing is done. */
export async function insertRows<Table extends PgTable>(
  tx: Tx,
  table: Table,
  rows: readonly InferInsertModel<Table>[],
): Promise<void> {
  if (rows.length === 0) return;
  if (rows.length > MOST_ROWS) {
    await tx.insert(table).values([...rows] as never); // the same rows, of an open type
    return;
  }
  const values: Record<string, unknown> = {};
  const shapes = rows.map((row, at) => {
    const given = Object.entries(row).filter(([, value]) => value !== undefined);
    for (const [name, value] of given) values[`${at} ${name}`] = value;
    return given.map(([name]) => name);
  });
  await run(tx, insertText(table, shapes), values);
}

function insertText(table: PgTable, shapes: readonly string[][]): Text {
  const texts = inserts.get(table) ?? new Map<string, Text>();
  inserts.set(table, texts);
  const key = shapes.map((names) => names.join()).join(";");
  const known = texts.get(key);
  if (known) return known;
  const rows = shapes.map((names, at) =>
    Object.fromEntries(names.map((name) => [name, sql.placeholder(`${at} ${name}`)])),
  );
  const text = textOf((on) => on.insert(table).values(rows as never)); // places instead of values
  texts.set(key, text);
  return text;
}

type PrepareArgs = Parameters<PgSession["prepareQuery"]>;

/** What the builder makes of a query, in the driver's terms. */
interface Text {
  query: PrepareArgs[0];
  /** What each of its parameters is, given the values. */
  params: ((values: Record<string, unknown>) => unknown)[];
  rest: [PrepareArgs[1], PrepareArgs[2], PrepareArgs[3], ...unknown[]];
  /** What it adds to the prepared query afterwards. */
  joins: unknown;
}

interface Prepared {
  joinsNotNullableMap?: unknown;
  setToken(): Prepared;
  execute(): Promise<unknown>;
}

/** Builds on a database that only takes the text down. */
function textOf(build: (on: Db) => Preparable<unknown>): Text {
  let taken: unknown[] = [];
  const prepared: Prepared = { setToken: () => prepared, execute: () => Promise.reject() };
  const session = {
    prepareQuery(...args: unknown[]) {
      taken = args;
      return prepared;
    },
  };
  build(new PgDatabase(new PgDialect(), session as never, undefined) as unknown as Db).prepare("");
  const [query, ...rest] = taken as [Text["query"], ...Text["rest"]];
  return { query, params: query.params.map(paramOf), rest, joins: prepared.joinsNotNullableMap };
}

function run(tx: Tx, text: Text, values: Record<string, unknown>): Promise<unknown> {
  const { query, rest, joins } = text;
  const params = text.params.map((param) => param(values));
  const { session } = tx._ as unknown as {
    session: { prepareQuery(...args: unknown[]): Prepared };
  };
  const prepared = session.prepareQuery({ ...query, params }, ...rest);
  prepared.joinsNotNullableMap = joins;
  return prepared.execute();
}

function paramOf(param: unknown): Text["params"][number] {
  if (is(param, Placeholder)) return (values) => values[param.name];
  if (!is(param, Param) || !is(param.value, Placeholder)) return () => param;
  const { encoder } = param;
  const { name } = param.value;
  return (values) => {
    const value = values[name];
    return value === null ? null : encoder.mapToDriverValue(value);
  };
}

function valueAt(name: string, column?: Column): Param | Placeholder {
  return column ? new Param(sql.placeholder(name), column) : sql.placeholder(name);
}
