import { Hono } from "hono";
import { z } from "zod";
import { BOOKING_SECRET, parseBookingUrl } from "../../domain/booking-url.ts";
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
      deps.secrets.get(tx, tenantId, BOOKING_SECRET),
    );
    return c.json({ enabled: url !== null, url });
  });
  routes.post("/", async (c) => {
    const url = parseBookingUrl((await readBody(c, bookingSchema)).url);
    await change(c, deps, async (tx, { tenantId, by, now, audit }) => {
      await deps.secrets.set(tx, { tenantId, name: BOOKING_SECRET, value: url, by, now });
      audit("booking.set", `The booking link was set to one of ${new URL(url).hostname}`);
    });
    deps.invalidateTools(c.get("tenantId"));
    return c.json({ enabled: true, url });
  });
  routes.delete("/", async (c) => {
    await change(c, deps, async (tx, { tenantId, audit }) => {
      if (await deps.secrets.remove(tx, tenantId, BOOKING_SECRET))
        audit("booking.removed", "The booking link was removed");
    });
    deps.invalidateTools(c.get("tenantId"));
    return c.json({ enabled: false, url: null });
  });
  return routes;
}
