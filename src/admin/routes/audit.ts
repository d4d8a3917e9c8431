import { Hono } from "hono";
import { z } from "zod";
import { listAudit } from "../../store/admin-reads.ts";
import { withTenant } from "../../store/db.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { pageFields, pageOf, readCursor } from "../page.ts";
import { presentAll } from "../present.ts";
import { readQuery } from "../request-input.ts";

const time = z.iso
  .datetime({ offset: true, error: "a time such as 2026-03-01T00:00:00Z" })
  .transform((text) => Date.parse(text));

const listSchema = z.strictObject({
  ...pageFields,
  event_type: z.string().optional(),
  conversation: z.string().optional(),
  run: z.string().optional(),
  candidate: z.string().optional(),
  user: z.string().optional(),
  tool: z.string().optional(),
  since: time.optional(),
  until: time.optional(),
});

export function auditRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => {
    const tenantId = c.get("tenantId");
    const query = readQuery(c, listSchema);
    const { limit } = query;
    const after = readCursor(query.cursor, z.string());
    const filter = {
      eventType: query.event_type,
      conversationId: query.conversation,
      runId: query.run,
      candidateId: query.candidate,
      userId: query.user,
      toolName: query.tool,
      since: query.since,
      until: query.until,
    };
    const rows = await withTenant(deps.db, tenantId, (tx) =>
      listAudit(tx, { tenantId, limit: limit + 1, after }, filter),
    );
    const page = pageOf(rows, limit, (row) => row.id);
    return c.json({ ...page, items: presentAll(page.items) });
  });
  return routes;
}
