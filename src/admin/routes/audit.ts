import { Hono } from "hono";
import { z } from "zod";
import { listAudit } from "../../store/admin-reads.ts";
import { findCalls } from "../../store/audit-find.ts";
import { callPath } from "../../store/audit-path.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { rowPage, shownFields } from "../answers.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { pageFields, pageOf, readCursor } from "../page.ts";
import { presentAll } from "../present.ts";
import { presentPath } from "../present-path.ts";
import { timeField } from "./quality-fields.ts";

/** What names calls: their rows are listed, and their whole way is shown beside. */
const CALL_FIELDS = ["candidate", "approval", "execution", "order"] as const;
const callName = z.string().min(1).max(64).optional();

const listSchema = z.strictObject({
  ...pageFields,
  event_type: z.string().optional(),
  conversation: z.string().optional(),
  run: z.string().optional(),
  candidate: callName,
  approval: callName,
  execution: callName,
  order: callName,
  user: z.string().optional(),
  tool: z.string().optional(),
  since: timeField.optional(),
  until: timeField.optional(),
});

const auditAnswer = rowPage.extend({ calls: z.array(shownFields).optional() });
type Query = z.infer<typeof listSchema>;

/**
 * Reads the trail, with the whole path of the calls that were asked for; nothing here writes it.
 */
export function auditRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    {
      method: "get",
      path: "/",
      summary: "The trail, the newest first; with the whole path of the calls that are named",
      query: listSchema,
      answer: auditAnswer,
    },
    async (c, { query }) => {
      const tenantId = c.get("tenantId");
      const { limit } = query;
      const after = readCursor(query.cursor, z.string());
      const { rows, calls } = await withTenant(deps.db, tenantId, async (tx) => {
        const candidateIds = await namedCalls(tx, tenantId, query);
        const filter = { ...filterOf(query), candidateIds: candidateIds ?? undefined };
        return {
          rows: await listAudit(tx, { tenantId, limit: limit + 1, after }, filter),
          calls: await pathsOf(tx, tenantId, candidateIds ?? []),
        };
      });
      const page = pageOf(rows, limit, (row) => row.id);
      return c.json({ ...page, items: presentAll(page.items), ...(calls.length > 0 && { calls }) });
    },
  );
  return routes;
}

/** null: the query names none. Throws UserError when there is none of that name. */
async function namedCalls(tx: Tx, tenantId: string, query: Query): Promise<string[] | null> {
  const field = CALL_FIELDS.find((name) => query[name] !== undefined);
  const which = field && query[field];
  if (!which) return null;
  const found = await findCalls(tx, tenantId, which);
  if (found.length === 0) throw notFound(`${field} ${which}`);
  return found;
}

async function pathsOf(tx: Tx, tenantId: string, candidateIds: readonly string[]) {
  const paths: Record<string, unknown>[] = [];
  for (const candidateId of candidateIds) {
    const path = await callPath(tx, { tenantId, candidateId });
    if (path) paths.push(presentPath(path));
  }
  return paths;
}

function filterOf(query: Query) {
  return {
    eventType: query.event_type,
    conversationId: query.conversation,
    runId: query.run,
    userId: query.user,
    toolName: query.tool,
    since: query.since,
    until: query.until,
  };
}
