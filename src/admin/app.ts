import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { UserError } from "../domain/errors.ts";
import { authenticate, enforceAccess } from "./authenticate.ts";
import type { AdminDeps, AdminEnv, Principal } from "./context.ts";
import { endpointsOf } from "./endpoint.ts";
import { errorResponse, notFound } from "./error-response.ts";
import { type DescribedRoute, openApiOf } from "./openapi.ts";
import { createPages, type ServePages } from "./pages/pages.ts";
import { qualityRoutes } from "./quality-routes.ts";
import { refuseNul } from "./refuse-nul.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { auditRoutes } from "./routes/audit.ts";
import { bookingRoutes } from "./routes/booking.ts";
import { channelRoutes } from "./routes/channels.ts";
import { contactRoutes } from "./routes/contacts.ts";
import { conversationRoutes } from "./routes/conversations.ts";
import { exchangeSettingsRoutes } from "./routes/exchange-settings.ts";
import { knowledgeRoutes } from "./routes/knowledge.ts";
import { meRoutes } from "./routes/me.ts";
import { modelRoutes } from "./routes/models.ts";
import { orderRoutes } from "./routes/orders.ts";
import { payoutRoutes } from "./routes/payouts.ts";
import { policyRoutes } from "./routes/policies.ts";
import { policySimulationRoutes } from "./routes/policy-simulation.ts";
import { replayRoutes } from "./routes/quality-replays.ts";
import { rateRoutes } from "./routes/rates.ts";
import { requisiteRoutes } from "./routes/requisites.ts";
import { secretRoutes } from "./routes/secrets.ts";
import { staffRoutes } from "./routes/staff.ts";
import { stopRoutes } from "./routes/stops.ts";
import { tenantRoutes } from "./routes/tenants.ts";
import { toolRoutes } from "./routes/tools.ts";
import { usageRoutes } from "./routes/usage.ts";

/** A knowledge document is the largest thing that is sent. */
const BODY_BYTES = 2 * 1024 * 1024;

/** The admin API as two functions; neither opens a port. */
export interface Admin {
  /** Requests from outside, paths from `/api/admin` on. */
  fetch(request: Request): Promise<Response>;
  /** Requests of the process itself, without a token. */
  handleAs(principal: Principal, request: Request): Promise<Response>;
  /** What the router answers, below `/api/admin`; the document itself is left out. */
  routes(): { method: string; path: string }[];
  /** Requests of browsers, paths from `/admin` on. */
  pages: ServePages;
}

/**
 * Routes may count on it: a token was checked and, but for `/tenants`, the tenant exists and the
 * principal may do this kind of act there. A change checks again in its transaction.
 */
export function createAdmin(deps: AdminDeps): Admin {
  const app = new Hono<AdminEnv>().basePath("/api/admin");
  app.onError((error, c) => errorResponse(c, error, deps.log));
  app.use(
    bodyLimit({
      maxSize: BODY_BYTES,
      onError() {
        throw new UserError("payload_too_large", `The body is larger than ${BODY_BYTES} bytes`);
      },
    }),
  );
  app.use(refuseNul());
  app.use(authenticate(deps));
  const described: DescribedRoute[] = [];
  app.get("/openapi.json", (c) => c.json(openApiOf(described, deps.version)));
  const mount = (base: string, routes: Hono<AdminEnv>) => {
    app.route(base, routes);
    described.push(
      ...endpointsOf(routes).map((one) => ({
        ...one,
        at: `${base}${one.path === "/" ? "" : one.path}`,
      })),
    );
  };
  mount("/tenants", tenantRoutes(deps)); // before the tenant is resolved: these name it themselves
  app.use(enforceAccess(deps));
  for (const [base, routes] of tenantOwnRoutes(deps)) mount(base, routes);
  app.all("*", (c) => {
    throw notFound(`route ${c.req.method} ${c.req.path}`);
  });
  const fetch = async (request: Request) => app.fetch(plainRequest(request), {});
  const pages = createPages({ ...deps, api: fetch });
  return {
    fetch,
    handleAs: async (principal, request) => app.fetch(request, { principal }),
    routes: () =>
      app.routes
        .filter(({ method }) => method !== "ALL")
        .map(({ method, path }) => ({ method, path: path.replace("/api/admin", "") }))
        .filter(({ path }) => path !== "/openapi.json"),
    pages: async (request, from) => pages(plainRequest(request), from),
  };
}

/** Of a tenant that the token names. */
function tenantOwnRoutes(deps: AdminDeps): [base: string, routes: Hono<AdminEnv>][] {
  return [
    ["/me", meRoutes(deps)],
    ["/tools/booking", bookingRoutes(deps)],
    ["/tools", toolRoutes(deps)],
    ["/policies", policyRoutes(deps)],
    ["/policies/simulate", policySimulationRoutes(deps)],
    ["/usage", usageRoutes(deps)],
    ["/models", modelRoutes(deps)],
    ...qualityRoutes(deps),
    ["/approvals", approvalRoutes(deps)],
    ["/payouts", payoutRoutes(deps)],
    ["/stops", stopRoutes(deps)],
    ["/conversations", conversationRoutes(deps)],
    ["/contacts", contactRoutes(deps)],
    ["/audit", auditRoutes(deps)],
    ["/staff", staffRoutes(deps)],
    ["/channels", channelRoutes(deps)],
    ["/exchange/rates", rateRoutes(deps)],
    ["/exchange/settings", exchangeSettingsRoutes(deps)],
    ["/exchange/requisites", requisiteRoutes(deps)],
    ["/exchange/orders", orderRoutes(deps)],
    ["/quality/replays", replayRoutes(deps)],
    ["/secrets", secretRoutes(deps)],
    ["/kb", knowledgeRoutes(deps)],
  ];
}

/** The server's own light request cannot be copied, and the body's limit copies what has no length. */
function plainRequest({ url, method, headers, body }: Request): Request {
  return new Request(url, { method, headers, ...(body ? { body, duplex: "half" } : {}) });
}
