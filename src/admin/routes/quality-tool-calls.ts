import { Hono } from "hono";
import { z } from "zod";
import { FEEDBACK_LABELS } from "../../domain/feedback.ts";
import { keptText } from "../../quality/kept-words.ts";
import { giveLabel } from "../../quality/labels.ts";
import { withTenant } from "../../store/db.ts";
import { listToolCalls, type ToolCallRow } from "../../store/quality-calls.ts";
import { type LabelRow, labelsOfCalls } from "../../store/quality-labels.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { longNumberCursor, pageFields, pageOf, readCursor } from "../page.ts";
import { CALL_DIGITS, idOrNumber, noteField, shownTime } from "./quality-fields.ts";

const shownLabel = z.strictObject({
  id: z.string(),
  label: z.enum(FEEDBACK_LABELS),
  note: z.string().nullable(),
  source: z.enum(["reaction", "api"]),
  staff_id: z.string(),
  created_at: shownTime,
});
const givenLabel = shownLabel.extend({
  conversation_id: z.string(),
  message_id: z.string(),
  tool_call_id: z.string(),
});
const shownCall = z.strictObject({
  id: z.string(),
  number: z.int().describe("As exports name it"),
  conversation_id: z.string(),
  contact_id: z.string(),
  message_id: z.string().nullable().describe("The reply"),
  outbound_id: z.string().nullable(),
  tool_name: z.string(),
  args: z.unknown(),
  result: z.unknown(),
  is_error: z.boolean(),
  source: z.string(),
  cycle: z.int(),
  tool_call_index: z.int(),
  latency_ms: z.int().nullable(),
  created_at: shownTime,
  feedback: z.array(shownLabel).describe("Labels that stand"),
});

const LIST = {
  method: "get",
  path: "/",
  summary: "Calls of replies, newest first, with what staff say of them",
  query: z.strictObject({
    ...pageFields,
    conversation: z.string().optional(),
    message: z.string().optional(),
    outbound: z.string().optional(),
    tool: z.string().optional(),
    error: z.enum(["true", "false"]).optional(),
    source: z.string().optional(),
    label: z
      .enum([...FEEDBACK_LABELS, "none", "any"])
      .optional()
      .describe("One that stands on it; none: without a label, any: with one"),
  }),
  answer: z.strictObject({ items: z.array(shownCall), next_cursor: z.string().nullable() }),
} as const;
const LABEL = {
  method: "post",
  path: "/:id/feedback",
  summary: "A person's label on a call, named by id or number; given again, its note is replaced",
  body: z.strictObject({ label: z.enum(FEEDBACK_LABELS), note: noteField }),
  answer: givenLabel,
  status: 201,
} as const;

/** Calls as people judge them. Operators may label, too. */
export function qualityCallRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, LIST, async (c, { query }) => {
    const tenantId = c.get("tenantId");
    const { limit } = query;
    const after = readCursor(query.cursor, longNumberCursor);
    const { page, labels } = await withTenant(deps.db, tenantId, async (tx) => {
      const list = { tenantId, limit: limit + 1, after };
      const rows = pageOf(await listToolCalls(tx, list, filterOf(query)), limit, byNumber);
      const callIds = rows.items.map(({ id }) => id);
      return { page: rows, labels: await labelsOfCalls(tx, { tenantId, callIds }) };
    });
    return c.json({ ...page, items: page.items.map((call) => presentCall(call, labels)) });
  });
  endpoint(routes, LABEL, async (c, { body }) => {
    const which = idOrNumber(c.req.param("id") ?? "", CALL_DIGITS);
    const given = await change(
      c,
      deps,
      (tx, { tenantId, by, now }) =>
        giveLabel(tx, {
          ...{ tenantId, staffId: by, now, which, ...body },
          ...{ secrets: deps.secrets, ratingsChanged: deps.ratingsChanged },
        }),
      "decide",
    );
    if (!given) throw notFound(`tool call ${which}`);
    return c.json(presentGiven(given), 201);
  });
  return routes;
}

const byNumber = ({ number }: ToolCallRow) => number;

function filterOf(query: z.infer<typeof LIST.query>) {
  return {
    conversationId: query.conversation,
    messageId: query.message,
    outboundId: query.outbound,
    toolName: query.tool,
    isError: query.error === undefined ? undefined : query.error === "true",
    source: query.source,
    label: query.label,
  };
}

function presentCall(call: ToolCallRow, labels: readonly LabelRow[]): z.input<typeof shownCall> {
  return {
    id: call.id,
    number: call.number,
    conversation_id: call.conversationId,
    contact_id: call.contactId,
    message_id: call.messageId,
    outbound_id: call.outboundId,
    tool_name: call.toolName,
    args: call.args,
    result: call.result,
    is_error: call.isError,
    source: call.source,
    cycle: call.cycle,
    tool_call_index: call.toolCallIndex,
    latency_ms: call.latencyMs,
    created_at: new Date(call.createdAt).toISOString(),
    feedback: labels.filter(({ toolCallId }) => toolCallId === call.id).map(presentLabel),
  };
}

function presentLabel(row: LabelRow): z.input<typeof shownLabel> {
  const { id, label, note, source, staffId, createdAt } = row;
  return {
    ...{ id, label, note: note && keptText(note), source, staff_id: staffId },
    created_at: new Date(createdAt).toISOString(),
  };
}

function presentGiven(row: LabelRow): z.input<typeof givenLabel> {
  return {
    ...presentLabel(row),
    conversation_id: row.conversationId,
    message_id: row.messageId,
    tool_call_id: row.toolCallId,
  };
}
