import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { PolicyRow } from "../../domain/policy-row.ts";
import { writeAudit } from "../../store/audit.ts";
import type { Tx } from "../../store/db.ts";
import { listPolicyRows, replacePolicyRows } from "../../store/policies.ts";
import { type AuthorityKind, auditRow } from "./kind.ts";
import { policyLine } from "./policy-line.ts";
import { CHANGE_AUTHORITY } from "./tool-name.ts";

const WEEK_S = 7 * 86_400;

/**
 * One row of a tenant's policy as it may be written. Limits of one call: `max_payload_size` in
 * bytes of its arguments, `approval_ttl_s` in seconds (a minute to a week; null: the installation's
 * default).
 */
export const policyRow: z.ZodType<PolicyRow> = z.strictObject({
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
  max_payload_size: z.int().min(0).max(1_000_000),
  is_active: z.boolean(),
});

const policyArgs = z.strictObject({
  kind: z.literal("policy"),
  /** New rows, and rows that become another. */
  set: z.array(policyRow),
  /** Ids of rows that go. */
  remove: z.array(z.string()),
});
/** All rows that are to change in one request: people approve the set, not each row. */
export type PolicyArgs = z.infer<typeof policyArgs>;

/** The rules of what the bot may do, and who must say yes to it. */
export const policy: AuthorityKind<PolicyArgs> = {
  args: policyArgs,
  async plan(tx, _deps, scope, args) {
    const standing = await rowsById(tx, scope.tenantId);
    const fresh = new Map<string, PolicyRow | null>([
      ...args.set.map((row) => [row.id, row] as const),
      ...args.remove.map((id) => [id, null] as const),
    ]);
    const ids = [...fresh.keys()].sort();
    return {
      subject: "", // a list is replaced whole: the newer request is about all of it
      before: Object.fromEntries(ids.map((id) => [id, asJson(standing.get(id))])),
      after: Object.fromEntries(ids.map((id) => [id, asJson(fresh.get(id))])),
      material: ids.map((id) => ({
        label: id,
        value: policyLine(standing.get(id) ?? null, fresh.get(id) ?? null, scope.language),
      })),
    };
  },
  async apply(tx, deps, scope, { set, remove }) {
    const { tenantId } = scope;
    const rows = await rowsById(tx, tenantId);
    const before = rows.size;
    for (const id of remove) rows.delete(id);
    for (const row of set) rows.set(row.id, row);
    await replacePolicyRows(tx, tenantId, [...rows.values()]);
    const changed = [...set.map(({ id }) => id), ...remove].join(" ");
    const summary = `${before} policy rows were replaced by ${rows.size}`;
    const line = { eventType: "policies.replaced", summary, refs: { changed } } as const;
    await writeAudit(tx, [auditRow(scope, line)]);
    deps.toolsChanged(tx, tenantId); // a model is told which calls people approve
    return {};
  },
};

/** What a whole list changes. The rule of changes like this one is no data: it stays as it is. */
export function policyChange(
  standing: readonly PolicyRow[],
  wanted: readonly PolicyRow[],
): PolicyArgs {
  const isOpen = (row: PolicyRow) => row.tool_name !== CHANGE_AUTHORITY;
  const old = new Map(standing.map((row) => [row.id, row]));
  const locked = wanted.find((row) => !isOpen(row) && !isDeepStrictEqual(row, old.get(row.id)));
  if (locked)
    throw new UserError(
      "unprocessable",
      `policies: ${locked.id}: the rule of ${CHANGE_AUTHORITY} is fixed; leave it out or as it is`,
      "policies",
    );
  const kept = new Set(wanted.map((row) => row.id));
  return {
    kind: "policy",
    set: wanted.filter((row) => isOpen(row) && !isDeepStrictEqual(row, old.get(row.id))),
    remove: standing.filter((row) => isOpen(row) && !kept.has(row.id)).map((row) => row.id),
  };
}

async function rowsById(tx: Tx, tenantId: string): Promise<Map<string, PolicyRow>> {
  const rows = await listPolicyRows(tx, tenantId);
  return new Map(rows.map((row) => [row.id, row]));
}

function asJson(row: PolicyRow | null | undefined): Json {
  return row ? { ...row } : null;
}
