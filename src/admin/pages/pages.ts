import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { approvalPages } from "./approvals-pages.tsx";
import { readAsset } from "./assets.ts";
import { auditPages } from "./audit-page.tsx";
import { conversationPages } from "./conversation-pages.tsx";
import { entryRoutes } from "./entry.tsx";
import { evalPages } from "./evals-pages.tsx";
import { framePages, loadPage, refuseForgeries } from "./guard.ts";
import { createLogInLimit } from "./log-in-limit.ts";
import type { PagesDeps, PagesEnv } from "./page-context.ts";
import { policyPages } from "./policies-page.tsx";
import { qualityPages } from "./quality-pages.tsx";
import { explainErrors, missingPage, refuseLargeBody } from "./refusal-page.tsx";
import { replayPages } from "./replay-pages.tsx";
import { createSessionSeal } from "./session.ts";
import { stylePages } from "./styles-pages.tsx";
import { toolPages } from "./tools-page.tsx";
import { usagePages } from "./usage-page.tsx";

/** Requests from outside, paths from `/admin` on. `address`: who asks, for counting log-ins. */
export type ServePages = (request: Request, from: { address: string }) => Promise<Response>;

const BODY_BYTES = 2 * 1024 * 1024;

/** The pages for staff: forms and links that work without scripts. */
export function createPages(deps: PagesDeps): ServePages {
  const app = new Hono<PagesEnv>().basePath("/admin");
  const seal = createSessionSeal(deps.secrets);
  const parts = { ...deps, seal, limit: createLogInLimit() };
  app.onError(explainErrors(parts));
  app.notFound(missingPage);
  app.get("/assets/:name", (c) => {
    const asset = readAsset(c.req.param("name"));
    if (!asset) return c.notFound();
    return c.body(new Uint8Array(asset.bytes), 200, {
      "Content-Type": asset.type,
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
    });
  });
  app.use(framePages(parts));
  app.use(bodyLimit({ maxSize: BODY_BYTES, onError: refuseLargeBody }));
  app.use(refuseForgeries(parts));
  app.route("/", entryRoutes(parts));
  app.use(loadPage(parts));
  app.get("/", (c) => c.redirect("/admin/tools"));
  app.route("/tools", toolPages(parts));
  app.route("/approvals", approvalPages(parts));
  app.route("/conversations", conversationPages());
  app.route("/quality", qualityPages(parts));
  app.route("/replays", replayPages(parts));
  app.route("/styles", stylePages(parts));
  app.route("/evals", evalPages(parts));
  app.route("/policies", policyPages(parts));
  app.route("/usage", usagePages(parts));
  app.route("/audit", auditPages());
  return async (request, from) => app.fetch(request, from);
}
