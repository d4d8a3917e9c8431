import { Hono } from "hono";
import { z } from "zod";
import { withTenant } from "../../store/db.ts";
import { staffById } from "../../store/staff.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";

const holder = z.object({
  kind: z.enum(["setup", "personal"]),
  tenant_id: z.string(),
  staff_id: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(["operator", "admin"]).nullable(),
});

/** Who holds the token; the names are null for ADMIN_TOKEN. */
export function meRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  const spec = {
    method: "get",
    path: "/",
    summary: "Who holds the token",
    answer: holder,
  } as const;
  endpoint(routes, spec, async (c) => {
    const tenantId = c.get("tenantId");
    const principal = c.get("principal");
    if (principal.kind === "setup")
      return c.json({ kind: "setup", tenant_id: tenantId, staff_id: null, name: null, role: null });
    const { staffId, role } = principal;
    const person = await withTenant(deps.db, tenantId, (tx) => staffById(tx, tenantId, staffId));
    const name = person?.name ?? null;
    return c.json({ kind: "personal", tenant_id: tenantId, staff_id: staffId, name, role });
  });
  return routes;
}
