import { Hono } from "hono";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { PolicyRow } from "../../domain/policy-row.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { listPolicyRows, replacePolicyRows } from "../../store/policies.ts";
import { eligibleApprovers } from "../../store/staff.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { parseInput, readJson } from "../request-input.ts";

const WEEK_S = 7 * 86_400;

const rowSchema: z.ZodType<PolicyRow> = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/, "letters, digits, _ . : - (up to 100)"),
  tool_name: z.string().min(1),
  role: z.string().min(1).max(64),
  condition_json: z.record(z.string(), z.json()).default({}) as z.ZodType<JsonObject>, // plain JSON by the line above
  allow_call: z.boolean(),
  requires_approval: z.boolean(),
  approvals_required: z.int().min(1).max(10).default(1),
  approver_role: z.enum(["operator", "admin"]).default("operator"),
  approval_ttl_s: z.int().min(60).max(WEEK_S).nullable().default(null),
  max_calls_per_run: z.int().min(0).max(100),
  max_payload_size: z.int().min(1).max(1_000_000),
  is_active: z.boolean(),
});
const rowsSchema = z.array(rowSchema).max(1000);

/** PUT takes the list that GET shows, as `{policies: […]}` or bare: all of it is valid, or nothing changes. */
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
    const warnings = await change(c, deps, async (tx, { tenantId, audit }) => {
      const before = await listPolicyRows(tx, tenantId);
      await replacePolicyRows(tx, tenantId, rows);
      audit("policies.replaced", `${before.length} policy rows were replaced by ${rows.length}`, {
        changed: changedIds(before, rows).join(" "),
      });
      return tooFewApprovers(tx, tenantId, rows);
    });
    return c.json({ policies: rows, warnings });
  });
  return routes;
}

/** A union's own errors name no path: the wrapper is taken off first. */
function parseRows(body: unknown): PolicyRow[] {
  if (Array.isArray(body)) return parseInput(body, rowsSchema);
  return parseInput(body, z.strictObject({ policies: rowsSchema })).policies;
}

function refuseUnusable(deps: AdminDeps, rows: readonly PolicyRow[]): void {
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

function changedIds(before: readonly PolicyRow[], after: readonly PolicyRow[]): string[] {
  const old = new Map(before.map((row) => [row.id, JSON.stringify(row)]));
  const written = new Map(after.map((row) => [row.id, JSON.stringify(row)]));
  return [...new Set([...old.keys(), ...written.keys()])].filter(
    (id) => old.get(id) !== written.get(id),
  );
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
  return rows
    .filter((row) => row.is_active && row.requires_approval)
    .filter((row) => people[row.approver_role] < row.approvals_required)
    .map(
      (row) =>
        `${row.id}: wants ${row.approvals_required} decisions, but ${people[row.approver_role]} people may decide; the call will be refused`,
    );
}
