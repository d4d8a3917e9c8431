import { Hono } from "hono";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import { parseUrl } from "../../domain/web-address.ts";
import { withTenant } from "../../store/db.ts";
import { isExchangeSecretName, isWriteOnlySecret } from "../../tools/exchange/secret-names.ts";
import { isTronAddress } from "../../tools/exchange/tron-address.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { readBody } from "../request-input.ts";

const PREFIX = "exchange_";
const bodySchema = z
  .record(z.string(), z.string().trim().min(1).max(2000).nullable())
  .refine((values) => Object.keys(values).length > 0, "name at least one requisite");

/** Where leads pay, and what they are told of the office. POST {name: value}; null removes. */
export function requisiteRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => c.json({ items: await listRequisites(deps, c.get("tenantId")) }));
  routes.on(["POST", "PUT"], "/", async (c) => {
    const values = Object.entries(await readBody(c, bodySchema));
    for (const [name, value] of values) refuseUnusable(name, value);
    await change(c, deps, async (tx, { tenantId, by, now, audit }) => {
      for (const [name, value] of values) {
        if (value === null) await deps.secrets.remove(tx, tenantId, name);
        else await deps.secrets.set(tx, { tenantId, name, value, by, now });
        audit("requisite.set", `${name} was ${value === null ? "removed" : "set"}`, { name });
      }
    });
    deps.invalidateTools(c.get("tenantId"));
    return c.json({ items: await listRequisites(deps, c.get("tenantId")) });
  });
  return routes;
}

function refuseUnusable(name: string, value: string | null): void {
  if (!isExchangeSecretName(name))
    throw new UserError("unknown_field", `${name}: the desk has no such requisite`, name);
  if (value === null) return;
  if (/^exchange_wallet_[a-z0-9]+_(trc20|tron)$/.test(name) && !isTronAddress(value))
    throw new UserError("invalid", `${name}: this is no TRON address; look for a typo`, name);
  if (name.endsWith("_url") && parseUrl(value)?.protocol !== "https:")
    throw new UserError("invalid", `${name}: a link that starts with https:// is wanted`, name);
}

async function listRequisites(deps: AdminDeps, tenantId: string) {
  return withTenant(deps.db, tenantId, async (tx) => {
    const values = await deps.secrets.all(tx, tenantId, PREFIX);
    const names = (await deps.secrets.names(tx, tenantId)).filter(({ name }) => values.has(name));
    return names.map(({ name, version, updatedBy, updatedAt }) => ({
      name,
      value: isWriteOnlySecret(name) ? null : masked(values.get(name) ?? ""),
      version,
      updated_by: updatedBy,
      updated_at: new Date(updatedAt).toISOString(),
    }));
  });
}

/** Enough to recognise it, too little to use it. */
function masked(value: string): string {
  const shown = value.length >= 12 ? 4 : 1;
  return `${value.slice(0, shown)}…${value.slice(-shown)}`;
}
