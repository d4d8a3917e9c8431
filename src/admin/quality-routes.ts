import type { Hono } from "hono";
import type { AdminDeps, AdminEnv } from "./context.ts";
import { caseMakingRoutes, caseRoutes } from "./routes/quality-cases.ts";
import { coachRoutes } from "./routes/quality-coach.ts";
import { evalRoutes } from "./routes/quality-evals.ts";
import { qualityFeedbackRoutes } from "./routes/quality-feedback.ts";
import { proposalListRoutes, proposalRoutes } from "./routes/quality-proposals.ts";
import { skillRoutes, styleRoutes } from "./routes/quality-styles.ts";
import { qualityCallRoutes } from "./routes/quality-tool-calls.ts";

/** Where labels become proposals, and proposals regression cases; each with its place. */
export function qualityRoutes(deps: AdminDeps): [base: string, routes: Hono<AdminEnv>][] {
  return [
    ["/quality/tool-calls", qualityCallRoutes(deps)],
    ["/quality/tool-call-feedback", qualityFeedbackRoutes(deps)],
    ["/quality/tool-call-feedback", proposalListRoutes(deps)],
    ["/quality/proposals", proposalRoutes(deps)],
    ["/quality/proposals", caseMakingRoutes(deps)],
    ["/quality/tool-call-regression-cases", caseRoutes(deps)],
    ["/quality/styles", styleRoutes(deps)],
    ["/quality/skills", skillRoutes(deps)],
    ["/quality/coach/proposals", coachRoutes(deps)],
    ["/quality/evals", evalRoutes(deps)],
  ];
}
