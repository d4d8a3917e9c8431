/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import { ApiRefusal, type Refusal } from "./api-client.ts";
import type { Guards } from "./guard.ts";
import type { PagesContext, PagesEnv } from "./page-context.ts";
import { casePages } from "./quality-cases.tsx";
import { proposalPages } from "./quality-proposals.tsx";
import { reviewPages } from "./quality-review.tsx";

/** What people think of replies, what follows from it, and the cases that keep it from coming back. */
export function qualityPages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/labels.jsonl", (c) => download(c, "/quality/tool-call-feedback/export.jsonl"));
  routes.get("/cases.jsonl", (c) =>
    download(c, "/quality/tool-call-regression-cases/export.jsonl"),
  );
  routes.route("/proposals", proposalPages(guards));
  routes.route("/cases", casePages(guards));
  routes.route("/", reviewPages(guards));
  return routes;
}

/** As the API made it, with the query of the link. */
async function download(c: PagesContext, path: string): Promise<Response> {
  const answer = await c.get("page").api.fetch(path, c.req.query());
  if (!answer.ok) {
    const { error } = (await answer.json()) as { error: Refusal }; // the API's own shape
    throw new ApiRefusal(answer.status, error);
  }
  const type = answer.headers.get("content-type") ?? "application/x-ndjson";
  const name = c.req.path.split("/").at(-1);
  return c.body(await answer.text(), 200, {
    "Content-Type": type,
    "Content-Disposition":
      answer.headers.get("content-disposition") ?? `attachment; filename="${name}"`,
  });
}
