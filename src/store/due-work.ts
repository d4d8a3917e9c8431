import { sql } from "drizzle-orm";
import type { JobKind } from "../domain/jobs.ts";
import { type Db, queryRows, withSystem } from "./db.ts";

export interface DueWork {
  kind: JobKind;
  tenantId: string;
  id: string;
}

/** Ids of all that is due in product time and has no live lease (real time); at most 500 a kind. */
export function findDueWork(db: Db, at: { now: number; realNow: number }): Promise<DueWork[]> {
  const now = new Date(at.now).toISOString();
  const real = new Date(at.realNow).toISOString();
  return withSystem(db, (tx) =>
    queryRows<DueWork>(
      tx,
      sql`(select 'run' as kind, tenant_id as "tenantId", id from runs
            where (status in ('queued', 'waiting_retry') and due_at <= ${now}::timestamptz)
               or (status = 'running' and lease_until < ${real}::timestamptz) limit 500)
          union all
          (select 'execution', tenant_id, id from tool_execution_queue
            where (status in ('queued', 'retry_scheduled') and run_after <= ${now}::timestamptz)
               or (status = 'unknown' and run_after <= ${now}::timestamptz
                   and (lease_until is null or lease_until < ${real}::timestamptz))
               or (status = 'running' and has_side_effect and lease_until < ${real}::timestamptz) limit 500)
          union all
          (select 'approval', tenant_id, id from approval_queue
            where status in ('pending', 'frozen') and next_step_at <= ${now}::timestamptz limit 500)
          union all
          (select 'desk', tenant_id, id from inbox
            where status = 'new' and received_at <= ${now}::timestamptz - interval '2 seconds' limit 500)`,
    ),
  );
}

export interface OpenWork {
  /** Short names of what is active or due before `until` (product time). */
  waiting: string[];
  /** When the next thing after that is due, product time. */
  nextDueAt: number | null;
}

/** What keeps the product from being idle. A parked approval is no work. */
export async function findOpenWork(db: Db, until: number): Promise<OpenWork> {
  const rows = await withSystem(db, (tx) =>
    queryRows<{ name: string; due: string | null; active: boolean }>(
      tx,
      sql`(select 'run ' || id as name, due_at as due, status = 'running' as active from runs
            where status in ('queued', 'running', 'waiting_retry'))
          union all
          (select 'execution ' || id, run_after, status = 'running' from tool_execution_queue
            where status in ('queued', 'running', 'retry_scheduled', 'unknown'))
          union all
          -- a row waits for those before it in its chat, too
          (select 'outbox ' || id, max(due_at) over (
              partition by channel_id, chat_id, purpose = 'mirror' order by seq),
              status = 'sending' from outbox
            where status in ('queued', 'sending'))
          union all
          (select 'inbox ' || id, received_at, true from inbox where status = 'new')
          union all
          (select 'approval ' || id, next_step_at, false from approval_queue
            where status in ('pending', 'frozen') and next_step_at is not null)`,
    ),
  );
  const waiting: string[] = [];
  let nextDueAt: number | null = null;
  for (const row of rows) {
    const due = row.due === null ? 0 : new Date(row.due).getTime();
    if (row.active || due <= until) waiting.push(row.name);
    else if (nextDueAt === null || due < nextDueAt) nextDueAt = due;
  }
  return { waiting, nextDueAt };
}
