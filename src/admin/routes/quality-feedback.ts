import { Hono } from "hono";
import { z } from "zod";
import { FEEDBACK_LABELS } from "../../domain/feedback.ts";
import type { Json } from "../../domain/json.ts";
import { keptJson, keptText } from "../../quality/kept-words.ts";
import { withTenant } from "../../store/db.ts";
import { codesOfConversations } from "../../store/payout-codes.ts";
import {
  failingTools,
  type LabelKey,
  labelCounts,
  labelsAfter,
} from "../../store/quality-labels.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { timeField } from "./quality-fields.ts";
import { auditExport, jsonLines } from "./quality-json-lines.ts";

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
  summary: "Every label that stands, one a line, oldest first. An admin's",
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
  endpoint(routes, EXPORT, async (c, { query }) => {
    const of = { tenantId: c.get("tenantId"), since: query.since ?? 0 };
    await auditExport(c, deps, "feedback.exported");
    return jsonLines("tool-call-feedback.jsonl", pagesOf(deps, of));
  });
  return routes;
}

async function* pagesOf(deps: AdminDeps, of: { tenantId: string; since: number }) {
  let after: LabelKey | null = null;
  do {
    const query = { ...of, after, limit: PAGE_LINES };
    const { rows, codes }: Page = await withTenant(deps.db, of.tenantId, async (tx) => {
      const rows = await labelsAfter(tx, query);
      const conversationIds = rows.map(({ label }) => label.conversationId);
      const { tenantId } = of;
      const codes = await codesOfConversations(tx, deps.secrets, { tenantId, conversationIds });
      return { rows, codes };
    });
    yield rows.map((row) => lineOf(row, codes.get(row.label.conversationId) ?? []));
    const last = rows.at(-1)?.label;
    after = last && rows.length === PAGE_LINES ? { at: last.createdAt, id: last.id } : null;
  } while (after !== null);
}

type Labelled = Awaited<ReturnType<typeof labelsAfter>>[number];

interface Page {
  rows: Labelled[];
  /** By conversation. */
  codes: Map<string, string[]>;
}

/** Rows may hold secrets as a client or an earlier build wrote them; a line holds none. */
function lineOf({ label: row, call }: Labelled, codes: readonly string[]) {
  const { id, label, source, staffId, conversationId, messageId } = row;
  const note = row.note && keptText(row.note, codes);
  const kept = (value: unknown) => keptJson((value ?? null) as Json, codes); // a jsonb value
  return {
    ...{ recordType: "tool_call_feedback" as const, id, label, note, source, staffId },
    createdAt: secondsOf(row.createdAt),
    toolCall: call && {
      ...{
        id: call.number,
        toolName: call.toolName,
        args: kept(call.args),
        result: kept(call.result),
      },
      ...{ error: call.isError, source: call.source, cycle: call.cycle },
      ...{ toolCallIndex: call.toolCallIndex, latencyMs: call.latencyMs },
      createdAt: secondsOf(call.createdAt),
    },
    ...{ conversationId, messageId },
  } satisfies z.input<typeof EXPORT.answer>;
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1000);
}
