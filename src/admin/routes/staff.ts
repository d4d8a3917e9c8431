import { Hono } from "hono";
import { z } from "zod";
import type { Requested } from "../../desk/request-change.ts";
import { suspendStaff } from "../../desk/suspend-staff.ts";
import { withOwner, withTenant } from "../../store/db.ts";
import { asOwner } from "../../store/enter-tenant.ts";
import { listStaff, type StaffIdentity, staffById, updateStaff } from "../../store/staff.ts";
import { drawToken, listTokensOf, revokeToken } from "../../store/tokens.ts";
import { askedAnswer, rowList, shownRow } from "../answers.ts";
import { askedBody, type ChangeAct, change, changeAuthority } from "../change.ts";
import { type AdminContext, type AdminDeps, type AdminEnv, actorOf } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { issueToken } from "../issue-token.ts";
import { present, presentAll } from "../present.ts";

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
const tokenAnswer = z.looseObject({ id: z.string(), token: z.string(), expires_at: z.string() });
const revokedAnswer = z.strictObject({ id: z.string(), revoked: z.literal(true) });

const suspendSchema = z.strictObject({ reason: z.string().trim().max(300).default("") });

const GET = {
  method: "get",
  path: "/",
  summary: "The staff with their accounts in messengers",
  answer: rowList,
} as const;
const POST = {
  method: "post",
  path: "/",
  summary: "Adds a person",
  body: newSchema,
  answer: shownRow,
  status: 201,
  otherwise: { 202: askedAnswer },
} as const;
const PATCH_ID = {
  method: "patch",
  path: "/:id",
  summary: "Changes a person",
  body: patchSchema,
  answer: shownRow,
  otherwise: { 202: askedAnswer },
} as const;
const POST_ID_IDENTITIES = {
  method: "post",
  path: "/:id/identities",
  summary: "Adds an account in a messenger",
  body: identitySchema,
  answer: shownRow,
  status: 201,
  otherwise: { 202: askedAnswer },
} as const;
const DELETE_ID = {
  method: "delete",
  path: "/:id",
  summary: "Suspends a person",
  answer: shownRow,
} as const;
const POST_ID_SUSPEND = {
  method: "post",
  path: "/:id/suspend",
  summary: "Suspends a person, by any of the staff",
  body: suspendSchema,
  answer: shownRow,
} as const;
const POST_ID_TOKENS = {
  method: "post",
  path: "/:id/tokens",
  summary: "Makes a personal token; shown this once",
  body: tokenSchema,
  mayBeEmpty: true,
  answer: tokenAnswer,
  status: 201,
  otherwise: { 202: askedAnswer },
} as const;
const GET_ID_TOKENS = {
  method: "get",
  path: "/:id/tokens",
  summary: "Tokens of a person, without their values",
  answer: rowList,
} as const;
const DELETE_ID_TOKENS_TOKEN = {
  method: "delete",
  path: "/:id/tokens/:token",
  summary: "Ends a personal token",
  answer: revokedAnswer,
} as const;

