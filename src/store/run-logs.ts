import { type CostRow, insertCosts } from "./costs.ts";
import type { Tx } from "./db.ts";
import { type ErrorRow, insertErrors } from "./errors.ts";
import { insertLatencies, type LatencyRow } from "./latencies.ts";
import { insertModelCalls, type ModelCallRow } from "./model-calls.ts";
import { insertOutsideCalls, type OutsideCallRow } from "./outside-calls.ts";

/** What was measured and has still to be written: it goes into the next transaction of the work. */
export interface Logs {
  modelCalls: ModelCallRow[];
  latencies: LatencyRow[];
  costs: CostRow[];
  errors: ErrorRow[];
  outsideCalls: OutsideCallRow[];
}

/** Filled while a turn works and written with its next transaction. */
export function noLogs(): Logs {
  return { modelCalls: [], latencies: [], costs: [], errors: [], outsideCalls: [] };
}

/** One statement a table, and none for a table that nothing goes into; they go to the server together. */
export async function writeLogs(tx: Tx, logs: Logs): Promise<void> {
  await Promise.all([
    insertModelCalls(tx, logs.modelCalls),
    insertLatencies(tx, logs.latencies),
    insertCosts(tx, logs.costs),
    insertErrors(tx, logs.errors),
    insertOutsideCalls(tx, logs.outsideCalls),
  ]);
}
