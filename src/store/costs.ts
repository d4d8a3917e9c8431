import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { costLog } from "./schema/runs.ts";
import { insertRows } from "./statement.ts";

/** `…_retry`: only because an earlier attempt had failed. */
export type CostType = "model" | "model_retry" | "outside" | "outside_retry";

/** An amount as decimal text, and what it was paid for. */
export type CostRow = Omit<typeof costLog.$inferInsert, "id" | "costType"> & {
  costType: CostType;
};

export async function insertCosts(tx: Tx, rows: readonly CostRow[]): Promise<void> {
  await insertRows(
    tx,
    costLog,
    rows.map((row) => ({ id: newId(), ...row })),
  );
}
