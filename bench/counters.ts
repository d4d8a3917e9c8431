import { AsyncLocalStorage } from "node:async_hooks";
import { sql } from "drizzle-orm";
import { type Db, queryRows, type Tx } from "../src/store/db.ts";

/** Whose transaction it is; what has no name is the queue's, the delivery's or the intake's. */
export type Worker = "engine" | "desk";

export interface Counts {
  /** Transactions that wrote, by whose they are. */
  commits: Map<Worker | "rest", number>;
  /** Transactions that only read. */
  reads: number;
  statements: number;
}

export interface Counters {
  counts(): Counts;
  /** Begins to count, from nothing. */
  begin(): void;
  end(): void;
  as<T>(worker: Worker, work: () => Promise<T>): Promise<T>;
  /** What is set off here is nobody's in particular. */
  apart(work: () => void): void;
}

/**
 * Counts on the handle itself, from outside the product: the server is asked at the end of each
 * transaction whether it wrote. The question is not counted as a statement.
 */
export function countOn(db: Db): Counters {
  const who = new AsyncLocalStorage<Worker>();
  let counts = noCounts();
  let isOn = false;
  const transaction = db.transaction.bind(db);
  db.transaction = (work, config) =>
    transaction(async (tx) => {
      if (!isOn) return work(tx);
      const by = who.getStore() ?? "rest";
      const ask = countStatements(tx, () => {
        counts.statements += 1;
      });
      counts.statements += 2; // BEGIN and COMMIT
      const done = await work(tx);
      if (await ask()) counts.commits.set(by, (counts.commits.get(by) ?? 0) + 1);
      else counts.reads += 1;
      return done;
    }, config);
  return {
    counts: () => counts,
    begin() {
      counts = noCounts();
      isOn = true;
    },
    end() {
      isOn = false;
    },
    as: (worker, work) => who.run(worker, work),
    apart: (work) => who.exit(work),
  };
}

function noCounts(): Counts {
  return { commits: new Map(), reads: 0, statements: 0 };
}

/** The part of a handle through which every statement goes. */
interface Session {
  prepareQuery(...args: unknown[]): unknown;
}

/** Answers whether the transaction has written so far, without being counted itself. */
function countStatements(tx: Tx, count: () => void): () => Promise<boolean> {
  const { session } = tx as unknown as { session: Session }; // not typed, and of every handle
  const prepare = session.prepareQuery.bind(session);
  let isCounted = true;
  session.prepareQuery = (...args) => {
    if (isCounted) count();
    return prepare(...args);
  };
  countSavepoints(tx, count);
  return async () => {
    isCounted = false;
    const [row] = await queryRows<{ wrote: boolean }>(
      tx,
      sql`select pg_current_xact_id_if_assigned() is not null as wrote`,
    );
    return row?.wrote === true;
  };
}

function countSavepoints(tx: Tx, count: () => void): void {
  const nested = tx.transaction.bind(tx);
  tx.transaction = (work) =>
    nested((inner) => {
      countStatements(inner, count);
      count(); // SAVEPOINT
      count(); // RELEASE
      return work(inner);
    });
}
