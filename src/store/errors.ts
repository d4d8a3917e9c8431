import { type FailureClass, RETRYABLE_FAILURES } from "../domain/failure.ts";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { errorLog } from "./schema/runs.ts";
import { storable } from "./storable.ts";

/** One failure, as the log of errors keeps it; expected refusals are none. */
export interface ErrorRow {
  tenantId: string;
  runId: string | null;
  executionId?: string | null;
  toolName?: string | null;
  component: "model" | "tool" | "look_up" | "run";
  /** `budget_spent`: time, attempts or model calls ran out. `defect`: a bug, or a lost worker. */
  errorClass: FailureClass | "budget_spent" | "defect";
  errorCode: string;
  /** Ours, one line: what others answered stays out of the log. */
  errorMessage: string;
  /** Which attempt it was, from 1. */
  attempt: number;
  createdAt: number;
}

/** The class says whether it may be tried again. */
export async function insertErrors(tx: Tx, rows: readonly ErrorRow[]): Promise<void> {
  if (rows.length > 0)
    await tx.insert(errorLog).values(
      rows.map((row) => ({
        id: newId(),
        ...storable(row),
        retryable: RETRYABLE_FAILURES.some((one) => one === row.errorClass),
      })),
    );
}
