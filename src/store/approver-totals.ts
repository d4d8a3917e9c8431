import { and, eq, gte, inArray, isNull, notInArray, or } from "drizzle-orm";
import type { JsonObject } from "../domain/json.ts";
import type { RiskClass } from "../domain/tool.ts";
import type { Tx } from "./db.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { toolExecutionQueue } from "./schema/tools.ts";
import { joinsOf } from "./staff-accounts.ts";

export interface GrantedAction {
  approvalId: string;
  toolName: string;
  riskLevel: RiskClass;
  action: JsonObject;
}

/**
 * What one person has approved since a time and what was not certainly left undone: also what waits
 * for others to approve it, too.
 */
export async function grantedBy(
  tx: Tx,
  of: { tenantId: string; staffId: string; since: number },
): Promise<GrantedAction[]> {
  const joins = await joinsOf(tx, of.tenantId);
  const rows = await tx
    .select({
      approvalId: approvalQueue.id,
      toolName: approvalQueue.toolName,
      riskLevel: approvalQueue.riskLevel,
      proposed: approvalQueue.proposedActionJson,
      approved: approvalQueue.approvedActionJson,
    })
    .from(approvalVotes)
    .innerJoin(
      approvalQueue,
      and(
        eq(approvalQueue.tenantId, approvalVotes.tenantId),
        eq(approvalQueue.id, approvalVotes.approvalId),
      ),
    )
    .leftJoin(
      toolExecutionQueue,
      and(
        eq(toolExecutionQueue.tenantId, approvalQueue.tenantId),
        eq(toolExecutionQueue.approvalId, approvalQueue.id),
      ),
    )
    .where(
      and(
        eq(approvalVotes.tenantId, of.tenantId),
        inArray(approvalVotes.staffId, joins.of(of.staffId)),
        eq(approvalVotes.decision, "approve"),
        isNull(approvalVotes.voidedAt),
        gte(approvalVotes.createdAt, of.since),
        inArray(approvalQueue.status, ["pending", "frozen", "approved"]),
        or(
          isNull(toolExecutionQueue.id),
          notInArray(toolExecutionQueue.status, ["failed", "cancelled"]),
        ),
      ),
    );
  return rows.map(({ proposed, approved, ...rest }) => ({ ...rest, action: approved ?? proposed }));
}
