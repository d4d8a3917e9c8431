import { Hono } from "hono";
import { z } from "zod";
import { listTools, switchTool } from "../../desk/change-tool.ts";
import { RISK_CLASSES } from "../../domain/tool.ts";
import { withTenant } from "../../store/db.ts";
import { HANDOFF_TOOL } from "../../tools/handoff-to-operator.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { HANDOFF_WARNING } from "../handoff-warning.ts";

const toolSchema = z.strictObject({
  name: z.string(),
  title: z.string(),
  risk: z.enum(RISK_CLASSES),
  side_effect: z.string(),
  schema_version: z.int(),
  offered: z.boolean().describe("May a model be offered it?"),
  is_active: z.boolean().describe("The tenant's switch"),
  enabled: z.boolean().describe("Switched on, and with all it needs to be offered"),
});
const LIST = {
  method: "get",
  path: "/",
  summary: "The tenant's tools",
  answer: z.strictObject({ items: z.array(toolSchema) }),
} as const satisfies Endpoint<Record<string, never>, undefined>;
const SWITCH = {
  method: "patch",
  path: "/:name",
  summary: "Switches a tool on or off; the next message sees it",
  body: z.strictObject({ is_active: z.boolean() }),
  answer: toolSchema.extend({
    warnings: z.array(z.string()).optional().describe("What people should know of this switch"),
  }),
} as const;

/** Switches a tenant's tools on and off; what a tool is cannot be changed here. */
export function toolRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, LIST, async (c) => c.json({ items: await shownTools(deps, c.get("tenantId")) }));
  endpoint(routes, SWITCH, async (c, { body: { is_active: isActive } }) => {
    const toolName = c.req.param("name") ?? "";
    await change(c, deps, async (tx, { tenantId, by, now }) => {
      if (!(await switchTool(tx, { tenantId, by, now, toolName, isActive })))
        throw notFound(`tool ${toolName}`);
    });
    deps.invalidateTools(c.get("tenantId"));
    const tools = await shownTools(deps, c.get("tenantId"));
    const shown = tools.find((tool) => tool.name === toolName) ?? { name: toolName };
    const isCut = toolName === HANDOFF_TOOL && !isActive;
    return c.json(isCut ? { ...shown, warnings: [HANDOFF_WARNING] } : shown);
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
