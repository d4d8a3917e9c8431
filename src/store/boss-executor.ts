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
 * in its text becomes two here, and PostgreSQL would guess their types apart: all go as text.
 */
export function transactionExecutor(tx: Tx): SqlExecutor {
  return {
    async executeSql(text, values = []) {
      const parts = text.split(/(\$\d+)/).map((part): SQL => {
        if (!/^\$\d+$/.test(part)) return sql.raw(part);
        const value = values[Number(part.slice(1)) - 1];
        return Array.isArray(value) ? sql`${sql.param(value)}` : sql`(${asText(value)}::text)`;
      });
      return { rows: toRows<never>(await tx.execute(sql.join(parts))) };
    },
  };
}

function asText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
