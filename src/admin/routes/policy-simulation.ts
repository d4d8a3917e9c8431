import { Hono } from "hono";
import { z } from "zod";
import type { PolicyRow } from "../../domain/policy-row.ts";
import { type Simulation, simulateOn, type Verdict } from "../../quality/simulate.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { listPolicyRows } from "../../store/policies.ts";
import { proposalDecisions } from "../../store/quality-gates.ts";
import { policyChange } from "../../tools/change-authority/policy.ts";
import { CHANGE_AUTHORITY } from "../../tools/change-authority/tool-name.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { refuseUnusable, rowsSchema } from "./policies.ts";
import { shownTime, timeField } from "./quality-fields.ts";

const WEEK_MS = 7 * 86_400_000;
const MOST_CALLS = 5000;

const verdict = z.strictObject({
  result: z.enum(["allow", "approval", "deny"]),
  policy_id: z.string().nullable(),
  reason: z.string().nullable(),
});
const SIMULATE = {
  method: "post",
  path: "/",
  summary: "What these rules would have said of recorded calls, the newest 5000; changes nothing",
  body: z.strictObject({ policies: rowsSchema, since: timeField.optional() }),
  answer: z.strictObject({
    candidates: z.int().describe("Recorded calls that were looked at"),
    changed: z
      .array(
        z.strictObject({
          candidate_id: z.string(),
          conversation_id: z.string().nullable(),
          tool_name: z.string(),
          at: shownTime,
          before: verdict,
          after: verdict,
        }),
      )
      .describe("The newest 200 that come out otherwise"),
    counts: z.record(z.string(), z.int()).describe("Of all that change, by `allow→approval`"),
    unreadable: z.int().describe("Their facts are of an older version: they are left as they are"),
  }),
} as const;

/** Below `/policies/simulate`. A read, for all that it has a body. */
export function policySimulationRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, SIMULATE, async (c, { body }) => {
    refuseUnusable(deps, body.policies);
    const tenantId = c.get("tenantId");
    const since = body.since ?? deps.clock.now() - WEEK_MS;
    const { rows, recorded } = await withTenant(deps.db, tenantId, async (tx) => ({
      rows: await wholePolicy(tx, tenantId, body.policies),
      recorded: await proposalDecisions(tx, { tenantId, since, limit: MOST_CALLS }),
    }));
    return c.json(presentSimulation(await simulateOn(recorded, rows)));
  });
  return routes;
}

/** As it would stand: the rule of changes like this one is fixed. Throws UserError. */
async function wholePolicy(
  tx: Tx,
  tenantId: string,
  wanted: readonly PolicyRow[],
): Promise<PolicyRow[]> {
  const standing = await listPolicyRows(tx, tenantId);
  policyChange(standing, wanted); // refuses what a change would refuse
  const isFixed = ({ tool_name }: PolicyRow) => tool_name === CHANGE_AUTHORITY;
  return [...standing.filter(isFixed), ...wanted.filter((row) => !isFixed(row))];
}

function presentSimulation(found: Simulation): z.input<typeof SIMULATE.answer> {
  const { candidates, counts, unreadable } = found;
  const changed = found.changed.map((one) => ({
    candidate_id: one.candidateId,
    conversation_id: one.conversationId,
    tool_name: one.toolName,
    at: new Date(one.at).toISOString(),
    before: presentVerdict(one.before),
    after: presentVerdict(one.after),
  }));
  return { candidates, changed, counts, unreadable };
}

function presentVerdict({ result, policyId, reason }: Verdict): z.input<typeof verdict> {
  return { result, policy_id: policyId, reason };
}
