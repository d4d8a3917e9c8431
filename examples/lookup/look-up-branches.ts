import { z } from "zod";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import type { Tx } from "../../src/store/db.ts";
import type { RagTool } from "../../src/tools/contract.ts";
import { argumentsOf, isoTime, success } from "../../src/tools/results.ts";

/** One place of the business. */
export interface Branch {
  id: string;
  city: string;
  street: string;
}

/** Where the example reads: a query of `src/store` in a tool of your own. The tenant is the session's. */
export type FindBranches = (
  tx: Tx,
  query: { tenantId: string; text: string; limit: number },
) => Promise<Branch[]>;

const LONGEST_QUERY = 200;

const parameters = z.strictObject({
  query: z.string().describe("a city or a street, in the client's words"),
  limit: z.literal([1, 2, 3]).meta({ type: "integer" }),
});
type Args = z.infer<typeof parameters>;

/** The smallest whole tool: reads, and nothing else. */
export function lookUpBranches(deps: { findBranches: FindBranches }): RagTool<Args> {
  return {
    name: "look_up_branches",
    title: "Branches",
    description: {
      does: "Finds places of the business by city or street.",
      when: "the client asks where to come, and names a place.",
      whenNot: "for opening hours, rates or the client's own order.",
      needs: "query and limit.",
      limits: "query up to 200 characters; limit 1, 2 or 3.",
      returns: "branches with id, city and street; none means that there is none in our list.",
    },
    risk: "read_only",
    sideEffectType: "none",
    parameters,
    output: z.object({
      ok: z.literal(true),
      branches: z.array(z.object({ id: z.string(), city: z.string(), street: z.string() })),
      receivedAt: z.string(),
    }),
    offered: true,
    staged: false,
    shown: ["city", "street"],
    isAvailable: () => true,
    check: queryProblem,
    async run(call) {
      const { query, limit } = argumentsOf(parameters, call);
      const { tenantId } = call;
      const text = query.trim();
      const branches = await call.read((tx) => deps.findBranches(tx, { tenantId, text, limit }));
      const summary = `${branches.length} branches`;
      const data = {
        branches: branches.slice(0, limit).map(({ id, city, street }) => ({ id, city, street })),
        receivedAt: isoTime(call.now),
      };
      return { kind: "result", result: success({ type: "branches", summary }, data) };
    },
  };
}

/** A rule of the application, not of the schema: both refuse, and the model is told which. */
function queryProblem({ query }: Args): string | null {
  const length = query.trim().length;
  if (length === 0) return "query: is blank";
  return length > LONGEST_QUERY ? `query: has more than ${LONGEST_QUERY} characters` : null;
}

/** Without a row of its own the gate refuses every call. */
export const LOOK_UP_BRANCHES_POLICY: PolicyRow = {
  id: "default-look_up_branches",
  tool_name: "look_up_branches",
  role: "support",
  condition_json: {},
  allow_call: true,
  requires_approval: false,
  approvals_required: 1,
  approver_role: "operator",
  approval_ttl_s: null,
  max_calls_per_run: 3,
  max_payload_size: 2_000,
  is_active: true,
};
