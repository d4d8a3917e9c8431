import { Hono } from "hono";
import { z } from "zod";
import { dearer, slower, weigh } from "../../quality/usage.ts";
import { withTenant } from "../../store/db.ts";
import {
  costSums,
  latencySums,
  modelUsage,
  toolTotals,
  toolUsage,
} from "../../store/quality-usage.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { present, presentAll } from "../present.ts";
import { shownTime, timeField } from "./quality-fields.ts";

const WEEK_MS = 7 * 86_400_000;

const count = z.int().nonnegative();
const known = z.number().nonnegative().nullable();
const decimal = z.string().nullable().describe("Decimal; null: no price is known");
const heavier = z.enum(["model", "tool"]).nullable().describe("null: nothing is known");
const day = z.iso.date().describe("UTC");
const ofModel = {
  llm_name: z.string().describe("In MODELS_FILE"),
  model_id: z.string().describe("As its endpoint names it"),
};
const operation = z.string();
const figures = {
  calls: count.describe("Attempts, also failed ones and those that another model took over"),
  failed: count,
  superseded: count.describe("Given up by the caller; without a latency"),
  tool_calling: count.describe("Answers with a tool call"),
  unpriced: count.describe("Answers whose price is not known"),
  ...{ input_tokens: known, output_tokens: known, cost_usd: decimal },
  ...{ latency_avg_ms: known, latency_p95_ms: known },
  scored: count.describe("Attempts with a verdict"),
  score_mean: known.describe("Of the verdicts, 0 to 1"),
};
const toolFigures = {
  ...{ calls: count, failed: count, cost_usd: decimal },
  ...{ latency_avg_ms: known, latency_p95_ms: known },
};
const weight = z.strictObject({ cost_usd: decimal, latency_avg_ms: known });
const READ = {
  method: "get",
  path: "/",
  summary:
    "Calls, tokens, money and time of models and tools, day by day; the last week, by itself",
  query: z.strictObject({ since: timeField.optional() }),
  answer: z.strictObject({
    since: shownTime,
    model: z.array(z.strictObject({ ...ofModel, operation, day, ...figures })),
    by_model_and_day: z.array(z.strictObject({ ...ofModel, day, ...figures })),
    by_model: z.array(z.strictObject({ ...ofModel, ...figures })),
    by_operation: z.array(z.strictObject({ operation, ...figures })),
    by_day: z
      .array(z.strictObject({ day, ...figures }))
      .describe("Days without a call are left out"),
    total: z.strictObject(figures),
    tools: z.array(z.strictObject({ tool_name: z.string(), day, ...toolFigures })),
    by_tool: z.array(z.strictObject({ tool_name: z.string(), ...toolFigures })),
    costs: z.array(
      z.strictObject({
        ...{ cost_type: z.string(), currency: z.string(), amount: z.string() },
        failed_runs: z.string().describe("Of the amount: in runs that came to nothing"),
      }),
    ),
    latencies: z.array(
      z.strictObject({ component: z.string(), avg_ms: z.number(), p95_ms: z.number() }),
    ),
    compared: z
      .strictObject({ model: weight, tool: weight })
      .describe("What `dearer` and `slower` go by: sums of money, averages of time"),
    dearer: heavier,
    slower: heavier,
  }),
} as const;

/** What models and tools have used. */
export function usageRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, READ, async (c, { query }) => {
    const of = {
      tenantId: c.get("tenantId"),
      since: query.since ?? deps.clock.now() - WEEK_MS,
    };
    const { models, tools, toolsInAll, costs, latencies } = await withTenant(
      deps.db,
      of.tenantId,
      async (tx) => ({
        models: await modelUsage(tx, of),
        tools: await toolUsage(tx, of),
        toolsInAll: await toolTotals(tx, of),
        costs: await costSums(tx, of),
        latencies: await latencySums(tx, of),
      }),
    );
    const weights = weigh(models.total, costs, latencies);
    return c.json({
      since: new Date(of.since).toISOString(),
      model: presentAll(models.model),
      by_model_and_day: presentAll(models.byModelAndDay),
      by_model: presentAll(models.byModel),
      by_operation: presentAll(models.byOperation),
      by_day: presentAll(models.byDay),
      total: present(models.total),
      tools: presentAll(tools),
      by_tool: presentAll(toolsInAll),
      costs: presentAll(costs),
      latencies: presentAll(latencies),
      compared: { model: present(weights.model), tool: present(weights.tool) },
      dearer: dearer(weights),
      slower: slower(weights),
    });
  });
  return routes;
}
