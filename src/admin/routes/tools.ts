import { Hono } from "hono";
import { z } from "zod";
import { withTenant } from "../../store/db.ts";
import {
  activeSchemas,
  activeToolNames,
  setToolActive,
  tenantToolFacts,
} from "../../store/tool-registry.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { notFound } from "../error-response.ts";
import { readBody } from "../request-input.ts";

const patchSchema = z.strictObject({ is_active: z.boolean() });

export function toolRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => c.json({ items: await listTools(deps, c.get("tenantId")) }));
  routes.patch("/:name", async (c) => {
    const toolName = c.req.param("name");
    const { is_active: isActive } = await readBody(c, patchSchema);
    await change(c, deps, async (tx, { tenantId, now, audit }) => {
      if (!(await setToolActive(tx, { tenantId, toolName, isActive, now })))
        throw notFound(`tool ${toolName}`);
      audit("tool.switched", `${toolName} was switched ${isActive ? "on" : "off"}`, { toolName });
    });
    deps.invalidateTools(c.get("tenantId"));
    const tools = await listTools(deps, c.get("tenantId"));
    return c.json(tools.find((tool) => tool.name === toolName) ?? { name: toolName });
  });
  return routes;
}

/** `is_active` is the switch; `enabled`: switched on and with all it needs to be offered. */
async function listTools(deps: AdminDeps, tenantId: string) {
  const { active, versions, facts } = await withTenant(deps.db, tenantId, async (tx) => ({
    active: await activeToolNames(tx, tenantId),
    versions: await activeSchemas(tx),
    facts: await tenantToolFacts(tx, tenantId),
  }));
  return deps.registry.all().map(({ tool }) => ({
    name: tool.name,
    title: tool.title,
    risk: tool.risk,
    side_effect: tool.sideEffectType,
    schema_version: versions.get(tool.name)?.version ?? null,
    offered: tool.offered,
    is_active: active.has(tool.name),
    enabled: active.has(tool.name) && tool.isAvailable(facts),
  }));
}
