import { Hono } from "hono";
import { z } from "zod";
import { listConversations } from "../../store/admin-reads.ts";
import { conversationTrace } from "../../store/conversation-trace.ts";
import { withTenant } from "../../store/db.ts";
import { rowPage, shownFields, shownRow } from "../answers.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { instantCursor, pageFields, pageOf, readCursor } from "../page.ts";
import { present, presentAll, snakeCase } from "../present.ts";

const traceAnswer = z.looseObject({
  conversation: shownRow,
  contact: shownRow.nullable(),
  messages: z.array(shownFields),
  runs: z.array(shownFields),
  candidates: z.array(shownFields),
  approvals: z.array(shownFields),
  audit: z.array(shownFields),
});
const listSchema = z.strictObject(pageFields);

/** Reads what was said and what the bot did about it, call by call. */
export function conversationRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    {
      method: "get",
      path: "/",
      summary: "Conversations, the newest first",
      query: listSchema,
      answer: rowPage,
    },
    async (c, { query: { limit, cursor } }) => {
      const tenantId = c.get("tenantId");
      const after = readCursor(cursor, instantCursor);
      const rows = await withTenant(deps.db, tenantId, (tx) =>
        listConversations(tx, { tenantId, limit: limit + 1, after }),
      );
      const page = pageOf(rows, limit, (row) => ({ at: row.updatedAt, id: row.id }));
      return c.json({ ...page, items: presentAll(page.items) });
    },
  );
  endpoint(
    routes,
    {
      method: "get",
      path: "/:id",
      summary: "All that was said, proposed, checked, decided and done in one conversation",
      answer: traceAnswer,
    },
    async (c) => {
      const tenantId = c.get("tenantId");
      const conversationId = c.req.param("id") ?? "";
      const trace = await withTenant(deps.db, tenantId, (tx) =>
        conversationTrace(tx, { tenantId, conversationId }),
      );
      if (!trace) throw notFound(`conversation ${conversationId}`);
      return c.json(presentTrace(trace));
    },
  );
  return routes;
}

type Trace = NonNullable<Awaited<ReturnType<typeof conversationTrace>>>;

/** The trace in the API's words; the sandbox page shows the same. */
export function presentTrace(trace: Trace): Record<string, unknown> {
  const shown = { ...trace, messages: trace.messages.map((message) => labelled(trace, message)) };
  return Object.fromEntries(
    Object.entries(shown).map(([part, value]) => [snakeCase(part), presentPart(value)]),
  );
}

/** A reply with the labels that staff gave it and did not take back. */
function labelled({ feedback }: Trace, message: Trace["messages"][number]) {
  if (message.author !== "bot" || message.kind !== "text") return message;
  const standing = feedback.filter((one) => one.messageId === message.id && !one.retractedAt);
  return { ...message, labels: [...new Set(standing.map(({ label }) => label))] };
}

function presentPart(value: object | readonly object[] | null): unknown {
  if (value === null) return null;
  return Array.isArray(value) ? presentAll(value) : present(value);
}
