import { Hono } from "hono";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import { withOwner, withTenant } from "../../store/db.ts";
import {
  createStaff,
  listStaff,
  lockActiveAdmins,
  type StaffIdentity,
  updateStaff,
} from "../../store/staff.ts";
import { revokeTokensOf } from "../../store/tokens.ts";
import { change } from "../change.ts";
import { type AdminContext, type AdminDeps, type AdminEnv, actorOf } from "../context.ts";
import { notFound } from "../error-response.ts";
import { issueToken } from "../issue-token.ts";
import { present } from "../present.ts";
import { readBody } from "../request-input.ts";

const identitySchema = z.discriminatedUnion("messenger", [
  z.strictObject({
    messenger: z.literal("telegram"),
    user_id: z.string().regex(/^[1-9]\d{0,19}$/, "a Telegram user id: digits"),
  }),
  z.strictObject({
    messenger: z.literal("slack"),
    user_id: z.string().regex(/^[UW][A-Z0-9]{2,20}$/, "a Slack user id such as U0ALICE"),
    team_id: z.string().max(20).default(""),
  }),
]);

const roleSchema = z.enum(["operator", "admin"]);
const newSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  role: roleSchema,
  identities: z.array(identitySchema).max(10).default([]),
});
const patchSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(100).optional(),
    role: roleSchema.optional(),
    status: z.enum(["active", "suspended"]).optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, "name at least one field");
const tokenSchema = z.strictObject({ expires_in_days: z.int().min(1).max(365).default(90) });

export function staffRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => c.json({ items: await shownStaff(deps, c.get("tenantId")) }));
  routes.post("/", async (c) => {
    const body = await readBody(c, newSchema);
    const id = await change(c, deps, async (tx, { tenantId, now, audit }) => {
      const identities = body.identities.map(toIdentity);
      const staffId = await createStaff(tx, { tenantId, ...body, identities, now });
      audit("staff.created", `${body.role} with ${identities.length} accounts`, { staffId });
      return staffId;
    });
    return c.json(await shownPerson(deps, c.get("tenantId"), id), 201);
  });
  routes.patch("/:id", async (c) => {
    await updatePerson(c, deps, await readBody(c, patchSchema));
    return c.json(await shownPerson(deps, c.get("tenantId"), c.req.param("id")));
  });
  // people are suspended, not erased: their decisions stay theirs
  routes.delete("/:id", async (c) => {
    await updatePerson(c, deps, { status: "suspended" });
    return c.json(await shownPerson(deps, c.get("tenantId"), c.req.param("id")));
  });
  routes.post("/:id/tokens", async (c) => {
    const text = await c.req.text();
    const body = text.trim() === "" ? { expires_in_days: 90 } : await readBody(c, tokenSchema);
    const token = await issueToken(deps, {
      by: actorOf(c.get("principal")),
      tenantId: c.get("tenantId"),
      staffId: c.req.param("id"),
      days: body.expires_in_days,
    });
    return c.json(present(token), 201);
  });
  return routes;
}

/** A suspended person's tokens die at once. */
async function updatePerson(
  c: AdminContext,
  deps: AdminDeps,
  patch: z.infer<typeof patchSchema>,
): Promise<void> {
  const staffId = c.req.param("id") ?? "";
  const tenantId = c.get("tenantId");
  await change(c, deps, async (tx, { audit }) => {
    const admins = await lockActiveAdmins(tx, tenantId);
    if (!(await updateStaff(tx, { tenantId, staffId }, patch)))
      throw notFound(`staff member ${staffId}`);
    const left = await lockActiveAdmins(tx, tenantId);
    if (admins.length > 0 && left.length === 0)
      throw new UserError("conflict", "The last active admin must stay; make another admin first");
    audit("staff.changed", Object.entries(patch).map(describe).join(", "), { staffId });
  });
  if (patch.status === "suspended")
    await withOwner(deps.db, (tx) =>
      revokeTokensOf(tx, { tenantId, staffId, now: deps.clock.now() }),
    );
}

function describe([field, value]: [string, unknown]): string {
  return field === "name" ? "name was changed" : `${field} is now ${String(value)}`;
}

async function shownStaff(deps: AdminDeps, tenantId: string) {
  const people = await withTenant(deps.db, tenantId, (tx) => listStaff(tx, tenantId));
  return people.map((person) => ({
    ...present(person),
    identities: person.identities.map((identity) => present(identity)),
  }));
}

async function shownPerson(deps: AdminDeps, tenantId: string, id: string) {
  const people = await shownStaff(deps, tenantId);
  return people.find((person) => "id" in person && person.id === id);
}

function toIdentity(identity: z.infer<typeof identitySchema>): StaffIdentity {
  const teamId = identity.messenger === "slack" ? identity.team_id : "";
  return { messenger: identity.messenger, teamId, userId: identity.user_id };
}
