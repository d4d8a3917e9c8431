import { type SQL, sql } from "drizzle-orm";
import { canonicalDecimal } from "../domain/money.ts";
import { queryRows, type Tx } from "./db.ts";

/** Days are UTC. Latencies in milliseconds; null: none was measured. */
export interface ModelUsage {
  modelId: string;
  operation: string;
  day: string;
  calls: number;
  failed: number;
  /** null: the provider counted nothing. */
  inputTokens: number | null;
  outputTokens: number | null;
  /** Decimal; null: no price was known. */
  costUsd: string | null;
  latencyAvgMs: number | null;
  latencyP95Ms: number | null;
}

export interface ToolUsage {
  toolName: string;
  day: string;
  /** Executions that have ended. */
  calls: number;
  failed: number;
  latencyAvgMs: number | null;
  latencyP95Ms: number | null;
  /** Of services that it asked. */
  costUsd: string | null;
}

export interface CostSum {
  costType: string;
  currency: string;
  amount: string;
}

export interface LatencySum {
  component: string;
  avgMs: number;
  p95Ms: number;
}

interface Since {
  tenantId: string;
  since: number;
}

const DAY = sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`;

function isSince(of: Since): SQL {
  return sql`tenant_id = ${of.tenantId} and created_at >= ${new Date(of.since).toISOString()}::timestamptz`;
}

/**
 * A cost row names no model: it is that of the newest call of its run before it, as it is written
 * right after that call. Newest day first.
 */
export async function modelUsage(tx: Tx, of: Since): Promise<ModelUsage[]> {
  const rows = await queryRows<ModelUsage>(
    tx,
    sql`with made as (
          select id, model_id, operation, ${DAY} as day, status, input_tokens, output_tokens, latency_ms
          from model_call_log where ${isSince(of)}
        ), paid as (
          select m.id, sum(c.amount) as amount
          from (select * from cost_log where ${isSince(of)}
            and cost_type in ('model', 'model_retry') and currency = 'USD') c
          cross join lateral (
            select id from model_call_log m
            where m.tenant_id = c.tenant_id and m.run_id is not distinct from c.run_id
              and m.provider = c.provider and m.created_at <= c.created_at
            order by m.created_at desc, m.id desc limit 1) m
          group by m.id
        )
        select model_id as "modelId", operation, day, count(*)::int as calls,
          (count(*) filter (where status <> 'ok'))::int as failed,
          sum(input_tokens)::float8 as "inputTokens", sum(output_tokens)::float8 as "outputTokens",
          sum(amount)::text as "costUsd", ${average("latency_ms")} as "latencyAvgMs",
          ${p95("latency_ms")} as "latencyP95Ms"
        from made left join paid using (id)
        group by model_id, operation, day order by day desc, model_id, operation`,
  );
  return rows.map((row) => ({ ...row, costUsd: decimalOrNull(row.costUsd) }));
}

/** Newest day first. What waited for people is no latency of a tool. */
export async function toolUsage(tx: Tx, of: Since): Promise<ToolUsage[]> {
  const rows = await queryRows<ToolUsage>(
    tx,
    sql`with ended as (
          select tool_name, ${DAY} as day, count(*)::int as calls,
            (count(*) filter (where status <> 'completed'))::int as failed
          from tool_result_log where ${isSince(of)} and status <> 'pending' group by 1, 2
        ), measured as (
          select operation as tool_name, ${DAY} as day, ${average("latency_ms")} as average,
            ${p95("latency_ms")} as p95
          from latency_log where ${isSince(of)} and component = 'tool'
            and right(operation, 8) <> '.look_up' group by 1, 2
        ), paid as (
          select e.tool_name, ${DAY} as day, sum(c.amount)::text as amount
          from cost_log c
          cross join lateral (
            select tool_name from external_api_log e
            where e.tenant_id = c.tenant_id and e.run_id is not distinct from c.run_id
              and e.provider = c.provider and e.created_at = c.created_at
              and e.tool_name is not null
            order by e.id limit 1) e
          where ${isSince(of)} and cost_type in ('outside', 'outside_retry') and currency = 'USD'
          group by 1, 2
        )
        select tool_name as "toolName", day, coalesce(calls, 0) as calls,
          coalesce(failed, 0) as failed, average as "latencyAvgMs", p95 as "latencyP95Ms",
          amount as "costUsd"
        from ended full join measured using (tool_name, day) full join paid using (tool_name, day)
        order by day desc, tool_name`,
  );
  return rows.map((row) => ({ ...row, costUsd: decimalOrNull(row.costUsd) }));
}

export async function costSums(tx: Tx, of: Since): Promise<CostSum[]> {
  const rows = await queryRows<CostSum>(
    tx,
    sql`select cost_type as "costType", currency, sum(amount)::text as amount
        from cost_log where ${isSince(of)} group by 1, 2 order by 1, 2`,
  );
  return rows.map((row) => ({ ...row, amount: canonicalDecimal(row.amount) }));
}

export function latencySums(tx: Tx, of: Since): Promise<LatencySum[]> {
  return queryRows<LatencySum>(
    tx,
    sql`select component, ${average("latency_ms")} as "avgMs", ${p95("latency_ms")} as "p95Ms"
        from latency_log where ${isSince(of)} group by 1 order by 1`,
  );
}

/** An approval may take months: more than 32 bits of milliseconds. */
function average(column: string): SQL {
  return sql`round(avg(${sql.identifier(column)}))::float8`;
}

function p95(column: string): SQL {
  const inOrder = sql`within group (order by ${sql.identifier(column)})`;
  return sql`round(percentile_cont(0.95) ${inOrder})::float8`;
}

function decimalOrNull(text: string | null): string | null {
  return text === null ? null : canonicalDecimal(text);
}
