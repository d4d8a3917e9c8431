import { Hono } from "hono";
import { z } from "zod";
import { FEEDBACK_LABELS } from "../../domain/feedback.ts";
import { withTenant } from "../../store/db.ts";
import {
  failingTools,
  type LabelKey,
  labelCounts,
  labelsAfter,
} from "../../store/quality-labels.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { timeField } from "./quality-fields.ts";
import { jsonLines } from "./quality-json-lines.ts";

/** Worse ones than these are looked at first. */
const MOST_TOOLS = 20;
const PAGE_LINES = 500;

const count = z.int().nonnegative();
const seconds = z.int().describe("Epoch seconds");
const since = z.strictObject({ since: timeField.optional() });
const SUMMARY = {
  method: "get",
  path: "/summary",
  summary: "How often each label stands, and the tools that do worst",
  query: since,
  answer: z.strictObject({
    counts: z.strictObject({
      good_reply: count,
      wrong_tool: count,
      missing_tool: count,
      bad_args: count,
      other: count,
    }),
    top_failing_tools: z.array(
      z.strictObject({ tool_name: z.string(), actionable: count, errors: count, calls: count }),
    ),
  }),
} as const;
const EXPORT = {
  method: "get",
  path: "/export.jsonl",
  summary: "Every label that stands, one a line, oldest first",
  query: since,
  answer: z.strictObject({
    recordType: z.literal("tool_call_feedback"),
    id: z.string(),
    label: z.enum(FEEDBACK_LABELS),
    note: z.string().nullable(),
    source: z.enum(["reaction", "api"]),
    staffId: z.string(),
    createdAt: seconds,
    toolCall: z
      .strictObject({
        id: z.int(),
        toolName: z.string(),
        args: z.unknown(),
        result: z.unknown(),
        error: z.boolean(),
        source: z.string(),
        cycle: z.int(),
        toolCallIndex: z.int(),
        latencyMs: z.int().nullable(),
        createdAt: seconds,
      })
      .nullable()
      .describe("null: the reply came without a call"),
    conversationId: z.string(),
    messageId: z.string(),
  }),
  contentType: "application/x-ndjson",
} as const;

/** What staff say of replies and calls, in sum and for analysis elsewhere. */
export function qualityFeedbackRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, SUMMARY, async (c, { query }) => {
    const of = { tenantId: c.get("tenantId"), since: query.since ?? 0 };
    const { counts, worst } = await withTenant(deps.db, of.tenantId, async (tx) => ({
      counts: await labelCounts(tx, of),
      worst: await failingTools(tx, { ...of, limit: MOST_TOOLS }),
    }));
    const top = worst.map(({ toolName, ...figures }) => ({ tool_name: toolName, ...figures }));
    return c.json({ counts, top_failing_tools: top });
  });
  endpoint(routes, EXPORT, (c, { query }) =>
    jsonLines(
      "tool-call-feedback.jsonl",
      pagesOf(deps, { tenantId: c.get("tenantId"), since: query.since ?? 0 }),
    ),
  );
  return routes;
}

async function* pagesOf(deps: AdminDeps, of: { tenantId: string; since: number }) {
  let after: LabelKey | null = null;
  do {
    const query = { ...of, after, limit: PAGE_LINES };
    const rows: Labelled[] = await withTenant(deps.db, of.tenantId, (tx) => labelsAfter(tx, query));
    yield rows.map(lineOf);
    const last = rows.at(-1)?.label;
    after = last && rows.length === PAGE_LINES ? { at: last.createdAt, id: last.id } : null;
  } while (after !== null);
}

type Labelled = Awaited<ReturnType<typeof labelsAfter>>[number];

function lineOf({ label: row, call }: Labelled): z.input<typeof EXPORT.answer> {
  const { id, label, note, source, staffId, conversationId, messageId } = row;
  return {
    ...{ recordType: "tool_call_feedback", id, label, note, source, staffId },
    createdAt: secondsOf(row.createdAt),
    toolCall: call && {
      ...{ id: call.number, toolName: call.toolName, args: call.args, result: call.result },
      ...{ error: call.isError, source: call.source, cycle: call.cycle },
      ...{ toolCallIndex: call.toolCallIndex, latencyMs: call.latencyMs },
      createdAt: secondsOf(call.createdAt),
    },
    ...{ conversationId, messageId },
  };
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1000);
}
