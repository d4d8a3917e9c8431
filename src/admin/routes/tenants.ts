import { Hono } from "hono";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { World } from "../../domain/world.ts";
import { writeAudit } from "../../store/audit.ts";
import { type Tx, withOwner } from "../../store/db.ts";
import { asSystem, enterTenant } from "../../store/enter-tenant.ts";
import { eligibleApprovers } from "../../store/staff.ts";
import {
  changeTenant,
  ensureTenant,
  listTenants,
  markTenantOpen,
  type Tenant,
  tenantById,
} from "../../store/tenants.ts";
import { tokenHolders } from "../../store/tokens.ts";
import { allowAccess } from "../access.ts";
import { rowList, shownRow } from "../answers.ts";
import { type Change, change } from "../change.ts";
import { type AdminDeps, type AdminEnv, actorOf, type Principal } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { present, presentAll } from "../present.ts";

const tenantsAnswer = rowList.extend({ world: z.enum(["real", "sandbox"]) });
/** It stands on one line of every prompt. */
const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, "one line without control characters");
const languageSchema = z.enum(["en", "ru"]);
const newSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "small letters, digits and - (up to 40)"),
  name: nameSchema,
  language: languageSchema.default("en"),
});
const changeSchema = z
  .strictObject({ name: nameSchema.optional(), language: languageSchema.optional() })
  .refine((body) => Object.keys(body).length > 0, "name or language is wanted");

/** The only routes that name a tenant by themselves, and so check rights by themselves. */
export function tenantRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    { method: "get", path: "/", summary: "Tenants that the token may see", answer: tenantsAnswer },
    async (c) => {
      const principal = c.get("principal");
      const all = await withOwner(deps.db, listTenants);
      const visible =
        principal.kind === "setup" ? all : all.filter((one) => one.id === principal.tenantId);
      const world: World = deps.dress.sandbox ? "sandbox" : "real";
      return c.json({ items: presentAll(visible), world });
    },
  );
  endpoint(
    routes,
    {
      method: "post",
      path: "/",
      summary: "Makes a tenant; one that is there stays as it is, and must not be meant to change",
      body: newSchema,
      answer: shownRow,
      otherwise: { 201: shownRow },
    },
    async (c, { body }) => {
      const principal = c.get("principal");
      if (principal.kind === "personal" && principal.tenantId !== body.id)
        throw new UserError("forbidden", "A new tenant is set up with ADMIN_TOKEN");
      const isNew = await createTenant(deps, body);
      const tenant = await withOwner(deps.db, (tx) => tenantById(tx, body.id));
      if (tenant && !isNew) refuseOther(tenant, body);
      return c.json(present(tenant ?? body), isNew ? 201 : 200);
    },
  );
  addTenantChanges(routes, deps);
  return routes;
}

function addTenantChanges(routes: Hono<AdminEnv>, deps: AdminDeps): void {
  endpoint(
    routes,
    {
      method: "patch",
      path: "/:id",
      summary: "Changes what clients are told the office is called, or the staff's language",
      body: changeSchema,
      answer: shownRow,
    },
    async (c, { body }) => {
      const tenantId = c.req.param("id") ?? "";
      const tenant = await withOwner(deps.db, (tx) => tenantById(tx, tenantId));
      if (!tenant) throw notFound(`tenant ${tenantId}`);
      allowAccess({ principal: c.get("principal"), tenant, act: "change" });
      c.set("tenantId", tenantId);
      const changed = await change(c, deps, (tx, by) => renameTenant(tx, deps, { ...body, by }));
      return c.json(present(changed));
    },
  );
  endpoint(
    routes,
    {
      method: "post",
      path: "/:id/open",
      summary: "Ends the set-up of a tenant, for good",
      answer: shownRow,
    },
    async (c) => {
      const tenantId = c.req.param("id") ?? "";
      await openTenant(deps, c.get("principal"), tenantId);
      const tenant = await withOwner(deps.db, (tx) => tenantById(tx, tenantId));
      return c.json(present(tenant ?? { id: tenantId }));
    },
  );
}

/** False: there was one of this id, and it was left as it is. */
function createTenant(deps: AdminDeps, tenant: z.infer<typeof newSchema>): Promise<boolean> {
  const now = deps.clock.now();
  return withOwner(deps.db, async (tx) => {
    if (!(await ensureTenant(tx, { ...tenant, now }))) return false;
    await enterTenant(tx, tenant.id);
    await deps.prepareTenant(tx, tenant.id);
    deps.officeChanged(tx, { tenantId: tenant.id, language: tenant.language });
    await writeAudit(tx, [
      {
        tenantId: tenant.id,
        userId: "setup",
        eventType: "tenant.created",
        summary: `Tenant ${tenant.id} was made`,
        createdAt: now,
      },
    ]);
    return true;
  });
}

/** A repeated request is answered as the first; one that wants another office is not. */
function refuseOther({ id, name, language }: Tenant, asked: z.infer<typeof newSchema>): void {
  if (name === asked.name && language === asked.language) return;
  throw new UserError(
    "conflict",
    `There is a tenant ${id} already ("${name}", ${language}), and it stays as it is; change it with PATCH /api/admin/tenants/${id} and name or language`,
  );
}

/** In force with the commit, in every process. */
async function renameTenant(
  tx: Tx,
  deps: AdminDeps,
  { name, language, by }: z.infer<typeof changeSchema> & { by: Change },
): Promise<Tenant> {
  const { tenantId } = by;
  const before = await tenantById(tx, tenantId);
  if (!before) throw notFound(`tenant ${tenantId}`);
  const after = { ...before, name: name ?? before.name, language: language ?? before.language };
  if (after.name === before.name && after.language === before.language) return before;
  const set = { name: after.name, language: after.language };
  if (!(await asSystem(tx, tenantId, () => changeTenant(tx, tenantId, set))))
    throw new UserError(
      "conflict",
      "Something other than Countersign has changed the office's own row in the database; put it back as it was, or restore a backup",
    );
  deps.officeChanged(tx, { tenantId, language: after.language });
  by.audit(
    "tenant.changed",
    `The office is called "${after.name}", its staff is spoken to in ${after.language}`,
  );
  return after;
}

/** For good. Needs an active admin who holds a token, else nobody could change anything any more. */
function openTenant(deps: AdminDeps, principal: Principal, tenantId: string): Promise<void> {
  const now = deps.clock.now();
  return withOwner(deps.db, async (tx) => {
    const tenant = await tenantById(tx, tenantId);
    if (!tenant) throw notFound(`tenant ${tenantId}`);
    refuseStranger(principal, tenantId);
    const holders = await tokenHolders(tx, tenantId, now);
    if (!(await markTenantOpen(tx, tenantId, now))) return; // it was open
    await enterTenant(tx, tenantId);
    const admins = await eligibleApprovers(tx, tenantId, "admin");
    if (!admins.some((admin) => holders.has(admin.id)))
      throw new UserError(
        "conflict",
        "The tenant needs one active admin with a personal token first: POST /api/admin/staff, then POST /api/admin/staff/:id/tokens",
      );
    await writeAudit(tx, [
      {
        tenantId,
        userId: actorOf(principal),
        eventType: "tenant.opened",
        summary: "The set-up ended: from now on changes need a personal token",
        createdAt: now,
      },
    ]);
  });
}

function refuseStranger(principal: Principal, tenantId: string): void {
  if (principal.kind === "setup") return;
  if (principal.tenantId !== tenantId || principal.role !== "admin")
    throw new UserError("forbidden", "Only an admin of the tenant, or ADMIN_TOKEN, may open it");
}
