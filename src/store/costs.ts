import { sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import { canonicalDecimal } from "../domain/money.ts";
import { queryRows, type Tx } from "./db.ts";
import type { LatencyComponent } from "./latencies.ts";
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

export interface Slowness {
  component: LatencyComponent;
  count: number;
  totalMs: number;
  meanMs: number;
  p95Ms: number;
}

export interface Spending {
  /** The model, or services that tools ask. */
  component: "model" | "tool";
  /** USD, decimal. */
  amount: string;
  retries: string;
  /** In runs that came to nothing. */
  failedRuns: string;
}

export interface Effort {
  slowness: Slowness[];
  spending: Spending[];
  /** null: nothing was measured, or nothing has a price. */
  slower: "model" | "tool" | null;
  dearer: "model" | "tool" | null;
}

/** Which is dearer and which slower since a moment, the model or the tools. */
export async function effortSince(
  tx: Tx,
  of: { tenantId: string; since: number },
): Promise<Effort> {
  const slowness = await slownessSince(tx, of);
  const spending = await spendingSince(tx, of);
  const timeOf = (component: string) =>
    slowness.find((one) => one.component === component)?.totalMs ?? 0;
  const amountOf = (component: string) =>
    Number(spending.find((one) => one.component === component)?.amount ?? 0);
  return {
    slowness,
    spending,
    slower: larger(timeOf("model"), timeOf("tool")),
    dearer: larger(amountOf("model"), amountOf("tool")),
  };
}

function larger(model: number, tool: number): "model" | "tool" | null {
  if (model === 0 && tool === 0) return null;
  return model >= tool ? "model" : "tool";
}

function slownessSince(tx: Tx, { tenantId, since }: { tenantId: string; since: number }) {
  return queryRows<Slowness>(
    tx,
    sql`select component, count(*)::int as count, sum(latency_ms)::float8 as "totalMs",
          round(avg(latency_ms))::int as "meanMs",
          round(percentile_cont(0.95) within group (order by latency_ms))::int as "p95Ms"
        from latency_log
        where tenant_id = ${tenantId} and created_at >= ${new Date(since).toISOString()}::timestamptz
        group by component order by component`,
  );
}

async function spendingSince(
  tx: Tx,
  { tenantId, since }: { tenantId: string; since: number },
): Promise<Spending[]> {
  const rows = await queryRows<Spending>(
    tx,
    sql`select case when c.cost_type in ('model', 'model_retry') then 'model' else 'tool' end as component,
          sum(c.amount)::text as amount,
          coalesce(sum(c.amount) filter (where c.cost_type in ('model_retry', 'outside_retry')), 0)::text as retries,
          coalesce(sum(c.amount) filter (where r.status in ('failed', 'exhausted')), 0)::text as "failedRuns"
        from cost_log c left join runs r on r.tenant_id = c.tenant_id and r.id = c.run_id
        where c.tenant_id = ${tenantId} and c.created_at >= ${new Date(since).toISOString()}::timestamptz
        group by 1 order by 1`,
  );
  return rows.map((row) => ({
    component: row.component,
    amount: canonicalDecimal(row.amount),
    retries: canonicalDecimal(row.retries),
    failedRuns: canonicalDecimal(row.failedRuns),
  }));
}
