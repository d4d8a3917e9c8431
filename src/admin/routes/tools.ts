import { Hono } from "hono";
import { z } from "zod";
import { listTools, switchTool } from "../../desk/change-tool.ts";
import { withTenant } from "../../store/db.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { notFound } from "../error-response.ts";
import { readBody } from "../request-input.ts";

const patchSchema = z.strictObject({ is_active: z.boolean() });

/** Switches a tenant's tools on and off; what a tool is cannot be changed here. */
export function toolRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => c.json({ items: await shownTools(deps, c.get("tenantId")) }));
  routes.patch("/:name", async (c) => {
    const toolName = c.req.param("name");
    const { is_active: isActive } = await readBody(c, patchSchema);
    await change(c, deps, async (tx, { tenantId, by, now }) => {
      if (!(await switchTool(tx, { tenantId, by, now, toolName, isActive })))
        throw notFound(`tool ${toolName}`);
    });
    deps.invalidateTools(c.get("tenantId"));
    const tools = await shownTools(deps, c.get("tenantId"));
    return c.json(tools.find((tool) => tool.name === toolName) ?? { name: toolName });
  });
  return routes;
}

/** `is_active` is the switch; `enabled`: switched on and with all it needs to be offered. */
async function shownTools(deps: AdminDeps, tenantId: string) {
  const tools = await withTenant(deps.db, tenantId, (tx) => listTools(tx, deps.registry, tenantId));
  return tools.map(({ tool, schemaVersion, isActive, lacks }) => ({
    name: tool.name,
    title: tool.title,
    risk: tool.risk,
    side_effect: tool.sideEffectType,
    schema_version: schemaVersion,
    offered: tool.offered,
    is_active: isActive,
    enabled: isActive && lacks === null,
  }));
}
