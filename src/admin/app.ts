import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { UserError } from "../domain/errors.ts";
import { authenticate, enforceAccess } from "./authenticate.ts";
import type { AdminDeps, AdminEnv, Principal } from "./context.ts";
import { errorResponse, notFound } from "./error-response.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { auditRoutes } from "./routes/audit.ts";
import { bookingRoutes } from "./routes/booking.ts";
import { channelRoutes } from "./routes/channels.ts";
import { contactRoutes } from "./routes/contacts.ts";
import { conversationRoutes } from "./routes/conversations.ts";
import { exchangeSettingsRoutes } from "./routes/exchange-settings.ts";
import { knowledgeRoutes } from "./routes/knowledge.ts";
import { orderRoutes } from "./routes/orders.ts";
import { payoutRoutes } from "./routes/payouts.ts";
import { policyRoutes } from "./routes/policies.ts";
import { rateRoutes } from "./routes/rates.ts";
import { requisiteRoutes } from "./routes/requisites.ts";
import { secretRoutes } from "./routes/secrets.ts";
import { staffRoutes } from "./routes/staff.ts";
import { stopRoutes } from "./routes/stops.ts";
import { tenantRoutes } from "./routes/tenants.ts";
import { toolRoutes } from "./routes/tools.ts";

/** A knowledge document is the largest thing that is sent. */
const BODY_BYTES = 2 * 1024 * 1024;

/** The admin API as two functions; neither opens a port. */
export interface Admin {
  /** Requests from outside, paths from `/api/admin` on. */
  fetch(request: Request): Promise<Response>;
  /** Requests of the process itself, without a token. */
  handleAs(principal: Principal, request: Request): Promise<Response>;
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
  app.use(authenticate(deps));
  app.route("/tenants", tenantRoutes(deps)); // before the tenant is resolved: these name it themselves
  app.use(enforceAccess(deps));
  app.route("/tools/booking", bookingRoutes(deps));
  app.route("/tools", toolRoutes(deps));
  app.route("/policies", policyRoutes(deps));
  app.route("/approvals", approvalRoutes(deps));
  app.route("/payouts", payoutRoutes(deps));
  app.route("/stops", stopRoutes(deps));
  app.route("/conversations", conversationRoutes(deps));
  app.route("/contacts", contactRoutes(deps));
  app.route("/audit", auditRoutes(deps));
  app.route("/staff", staffRoutes(deps));
  app.route("/channels", channelRoutes(deps));
  app.route("/exchange/rates", rateRoutes(deps));
  app.route("/exchange/settings", exchangeSettingsRoutes(deps));
  app.route("/exchange/requisites", requisiteRoutes(deps));
  app.route("/exchange/orders", orderRoutes(deps));
  app.route("/secrets", secretRoutes(deps));
  app.route("/kb", knowledgeRoutes(deps));
  app.all("*", (c) => {
    throw notFound(`route ${c.req.method} ${c.req.path}`);
  });
  return {
    fetch: async (request) => app.fetch(plainRequest(request), {}),
    handleAs: async (principal, request) => app.fetch(request, { principal }),
  };
}

/** The server's own light request cannot be copied, and the body's limit copies what has no length. */
function plainRequest({ url, method, headers, body }: Request): Request {
  return new Request(url, { method, headers, ...(body ? { body, duplex: "half" } : {}) });
}
