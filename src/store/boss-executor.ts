import type { PGlite } from "@electric-sql/pglite";
import { type SQL, sql } from "drizzle-orm";
import { type Tx, toRows } from "./db.ts";

/** What the queue engine needs of a database connection. */
export interface SqlExecutor {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: never[] }>;
}

/** The queue engine shares the embedded database's one connection. */
export function embeddedExecutor(engine: PGlite): SqlExecutor {
  return {
    async executeSql(text, values) {
      if (values && values.length > 0) return engine.query<never>(text, values);
      try {
        const results = await engine.exec(text);
        return { rows: results.flatMap((result) => result.rows) as never[] };
      } catch (error) {
        // a failed BEGIN … COMMIT block leaves the only connection inside its transaction
        await engine.query("ROLLBACK").catch(() => {});
        throw error;
      }
    },
  };
}

/** Runs the queue engine's statements inside the caller's transaction. */
export function transactionExecutor(tx: Tx): SqlExecutor {
  return {
    async executeSql(text, values = []) {
      const parts = text.split(/(\$\d+)/).map((part): SQL => {
        if (!/^\$\d+$/.test(part)) return sql.raw(part);
        return sql`${sql.param(bindable(values[Number(part.slice(1)) - 1]))}`;
      });
      return { rows: toRows<never>(await tx.execute(sql.join(parts))) };
    },
  };
}

function bindable(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "object" && !(value instanceof Date) && !Array.isArray(value))
    return JSON.stringify(value);
  return value;
}
