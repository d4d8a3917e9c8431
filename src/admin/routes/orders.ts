import { Hono } from "hono";
import { z } from "zod";
import { findOrder, listOrders } from "../../store/admin-reads.ts";
import { withTenant } from "../../store/db.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { notFound } from "../error-response.ts";
import { pageFields, pageOf, readCursor } from "../page.ts";
import { present, presentAll } from "../present.ts";
import { readQuery } from "../request-input.ts";

const STATUSES = [
  "quote",
  "awaiting_payment",
  "paid",
  "payout",
  "completed",
  "cancelled",
  "expired",
] as const;

const listSchema = z.strictObject({ ...pageFields, status: z.enum(STATUSES).optional() });

/** An order is named by its id or by the number people say: EX-20418. */
export function orderRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => {
    const tenantId = c.get("tenantId");
    const { limit, cursor, status } = readQuery(c, listSchema);
    const after = readCursor(cursor, z.int());
    const rows = await withTenant(deps.db, tenantId, (tx) =>
      listOrders(tx, { tenantId, limit: limit + 1, after, status }),
    );
    const page = pageOf(rows, limit, (row) => row.number);
    return c.json({ ...page, items: presentAll(page.items) });
  });
  routes.get("/:id", async (c) => {
    const tenantId = c.get("tenantId");
    const which = c.req.param("id");
    const spoken = /^EX-(\d{1,9})$/i.exec(which)?.[1];
    const order = await withTenant(deps.db, tenantId, (tx) =>
      findOrder(tx, tenantId, spoken ? Number(spoken) : which),
    );
    if (!order) throw notFound(`order ${which}`);
    return c.json(present(order));
  });
  return routes;
}
