import { type SQL, sql } from "drizzle-orm";
import { canonicalDecimal } from "../domain/money.ts";
import { queryRows, type Tx } from "./db.ts";

/** Attempts at models, failed ones too. Latencies in milliseconds; null: none was measured. */
export interface ModelFigures {
  calls: number;
  failed: number;
  /** Given up by the caller; their latency counts nowhere. */
  superseded: number;
  /** Answers with a tool call. */
  toolCalling: number;
  /** Answers whose price is not known. */
  unpriced: number;
  /** null: the provider counted nothing. */
  inputTokens: number | null;
  outputTokens: number | null;
  /** Decimal; null: no price was known. */
  costUsd: string | null;
  latencyAvgMs: number | null;
  latencyP95Ms: number | null;
  /** Attempts with a verdict, and the mean of the verdicts, 0 to 1. */
  scored: number;
  scoreMean: number | null;
}

/** The model's name in MODELS_FILE, and as its endpoint names it. */
interface OfModel {
  llmName: string;
  modelId: string;
}

/** Days are UTC. All lists have the newest day first, then names. */
export interface ModelUsage {
  model: (OfModel & { operation: string; day: string } & ModelFigures)[];
  byModelAndDay: (OfModel & { day: string } & ModelFigures)[];
  byModel: (OfModel & ModelFigures)[];
  byOperation: ({ operation: string } & ModelFigures)[];
  byDay: ({ day: string } & ModelFigures)[];
  total: ModelFigures;
}

/** Of one tool, on one day or in all. */
export interface ToolUsage {
  toolName: string;
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
  /** Of it, what runs cost that came to nothing. */
  failedRuns: string;
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

/** Each with the columns that it is grouped by; bits of `grouping`, see `modelUsage`. */
const GROUPS = {
  model: 0b000,
  byModelAndDay: 0b010,
  byModel: 0b011,
  byOperation: 0b101,
  byDay: 0b110,
  total: 0b111,
} as const;

type GroupedRow = OfModel & { operation: string; day: string; group: number } & ModelFigures;

/** A percentile of percentiles is none: every total comes from the rows themselves. */
export async function modelUsage(tx: Tx, of: Since): Promise<ModelUsage> {
  const rows = await queryRows<GroupedRow>(
    tx,
    sql`with made as (
          select provider, model_id, operation, ${DAY} as day, status, had_tool_call, cost, score,
            input_tokens, output_tokens,
            case when status <> 'superseded' then latency_ms end as latency_ms
          from model_call_log where ${isSince(of)}
        )
        select grouping(provider, operation, day) as "group", provider as "llmName",
          model_id as "modelId", operation, day, count(*)::int as calls,
          (count(*) filter (where status = 'failed'))::int as failed,
          (count(*) filter (where status = 'superseded'))::int as superseded,
          (count(*) filter (where status = 'ok' and had_tool_call))::int as "toolCalling",
          (count(*) filter (where status = 'ok' and cost is null))::int as unpriced,
          sum(input_tokens)::float8 as "inputTokens", sum(output_tokens)::float8 as "outputTokens",
          sum(cost)::text as "costUsd", ${average("latency_ms")} as "latencyAvgMs",
          ${p95("latency_ms")} as "latencyP95Ms", count(score)::int as scored,
          round(avg(score)::numeric, 4)::float8 as "scoreMean"
        from made
        group by grouping sets (
          (provider, model_id, operation, day), (provider, model_id, day), (provider, model_id),
          (operation), (day), ())
        order by day desc, provider, model_id, operation`,
  );
  const [total] = groupOf(rows, "total", []);
  if (!total) throw new Error("a total over no columns always has one row");
  return {
    model: groupOf(rows, "model", ["llmName", "modelId", "operation", "day"]),
    byModelAndDay: groupOf(rows, "byModelAndDay", ["llmName", "modelId", "day"]),
    byModel: groupOf(rows, "byModel", ["llmName", "modelId"]),
    byOperation: groupOf(rows, "byOperation", ["operation"]),
    byDay: groupOf(rows, "byDay", ["day"]),
    total,
  };
}

type Column = "llmName" | "modelId" | "operation" | "day";

/** Rows of one grouping set, with its columns alone: the others are null in it. */
function groupOf<Kept extends Column>(
  rows: readonly GroupedRow[],
  name: keyof typeof GROUPS,
  columns: readonly Kept[],
): (Pick<GroupedRow, Kept> & ModelFigures)[] {
  return rows
    .filter(({ group }) => group === GROUPS[name])
    .map(({ group, llmName, modelId, operation, day, ...figures }) => {
      const all = { llmName, modelId, operation, day };
      const kept = Object.fromEntries(columns.map((column) => [column, all[column]]));
      return {
        ...(kept as Pick<GroupedRow, Kept>), // the columns asked for, one by one
        ...figures,
        costUsd: decimalOrNull(figures.costUsd),
      };
    });
}

/** Newest day first. What waited for people is no latency of a tool. */
export function toolUsage(tx: Tx, of: Since): Promise<(ToolUsage & { day: string })[]> {
  return toolsBy(tx, of, DAY);
}

/** The same over the whole time. */
export async function toolTotals(tx: Tx, of: Since): Promise<ToolUsage[]> {
  const rows = await toolsBy(tx, of, sql`''::text`);
  return rows.map(({ day: _none, ...row }) => row);
}

async function toolsBy(tx: Tx, of: Since, day: SQL): Promise<(ToolUsage & { day: string })[]> {
  const rows = await queryRows<ToolUsage & { day: string }>(
    tx,
    sql`with ended as (
          select tool_name, ${day} as day, count(*)::int as calls,
            (count(*) filter (where status <> 'completed'))::int as failed
          from tool_result_log where ${isSince(of)} and status <> 'pending' group by 1, 2
        ), measured as (
          select operation as tool_name, ${day} as day, ${average("latency_ms")} as average,
            ${p95("latency_ms")} as p95
          from latency_log where ${isSince(of)} and component = 'tool'
            and right(operation, 8) <> '.look_up' group by 1, 2
        ), paid as (
          select e.tool_name, ${day} as day, sum(c.amount)::text as amount
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
    sql`with paid as (select cost_type, currency, amount, run_id from cost_log where ${isSince(of)})
        select cost_type as "costType", currency, sum(amount)::text as amount,
          coalesce(sum(amount) filter (where r.status in ('failed', 'exhausted')), 0)::text
            as "failedRuns"
        from paid left join runs r on r.tenant_id = ${of.tenantId} and r.id = run_id
        group by 1, 2 order by 1, 2`,
  );
  return rows.map((row) => ({
    ...row,
    amount: canonicalDecimal(row.amount),
    failedRuns: canonicalDecimal(row.failedRuns),
  }));
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
