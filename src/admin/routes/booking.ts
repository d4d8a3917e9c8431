import { Hono } from "hono";
import { z } from "zod";
import { bookingLink, removeBookingLink, setBookingLink } from "../../desk/change-booking.ts";
import { withTenant } from "../../store/db.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";

const linkAnswer = z.strictObject({ enabled: z.boolean(), url: z.string().nullable() });
const bookingSchema = z.strictObject({ url: z.string() });

/** The link for calls. Stored encrypted; the next message of a lead sees the change. */
export function bookingRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    { method: "get", path: "/", summary: "The link for calls", answer: linkAnswer },
    async (c) => {
      const tenantId = c.get("tenantId");
      const url = await withTenant(deps.db, tenantId, (tx) =>
        bookingLink(tx, deps.secrets, tenantId),
      );
      return c.json({ enabled: url !== null, url });
    },
  );
  endpoint(
    routes,
    {
      method: "post",
      path: "/",
      summary: "Sets the link; the next message sees it",
      body: bookingSchema,
      answer: linkAnswer,
    },
    async (c, { body }) => {
      const url = await change(c, deps, (tx, { tenantId, by, now }) =>
        setBookingLink(tx, deps.secrets, { tenantId, by, now, url: body.url }),
      );
      deps.invalidateTools(c.get("tenantId"));
      return c.json({ enabled: true, url });
    },
  );
  endpoint(
    routes,
    { method: "delete", path: "/", summary: "Takes the link away", answer: linkAnswer },
    async (c) => {
      await change(c, deps, (tx, { tenantId, by, now }) =>
        removeBookingLink(tx, deps.secrets, { tenantId, by, now }),
      );
      deps.invalidateTools(c.get("tenantId"));
      return c.json({ enabled: false, url: null });
    },
  );
  return routes;
}
