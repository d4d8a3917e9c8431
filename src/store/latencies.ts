import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { latencyLog } from "./schema/runs.ts";
import { insertRows } from "./statement.ts";

/** `queue`: from being due to being taken. `approval`: from being asked to being decided. */
export type LatencyComponent = "model" | "tool" | "queue" | "approval";

/** Milliseconds of real time that one part has taken. */
export type LatencyRow = Omit<typeof latencyLog.$inferInsert, "id" | "component"> & {
  component: LatencyComponent;
};

/** For measuring alone: nothing decides by it. */
export async function insertLatencies(tx: Tx, rows: readonly LatencyRow[]): Promise<void> {
  await insertRows(
    tx,
    latencyLog,
    rows.map((row) => ({ id: newId(), ...row })),
  );
}

/** How long people took to decide; expiry and cancelling are no decisions. */
export function approvalDelay(
  approval: { tenantId: string; runId: string | null; toolName: string; createdAt: number },
  decidedAt: number,
  now = decidedAt,
): LatencyRow {
  const { tenantId, runId, toolName, createdAt: askedAt } = approval;
  return {
    ...{ tenantId, runId, component: "approval", operation: toolName, createdAt: now },
    latencyMs: Math.max(0, decidedAt - askedAt),
  };
}
