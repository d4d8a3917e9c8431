import { and, eq } from "drizzle-orm";
import type { PolicyRow } from "../domain/policy-row.ts";
import type { Tx } from "./db.ts";
import { toolPolicy } from "./schema/tools.ts";

/** The active rows of a tenant: what its gate weighs. */
export async function activePolicyRows(tx: Tx, tenantId: string): Promise<PolicyRow[]> {
  const rows = await tx
    .select()
    .from(toolPolicy)
    .where(and(eq(toolPolicy.tenantId, tenantId), eq(toolPolicy.isActive, true)))
    .orderBy(toolPolicy.id);
  return rows.map(toRow);
}

/** All rows, those that are switched off too. */
export async function listPolicyRows(tx: Tx, tenantId: string): Promise<PolicyRow[]> {
  const rows = await tx
    .select()
    .from(toolPolicy)
    .where(eq(toolPolicy.tenantId, tenantId))
    .orderBy(toolPolicy.id);
  return rows.map(toRow);
}

/** The given rows are all there is afterwards. Ids must differ. */
export async function replacePolicyRows(
  tx: Tx,
  tenantId: string,
  rows: readonly PolicyRow[],
): Promise<void> {
  await tx.delete(toolPolicy).where(eq(toolPolicy.tenantId, tenantId));
  await addPolicyRows(tx, tenantId, rows);
}

/** Rows whose id exists already stay as they are. */
export async function addPolicyRows(
  tx: Tx,
  tenantId: string,
  rows: readonly PolicyRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx
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
      })),
    )
    .onConflictDoNothing();
}

function toRow(row: typeof toolPolicy.$inferSelect): PolicyRow {
  return {
    id: row.id,
    tool_name: row.toolName,
    role: row.role,
    condition_json: row.conditionJson,
    allow_call: row.allowCall,
    requires_approval: row.requiresApproval,
    approvals_required: row.approvalsRequired,
    approver_role: row.approverRole,
    approval_ttl_s: row.approvalTtlS,
    max_calls_per_run: row.maxCallsPerRun,
    max_payload_size: row.maxPayloadSize,
    is_active: row.isActive,
  };
}
