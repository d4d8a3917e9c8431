import { Hono } from "hono";
import { z } from "zod";
import { BOOKING_SECRET } from "../../domain/booking-url.ts";
import { UserError } from "../../domain/errors.ts";
import { withTenant } from "../../store/db.ts";
import { noBody, rowList } from "../answers.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { presentAll } from "../present.ts";

const nameAnswer = z.strictObject({ name: z.string() });
const bodySchema = z.strictObject({ value: z.string().min(1).max(8000) });

/** Names only: a value can be set and deleted, never read. */
export function secretRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    {
      method: "get",
      path: "/",
      summary: "Names of secrets; values are never shown",
      answer: rowList,
    },
    async (c) => {
      const tenantId = c.get("tenantId");
      const names = await withTenant(deps.db, tenantId, (tx) => deps.secrets.names(tx, tenantId));
      return c.json({ items: presentAll(names) });
    },
  );
  endpoint(
    routes,
    {
      method: "put",
      path: "/:name",
      summary: "Sets a secret",
      body: bodySchema,
      answer: nameAnswer,
    },
    async (c, { body: { value } }) => {
      const name = writableName(c.req.param("name") ?? "");
      refuseUnseen(value);
      await change(c, deps, async (tx, { tenantId, by, now, audit }) => {
        await deps.secrets.set(tx, { tenantId, name, value, by, now });
        audit("secret.set", `Secret ${name} was set`, { name });
      });
      deps.invalidateTools(c.get("tenantId"));
      return c.json({ name });
    },
  );
  endpoint(
    routes,
    { method: "delete", path: "/:name", summary: "Deletes a secret", answer: noBody, status: 204 },
    async (c) => {
      const name = writableName(c.req.param("name") ?? "");
      await change(c, deps, async (tx, { tenantId, audit }) => {
        if (!(await deps.secrets.remove(tx, tenantId, name))) throw notFound(`secret ${name}`);
        audit("secret.deleted", `Secret ${name} was deleted`, { name });
      });
      deps.invalidateTools(c.get("tenantId"));
      return c.body(null, 204);
    },
  );
  return routes;
}

/** The product's own: whoever knew it could speak in the name of a messenger, and of everybody there. */
const OWN: ReadonlySet<string> = new Set(["telegram_webhook_secret"]);

/** Values that are checked, or decided on, when they are set have routes of their own. */
function writableName(name: string): string {
  if (name === BOOKING_SECRET)
    throw new UserError("invalid", `${name}: use POST /api/admin/tools/booking`, "name");
  if (name.startsWith("exchange_"))
    throw new UserError("invalid", `${name}: use POST /api/admin/exchange/requisites`, "name");
  if (OWN.has(name))
    throw new UserError("forbidden", `${name}: only Countersign sets this`, "name");
  if (!/^[A-Za-z][A-Za-z0-9_]{1,63}$/.test(name))
    throw new UserError("invalid", "name: letters, digits and _ (2 to 64)", "name");
  return name;
}

/** Control and format characters: no key or password has them, but what is copied from a page may. */
const UNSEEN = /(?![\t\r\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Line ends and tabs stay: certificates have them. */
function refuseUnseen(value: string): void {
  const found = UNSEEN.exec(value);
  if (!found) return;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw new UserError(
    "invalid",
    `value: character ${found.index + 1} cannot be seen (U+${code}); paste it without that`,
    "value",
  );
}
