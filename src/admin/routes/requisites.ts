import { Hono } from "hono";
import { z } from "zod";
import { withTenant } from "../../store/db.ts";
import { sealRequisites } from "../../tools/change-authority/requisites.ts";
import { isWriteOnlySecret } from "../../tools/exchange/secret-names.ts";
import { askedAnswer, rowList } from "../answers.ts";
import { askedBody, changeAuthority } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint, type Handle } from "../endpoint.ts";

const PREFIX = "exchange_";
const bodySchema = z
  .record(z.string(), z.string().trim().min(1).max(2000).nullable())
  .refine((values) => Object.keys(values).length > 0, "name at least one requisite");

/**
 * Where leads pay, and what they are told of the office. POST {name: value}; null removes. 202 with
 * the number of the approval once the tenant is open.
 */
export function requisiteRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    { method: "get", path: "/", summary: "Where clients pay; values are masked", answer: rowList },
    async (c) => c.json({ items: await listRequisites(deps, c.get("tenantId")) }),
  );
  const write: Handle<Record<string, never>, z.infer<typeof bodySchema>> = async (c, { body }) => {
    const wanted = sealRequisites(deps.secrets, c.get("tenantId"), body);
    const requested = await changeAuthority(c, deps, () => wanted);
    if (requested.kind === "asked") return c.json(askedBody(requested), 202);
    return c.json({ items: await listRequisites(deps, c.get("tenantId")) });
  };
  const spec = { path: "/", summary: "Sets requisites; null takes one away", body: bodySchema };
  const answers = { answer: rowList, otherwise: { 202: askedAnswer } };
  endpoint(routes, { method: "post", ...spec, ...answers }, write);
  endpoint(routes, { method: "put", ...spec, ...answers }, write);
  return routes;
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
