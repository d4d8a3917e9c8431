import type { PGlite } from "@electric-sql/pglite";
import { executeText, type Tx, toRows } from "./db.ts";

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
      const params: unknown[] = [];
      const written = text.replace(/\$\d+/g, (place) =>
        literal(values[Number(place.slice(1)) - 1], params),
      );
      return { rows: toRows<never>(await executeText(tx, written, params)) };
    },
  };
}

/** What stands for the value in the text; its place in `params` when it is one of them. */
function literal(value: unknown, params: unknown[]): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `$${params.push(value)}`;
  return `($${params.push(typeof value === "object" ? JSON.stringify(value) : String(value))}::text)`;
}
