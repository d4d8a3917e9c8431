import { Hono } from "hono";
import { z } from "zod";
import { bookingLink, removeBookingLink, setBookingLink } from "../../desk/change-booking.ts";
import { withTenant } from "../../store/db.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { readBody } from "../request-input.ts";

const bookingSchema = z.strictObject({ url: z.string() });

/** The link for calls. Stored encrypted; the next message of a lead sees the change. */
export function bookingRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => {
    const tenantId = c.get("tenantId");
    const url = await withTenant(deps.db, tenantId, (tx) =>
      bookingLink(tx, deps.secrets, tenantId),
    );
    return c.json({ enabled: url !== null, url });
  });
  routes.post("/", async (c) => {
    const body = await readBody(c, bookingSchema);
    const url = await change(c, deps, (tx, { tenantId, by, now }) =>
      setBookingLink(tx, deps.secrets, { tenantId, by, now, url: body.url }),
    );
    deps.invalidateTools(c.get("tenantId"));
    return c.json({ enabled: true, url });
  });
  routes.delete("/", async (c) => {
    await change(c, deps, (tx, { tenantId, by, now }) =>
      removeBookingLink(tx, deps.secrets, { tenantId, by, now }),
    );
    deps.invalidateTools(c.get("tenantId"));
    return c.json({ enabled: false, url: null });
  });
  return routes;
}
