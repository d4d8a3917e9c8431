import { Hono } from "hono";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { PolicyRow } from "../../domain/policy-row.ts";
import { isEverAllowed, policyWarnings } from "../../policy/policy-warnings.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { listPolicyRows } from "../../store/policies.ts";
import { eligibleApprovers } from "../../store/staff.ts";
import { policyChange, policyRow } from "../../tools/change-authority/policy.ts";
import { CHANGE_AUTHORITY } from "../../tools/change-authority/tool-name.ts";
import { HANDOFF_TOOL } from "../../tools/handoff-to-operator.ts";
import { askedAnswer } from "../answers.ts";
import { askedBody, changeAuthority } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { HANDOFF_WARNING } from "../handoff-warning.ts";

export const rowsSchema = z.array(policyRow).max(1000);

const listAnswer = z.strictObject({ policies: z.array(policyRow) });
const LIST = {
  method: "get",
  path: "/",
  summary: "Rules of what the bot may do",
  answer: listAnswer,
} as const;
const REPLACE = {
  method: "put",
  path: "/",
  summary: "Replaces the rules by this list, whole; a bare list is taken, too",
  body: z.preprocess(
    (given) => (Array.isArray(given) ? { policies: given } : given),
    z.strictObject({ policies: rowsSchema }),
  ),
  answer: listAnswer.extend({ warnings: z.array(z.string()) }),
  otherwise: { 202: askedAnswer },
} as const;

/**
 * PUT takes the list that GET shows, as `{policies: […]}` or bare: all of it is valid, or nothing
 * changes. 202 with the number of the approval once the tenant is open.
 */
export function policyRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, LIST, async (c) => {
    const tenantId = c.get("tenantId");
    const policies = await withTenant(deps.db, tenantId, (tx) => listPolicyRows(tx, tenantId));
    return c.json({ policies });
  });
  endpoint(routes, REPLACE, async (c, { body: { policies: rows } }) => {
    if (rows.length === 0) throw emptied();
    refuseUnusable(deps, rows);
    const unwanted: string[] = [];
    const requested = await changeAuthority(c, deps, async (tx, tenantId) => {
      const standing = await listPolicyRows(tx, tenantId);
      unwanted.push(...warningsOf(deps, standing, rows));
      return policyChange(standing, rows);
    });
    const tenantId = c.get("tenantId");
    const shown = await withTenant(deps.db, tenantId, async (tx) => ({
      policies: await listPolicyRows(tx, tenantId),
      warnings: [...(await tooFewApprovers(tx, tenantId, rows)), ...unwanted],
    }));
    if (requested.kind !== "asked") return c.json(shown);
    return c.json({ ...askedBody(requested), warnings: shown.warnings }, 202);
  });
  return routes;
}

/** The rule of changes of authority stays, whatever the list says. */
function warningsOf(
  deps: AdminDeps,
  standing: readonly PolicyRow[],
  rows: readonly PolicyRow[],
): string[] {
  const isFixed = ({ tool_name }: PolicyRow) => tool_name === CHANGE_AUTHORITY;
  const after = [...standing.filter(isFixed), ...rows.filter((row) => !isFixed(row))];
  const tools = deps.registry.all().map(({ tool }) => tool);
  const isCut = isEverAllowed(HANDOFF_TOOL, standing) && !isEverAllowed(HANDOFF_TOOL, after);
  return [...policyWarnings(tools, standing, after), ...(isCut ? [HANDOFF_WARNING] : [])];
}

/** Throws UserError for rows that the gate could not weigh. */
export function refuseUnusable(deps: AdminDeps, rows: readonly PolicyRow[]): void {
  const seen = new Set<string>();
  for (const [index, row] of rows.entries()) {
    if (seen.has(row.id)) throw unusable(index, "id", `${row.id} stands twice`);
    seen.add(row.id);
    if (!deps.registry.find(row.tool_name))
      throw unusable(index, "tool_name", `there is no tool ${row.tool_name}`);
  }
  const problems = deps.validatePolicies(rows);
  if (problems && problems.length > 0)
    throw new UserError("unprocessable", problems.join("; "), "policies");
}

/** One slip would leave the desk without a single call that may be made. */
function emptied(): UserError {
  return new UserError(
    "unprocessable",
    "policies: a list without rules would have every call refused; send the rules that shall stand. To switch a tool off, PATCH /api/admin/tools/NAME with is_active false; to stop payouts or orders, POST /api/admin/stops",
    "policies",
  );
}

function unusable(index: number, field: string, why: string): UserError {
  const path = `policies.${index}.${field}`;
  return new UserError("unprocessable", `${path}: ${why}`, path);
}

async function tooFewApprovers(
  tx: Tx,
  tenantId: string,
  rows: readonly PolicyRow[],
): Promise<string[]> {
  const people = {
    operator: (await eligibleApprovers(tx, tenantId, "operator")).length,
    admin: (await eligibleApprovers(tx, tenantId, "admin")).length,
  };
  return (
    rows
      // a tool with effects asks people though its row does not say so
      .filter((row) => row.is_active && (row.requires_approval || row.approvals_required > 1))
      .filter((row) => people[row.approver_role] < row.approvals_required)
      .map(
        (row) =>
          `${row.id}: wants ${row.approvals_required} decisions, but ${people[row.approver_role]} people may decide; the call will be refused`,
      )
  );
}
