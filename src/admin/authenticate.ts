import { createMiddleware } from "hono/factory";
import { UserError } from "../domain/errors.ts";
import { withOwner } from "../store/db.ts";
import { enterTenant } from "../store/enter-tenant.ts";
import { staffById } from "../store/staff.ts";
import { tenantById } from "../store/tenants.ts";
import { verifyToken } from "../store/tokens.ts";
import { type Access, allowAccess } from "./access.ts";
import type { AdminDeps, AdminEnv, Principal } from "./context.ts";
import { notFound } from "./error-response.ts";

const DEFAULT_TENANT = "default";
/** What operators do, too: decide on an approval, end an order, stop, suspend, label a call. */
const DECISION_PATH =
  /\/approvals\/[^/]+\/decision$|\/exchange\/orders\/[^/]+$|\/staff\/[^/]+\/suspend$|\/stops$|\/quality\/tool-calls\/[^/]+\/feedback$/;
/** Files of what clients wrote. */
const EXPORT_PATH = /\/export\.jsonl$/;
/** Sent with a body, and changes nothing. */
const READING_PATH = /\/policies\/simulate$/;

/** Sets `principal`; 401 without a token that works now. */
export function authenticate(deps: AdminDeps) {
  return createMiddleware<AdminEnv>(async (c, next) => {
    const inProcess = c.env.principal;
    c.set("principal", inProcess ?? (await principalOf(deps, c.req.header("authorization"))));
    await next();
  });
}

/** Sets `tenantId` and refuses what the principal may not do there. */
export function enforceAccess(deps: AdminDeps) {
  return createMiddleware<AdminEnv>(async (c, next) => {
    const principal = c.get("principal");
    const asked = c.req.query("tenant");
    const own = principal.kind === "personal" ? principal.tenantId : DEFAULT_TENANT;
    const tenant = await withOwner(deps.db, (tx) => tenantById(tx, asked ?? own));
    if (!tenant) throw notFound(`tenant ${asked ?? own}`);
    allowAccess({ principal, tenant, act: actOf(c.req.method, c.req.path) });
    c.set("tenantId", tenant.id);
    await next();
  });
}

/** Decisions are told by their path: they are what operators may do beside reading. */
export function actOf(method: string, path: string): Access["act"] {
  const isReading = method === "GET" || method === "HEAD";
  if (isReading && EXPORT_PATH.test(path)) return "export";
  if (isReading || READING_PATH.test(path)) return "read";
  return DECISION_PATH.test(path) ? "decide" : "change";
}

async function principalOf(deps: AdminDeps, header: string | undefined): Promise<Principal> {
  const token = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  const principal = token && (await holderOf(deps, token));
  if (!principal)
    throw new UserError(
      "unauthorized",
      "Send Authorization: Bearer with ADMIN_TOKEN or a personal token that has not expired",
    );
  return principal;
}

/** A suspended person's token is as good as none. */
function holderOf(deps: AdminDeps, token: string): Promise<Principal | null> {
  return withOwner(deps.db, async (tx) => {
    const holder = await verifyToken(tx, token, deps.clock.now());
    if (!holder || holder.kind === "setup") return holder;
    const { tenantId, staffId } = holder;
    await enterTenant(tx, tenantId);
    const person = await staffById(tx, tenantId, staffId);
    if (person?.status !== "active") return null;
    return { kind: "personal", tenantId, staffId, role: person.role };
  });
}
