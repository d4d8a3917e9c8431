import { Hono } from "hono";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { PolicyRow } from "../../domain/policy-row.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { listPolicyRows } from "../../store/policies.ts";
import { eligibleApprovers } from "../../store/staff.ts";
import { policyChange, policyRow } from "../../tools/change-authority/policy.ts";
import { askedBody, changeAuthority } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { parseInput, readJson } from "../request-input.ts";

const rowsSchema = z.array(policyRow).max(1000);

/**
 * PUT takes the list that GET shows, as `{policies: […]}` or bare: all of it is valid, or nothing
 * changes. 202 with the number of the approval once the tenant is open.
 */
export function policyRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => {
    const tenantId = c.get("tenantId");
    const policies = await withTenant(deps.db, tenantId, (tx) => listPolicyRows(tx, tenantId));
    return c.json({ policies });
  });
  routes.put("/", async (c) => {
    const rows = parseRows(await readJson(c));
    refuseUnusable(deps, rows);
    const requested = await changeAuthority(c, deps, async (tx, tenantId) =>
      policyChange(await listPolicyRows(tx, tenantId), rows),
    );
    const tenantId = c.get("tenantId");
    const shown = await withTenant(deps.db, tenantId, async (tx) => ({
      policies: await listPolicyRows(tx, tenantId),
      warnings: await tooFewApprovers(tx, tenantId, rows),
    }));
    if (requested.kind !== "asked") return c.json(shown);
    return c.json({ ...askedBody(requested), warnings: shown.warnings }, 202);
  });
  return routes;
}

/** A union's own errors name no path: the wrapper is taken off first. */
function parseRows(body: unknown): PolicyRow[] {
  if (Array.isArray(body)) return parseInput(body, rowsSchema);
  return parseInput(body, z.strictObject({ policies: rowsSchema })).policies;
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
