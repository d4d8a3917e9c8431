import { Hono } from "hono";
import { z } from "zod";
import { dearer, slower } from "../../quality/usage.ts";
import { withTenant } from "../../store/db.ts";
import { costSums, latencySums, modelUsage, toolUsage } from "../../store/quality-usage.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { presentAll } from "../present.ts";
import { shownTime, timeField } from "./quality-fields.ts";

const WEEK_MS = 7 * 86_400_000;

const count = z.int().nonnegative();
const known = z.number().nonnegative().nullable();
const decimal = z.string().nullable().describe("Decimal; null: no price is known");
const heavier = z.enum(["model", "tool"]).nullable().describe("null: nothing is known");
const day = z.iso.date().describe("UTC");
const READ = {
  method: "get",
  path: "/",
  summary:
    "Calls, tokens, money and time of models and tools, day by day; the last week, by itself",
  query: z.strictObject({ since: timeField.optional() }),
  answer: z.strictObject({
    since: shownTime,
    model: z.array(
      z.strictObject({
        ...{ model_id: z.string(), operation: z.string(), day, calls: count, failed: count },
        ...{ input_tokens: known, output_tokens: known, cost_usd: decimal },
        ...{ latency_avg_ms: known, latency_p95_ms: known },
      }),
    ),
    tools: z.array(
      z.strictObject({
        ...{ tool_name: z.string(), day, calls: count, failed: count, cost_usd: decimal },
        ...{ latency_avg_ms: known, latency_p95_ms: known },
      }),
    ),
    costs: z.array(
      z.strictObject({ cost_type: z.string(), currency: z.string(), amount: z.string() }),
    ),
    latencies: z.array(
      z.strictObject({ component: z.string(), avg_ms: z.number(), p95_ms: z.number() }),
    ),
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
    const { models, tools, costs, latencies } = await withTenant(
      deps.db,
      of.tenantId,
      async (tx) => ({
        models: await modelUsage(tx, of),
        tools: await toolUsage(tx, of),
        costs: await costSums(tx, of),
        latencies: await latencySums(tx, of),
      }),
    );
    return c.json({
      since: new Date(of.since).toISOString(),
      model: presentAll(models),
      tools: presentAll(tools),
      costs: presentAll(costs),
      latencies: presentAll(latencies),
      dearer: dearer(costs),
      slower: slower(latencies),
    });
  });
  return routes;
}
