import { eq, sql } from "drizzle-orm";
import { UserError } from "../domain/errors.ts";
import type { Policies, PolicyRow } from "../domain/policy-row.ts";
import type { Verified } from "../domain/verified.ts";
import { queryRows, type Tx } from "./db.ts";
import { checkedList, lockRowList, putRowList, type RowList } from "./row-list.ts";
import { macOf, reportForged, verified } from "./row-mac.ts";
import type { rowLists } from "./schema/tenancy.ts";
import { toolPolicy } from "./schema/tools.ts";

const TABLE = "tool_policy";
/** In the list: people took this rule away, and no start brings it back. No tool has this name. */
const REMOVED = "";

/** All rules of a tenant, those that are switched off too: what its gate weighs. One statement. */
export async function policiesOf(tx: Tx, tenantId: string): Promise<StoredPolicies> {
  const [found] = await queryRows<Found>(
    tx,
    sql`select l.rows, l.mac, coalesce((
        select jsonb_agg(to_jsonb(p) - 'tenant_id' order by p.id) from tool_policy p
          where p.tenant_id = ${tenantId}), '[]'::jsonb) as policies
      from row_lists l where l.tenant_id = ${tenantId} and l.table_name = ${TABLE}`,
  );
  const ref = { tenantId, tableName: TABLE } as const;
  const list = checkedList(tx, ref, found && { ...ref, rows: found.rows, mac: found.mac });
  const rows: Verified<SignedPolicy>[] = [];
  const forgedTools: string[] = [];
  for (const stored of found?.policies ?? []) {
    const row = { ...stored, tenantId };
    const genuine = verified(tx, TABLE, row);
    if (genuine) rows.push(genuine);
    else forgedTools.push(row.tool_name);
  }
  if (list) reportDeleted(tx, list, found?.policies ?? []);
  return { rows, list, forgedTools };
}

/** The rules that people may be shown and build on: what somebody else wrote is left out. */
export async function listPolicyRows(tx: Tx, tenantId: string): Promise<PolicyRow[]> {
  const { rows } = await policiesOf(tx, tenantId);
  return rows.map(({ tenantId: _tenant, mac: _mac, ...row }) => row);
}

/**
 * The given rows are all there is afterwards. Ids must differ. Throws UserError when one that was
 * deleted or changed behind the product's back is not among them: it would be forgotten.
 */
export async function replacePolicyRows(
  tx: Tx,
  tenantId: string,
  rows: readonly PolicyRow[],
): Promise<void> {
  const ref = { tenantId, tableName: TABLE } as const;
  const list = await lockRowList(tx, ref);
  const standing = new Set((await listPolicyRows(tx, tenantId)).map(({ id }) => id));
  const given = new Set(rows.map(({ id }) => id));
  const known = Object.entries(list?.rows ?? {});
  const lost = known
    .filter(([id, tool]) => tool !== REMOVED && !standing.has(id) && !given.has(id))
    .map(([id]) => id);
  if (lost.length > 0)
    throw new UserError(
      "conflict",
      `Something other than Countersign changed or deleted the rules ${lost.join(", ")}: send them again with the list, as they should be (is_active: false switches one off)`,
    );
  await tx.delete(toolPolicy).where(eq(toolPolicy.tenantId, tenantId));
  await insertRows(tx, tenantId, rows);
  const removed = Object.fromEntries(known.map(([id]) => [id, REMOVED]));
  await putRowList(tx, ref, { ...removed, ...toolsById(rows) });
}

/** Rules that the tenant has had already stay as they are, also those that people have taken away. */
export async function addPolicyRows(
  tx: Tx,
  tenantId: string,
  rows: readonly PolicyRow[],
): Promise<void> {
  const ref = { tenantId, tableName: TABLE } as const;
  const list = await lockRowList(tx, ref);
  if (!list) return; // nobody knows which there were
  const fresh = rows.filter(({ id }) => !Object.hasOwn(list.rows, id));
  const added = new Set(await insertRows(tx, tenantId, fresh));
  if (added.size === 0) return;
  const inserted = fresh.filter(({ id }) => added.has(id));
  await putRowList(tx, ref, { ...list.rows, ...toolsById(inserted) });
}

type SignedPolicy = PolicyRow & { tenantId: string; mac: string };
type StoredPolicies = Omit<Policies, "rows"> & { rows: readonly Verified<SignedPolicy>[] };

interface Found {
  rows: (typeof rowLists.$inferSelect)["rows"];
  mac: string;
  policies: (PolicyRow & { mac: string })[];
}

/** What was edited is told already. */
function reportDeleted(tx: Tx, { tenantId, rows }: RowList, stored: readonly PolicyRow[]): void {
  const ids = new Set(stored.map(({ id }) => id));
  for (const [id, tool] of Object.entries(rows))
    if (tool !== REMOVED && !ids.has(id)) reportForged(tx, TABLE, { tenantId, id });
}

/** Answers the ids of those that were new. */
async function insertRows(tx: Tx, tenantId: string, rows: readonly PolicyRow[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const inserted = await tx
    .insert(toolPolicy)
    .values(
      rows.map((row) => ({
        tenantId,
        id: row.id,
        toolName: row.tool_name,
        role: row.role,
        conditionJson: row.condition_json,
        allowCall: row.allow_call,
        requiresApproval: row.requires_approval,
        approvalsRequired: row.approvals_required,
        approverRole: row.approver_role,
        approvalTtlS: row.approval_ttl_s,
        maxCallsPerRun: row.max_calls_per_run,
        maxPayloadSize: row.max_payload_size,
        isActive: row.is_active,
        mac: macOf(tx, TABLE, { ...row, tenantId }),
      })),
    )
    .onConflictDoNothing()
    .returning({ id: toolPolicy.id });
  return inserted.map(({ id }) => id);
}

function toolsById(rows: readonly PolicyRow[]): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [row.id, row.tool_name]));
}
