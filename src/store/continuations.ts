import { and, eq } from "drizzle-orm";
import type { Jobs } from "../domain/jobs.ts";
import type { Tx } from "./db.ts";
import { runs } from "./schema/runs.ts";

/** A continuation that waits for a reason starts now. */
export async function startContinuationNow(
  tx: Tx,
  jobs: Jobs<Tx>,
  which: { tenantId: string; approvalId: string; now: number },
): Promise<void> {
  const started = await tx
    .update(runs)
    .set({ dueAt: which.now })
    .where(
      and(
        eq(runs.tenantId, which.tenantId),
        eq(runs.approvalId, which.approvalId),
        eq(runs.status, "queued"),
      ),
    )
    .returning({ id: runs.id });
  for (const { id } of started) await jobs.enqueue(tx, "run", { tenantId: which.tenantId, id });
}
