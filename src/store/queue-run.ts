import { sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Jobs } from "../domain/jobs.ts";
import { queryRows, type Tx } from "./db.ts";

export interface QueueRun {
  jobs: Jobs<Tx>;
  tenantId: string;
  conversationId: string;
  now: number;
  coalesceMs: number;
}

/** A burst waits for this many quiet times at most. */
const LONGEST_BURST = 4;

/**
 * The conversation's queued run takes the message in, or a new one is queued. It starts
 * `coalesceMs` after the last message, at most four times that after the first.
 */
export async function queueRun(tx: Tx, run: QueueRun): Promise<void> {
  const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
  const rows = await queryRows<{ id: string; due_at: string }>(
    tx,
    sql`insert into runs (id, tenant_id, conversation_id, kind, status, due_at, first_message_at, created_at)
        values (${newId()}, ${run.tenantId}, ${run.conversationId}, 'message', 'queued',
                ${at(run.now + run.coalesceMs)}, ${at(run.now)}, ${at(run.now)})
        on conflict (tenant_id, conversation_id) where status = 'queued' and kind = 'message'
        do update set due_at = least(excluded.due_at,
          runs.first_message_at + ${`${run.coalesceMs * LONGEST_BURST} milliseconds`}::interval)
        returning id, due_at`,
  );
  const row = rows[0];
  if (!row) throw new Error("a queued run could not be written");
  const wait = Math.max(0, new Date(row.due_at).getTime() - run.now);
  await run.jobs.enqueue(tx, "run", { tenantId: run.tenantId, id: row.id }, wait);
}
