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

/**
 * Runs the queue engine's statements inside the caller's transaction. A parameter that stands twice
 * in its text would become two of different guessed types here: texts are cast, numbers and nulls
 * are written out.
 */
export function transactionExecutor(tx: Tx): SqlExecutor {
  return {
    async executeSql(text, values = []) {
      const parts = text.split(/(\$\d+)/).map((part): SQL => {
        if (!/^\$\d+$/.test(part)) return sql.raw(part);
        return literal(values[Number(part.slice(1)) - 1]);
      });
      return { rows: toRows<never>(await tx.execute(sql.join(parts))) };
    },
  };
}

function literal(value: unknown): SQL {
  if (value === undefined || value === null) return sql.raw("null");
  if (typeof value === "number" || typeof value === "boolean") return sql.raw(String(value));
  if (Array.isArray(value)) return sql`${sql.param(value)}`;
  return sql`(${typeof value === "object" ? JSON.stringify(value) : String(value)}::text)`;
}
