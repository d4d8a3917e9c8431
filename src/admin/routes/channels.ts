import { Hono } from "hono";
import { withTenant } from "../../store/db.ts";
import { listDestinations } from "../../store/destinations.ts";
import { listChannels } from "../../store/tenants.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { presentAll } from "../present.ts";

/** The bot accounts of a tenant, and the chats of its staff. */
export function channelRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => {
    const tenantId = c.get("tenantId");
    const { channels, destinations } = await withTenant(deps.db, tenantId, async (tx) => ({
      channels: await listChannels(tx, tenantId),
      destinations: await listDestinations(tx, tenantId),
    }));
    return c.json({ items: presentAll(channels), destinations: presentAll(destinations) });
  });
  return routes;
}
