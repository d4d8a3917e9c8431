import type { Sql } from "postgres";

type Client = Pick<Sql, "unsafe" | "begin">;
/** Within a transaction; a savepoint has one, too. */
interface Scope {
  unsafe: Sql["unsafe"];
  savepoint(work: (inner: Scope) => Promise<unknown>): Promise<unknown>;
}

/**
 * Statements with parameters are parsed and planned once a connection, and then only executed. Their
 * texts are those of the code: values are never written into them, so that there are few. Those of a
 * transaction reach the server in the order in which they are issued, whether awaited in between or
 * not; issued together they travel in one packet.
 */
export function withPreparedStatements(client: Sql): Sql {
  const begin: Client["begin"] = (...args: unknown[]) => {
    const work = args.pop() as (scope: Scope) => Promise<unknown>; // the last argument is the work
    const run = (scope: Scope) => whileOpen(scope, work);
    return (client.begin as (...all: unknown[]) => never)(...args, run);
  };
  return override(client, { unsafe: preparing(client.unsafe), begin } as Partial<Sql>);
}

/** What is issued after the work has ended would run outside its transaction: it is refused. */
async function whileOpen(scope: Scope, work: (scope: Scope) => Promise<unknown>): Promise<unknown> {
  let isOpen = true;
  const prepared = preparing(scope.unsafe);
  const unsafe: Sql["unsafe"] = (query, parameters, options) => {
    if (!isOpen) throw new Error("the transaction is over: nothing more can be part of it");
    const issued = prepared(query, parameters, options);
    issued.execute();
    return issued as never; // of the caller's row type
  };
  const savepoint: Scope["savepoint"] = (inner) =>
    scope.savepoint((within) => whileOpen(within, inner));
  try {
    return await work(override(scope, { unsafe, savepoint }));
  } finally {
    isOpen = false;
  }
}

/** The query builder says by itself that nothing is to be prepared. */
function preparing(unsafe: Sql["unsafe"]): Sql["unsafe"] {
  return (query, parameters, options) => unsafe(query, parameters, { ...options, prepare: true });
}

/** The same callable object with some of its members replaced. */
function override<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get: (of, name) => (Object.hasOwn(own, name) ? Reflect.get(own, name) : Reflect.get(of, name)),
  });
}
