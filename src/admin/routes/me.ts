import { Hono } from "hono";
import { z } from "zod";
import { withTenant } from "../../store/db.ts";
import { staffById } from "../../store/staff.ts";
import { tenantById } from "../../store/tenants.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";

const holder = z.object({
  kind: z.enum(["setup", "personal"]),
  tenant_id: z.string(),
  tenant_state: z.enum(["setup", "open"]).describe("Once it is open, ADMIN_TOKEN only reads"),
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
    const { tenant, person } = await withTenant(deps.db, tenantId, async (tx) => ({
      tenant: await tenantById(tx, tenantId),
      person: principal.kind === "setup" ? null : await staffById(tx, tenantId, principal.staffId),
    }));
    if (!tenant) throw notFound(`tenant ${tenantId}`);
    const of = { tenant_id: tenantId, tenant_state: tenant.state };
    if (principal.kind === "setup")
      return c.json({ kind: "setup", ...of, staff_id: null, name: null, role: null });
    const { staffId, role } = principal;
    return c.json({ kind: "personal", ...of, staff_id: staffId, name: person?.name ?? null, role });
  });
  return routes;
}