/** Who may do what is decided on once the tenant is open: 202 with the number of the approval. */
export function staffRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, GET, async (c) => c.json({ items: await shownStaff(deps, c.get("tenantId")) }));
  endpoint(routes, POST, async (c, { body }) => {
    const { name, role, identities } = body;
    const person = { op: "create" as const, name, role, identities: identities.map(toIdentity) };
    const requested = await changeAuthority(c, deps, () => ({ kind: "staff", change: person }));
    if (requested.kind === "asked") return c.json(askedBody(requested), 202);
    return c.json(await shownPerson(deps, c.get("tenantId"), madeId(requested)), 201);
  });
  endpoint(routes, PATCH_ID, async (c, { body }) => {
    const { name, role, status } = body;
    const staffId = c.req.param("id") ?? "";
    await refuseStranger(c, deps, staffId);
    if (name !== undefined) await rename(c, deps, { staffId, name });
    if (status === "suspended") await suspend(c, deps, { staffId, reason: "" });
    const update = { ...(role ? { role } : {}), ...(status === "active" ? RESTORE : {}) };
    if (Object.keys(update).length > 0) {
      const change = { op: "update" as const, staffId, ...update };
      const requested = await changeAuthority(c, deps, () => ({ kind: "staff", change }));
      if (requested.kind === "asked") return c.json(askedBody(requested), 202);
    }
    return c.json(await shownPerson(deps, c.get("tenantId"), staffId));
  });
  endpoint(routes, POST_ID_IDENTITIES, async (c, { body }) => {
    const staffId = c.req.param("id") ?? "";
    const add = [toIdentity(body)];
    const change = { op: "identities" as const, staffId, add };
    const requested = await changeAuthority(c, deps, () => ({ kind: "staff", change }));
    if (requested.kind === "asked") return c.json(askedBody(requested), 202);
    return c.json(await shownPerson(deps, c.get("tenantId"), staffId), 201);
  });
  // people are suspended, not erased: their decisions stay theirs
  endpoint(routes, DELETE_ID, async (c) => {
    const staffId = c.req.param("id") ?? "";
    await suspend(c, deps, { staffId, reason: "" });
    return c.json(await shownPerson(deps, c.get("tenantId"), staffId));
  });
  endpoint(routes, POST_ID_SUSPEND, async (c, { body: { reason } }) => {
    const staffId = c.req.param("id") ?? "";
    await suspend(c, deps, { staffId, reason }, "decide");
    return c.json(await shownPerson(deps, c.get("tenantId"), staffId));
  });
  endpoint(routes, POST_ID_TOKENS, async (c, { body }) =>
    makeToken(c, deps, c.req.param("id") ?? "", body.expires_in_days),
  );
  endpoint(routes, GET_ID_TOKENS, async (c) => {
    const staffId = c.req.param("id") ?? "";
    await refuseStranger(c, deps, staffId);
    const who = { tenantId: c.get("tenantId"), staffId, now: deps.clock.now() };
    const tokens = await withOwner(deps.db, (tx) => listTokensOf(tx, who));
    return c.json({ items: presentAll(tokens) });
  });
  endpoint(routes, DELETE_ID_TOKENS_TOKEN, async (c) => {
    const staffId = c.req.param("id") ?? "";
    const tokenId = c.req.param("token") ?? "";
    await endToken(c, deps, { staffId, tokenId });
    return c.json({ id: tokenId, revoked: true });
  });
  return routes;
}

const RESTORE = { restore: true } as const;

async function refuseStranger(c: AdminContext, deps: AdminDeps, staffId: string): Promise<void> {
  const tenantId = c.get("tenantId");
  const person = await withTenant(deps.db, tenantId, (tx) => staffById(tx, tenantId, staffId));
  if (!person) throw notFound(`staff member ${staffId}`);
}

function rename(
  c: AdminContext,
  deps: AdminDeps,
  { staffId, name }: { staffId: string; name: string },
): Promise<void> {
  return change(c, deps, async (tx, { tenantId, audit }) => {
    await updateStaff(tx, { tenantId, staffId }, { name });
    audit("staff.changed", "name was changed", { staffId });
  });
}

/** At once, whoever asks. */
function suspend(
  c: AdminContext,
  deps: AdminDeps,
  who: { staffId: string; reason: string },
  act: ChangeAct = "change",
): Promise<boolean> {
  return change(
    c,
    deps,
    (tx, { tenantId, by }) => suspendStaff(tx, deps, { tenantId, by, language: "en", ...who }),
    act,
  );
}

/** One's own is made at once; whoever holds another's acts as that person, so it is decided on. */
async function makeToken(
  c: AdminContext,
  deps: AdminDeps,
  staffId: string,
  days: number,
): Promise<Response> {
  const by = actorOf(c.get("principal"));
  const tenantId = c.get("tenantId");
  if (by === staffId)
    return c.json(present(await issueToken(deps, { by, tenantId, staffId, days })), 201);
  const { token, tokenHash } = drawToken();
  const change = { kind: "token" as const, staffId, tokenHash, days };
  const requested = await changeAuthority(c, deps, () => change);
  if (requested.kind === "asked") return c.json({ ...askedBody(requested), token }, 202);
  const expiresAt = deps.clock.now() + days * 86_400_000;
  return c.json(present({ id: madeId(requested), token, expiresAt }), 201);
}

/** An admin's to do, at once: it takes power away and gives none. */
function endToken(
  c: AdminContext,
  deps: AdminDeps,
  token: { staffId: string; tokenId: string },
): Promise<void> {
  return change(c, deps, async (tx, { tenantId, now, audit }) => {
    const end = () => revokeToken(tx, { tenantId, now, ...token });
    if (!(await asOwner(tx, tenantId, end)))
      throw notFound(`token ${token.tokenId} of staff member ${token.staffId}`);
    audit("token.revoked", "A personal token was ended", token);
  });
}

function madeId(requested: Requested): string {
  const made = requested.kind === "done" ? requested.made : {};
  return String(made.tokenId ?? made.staffId ?? "");
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
