import { and, asc, eq, inArray } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { toolExecutionQueue } from "./schema/tools.ts";

/** An approved action of which nobody knows whether it happened. */
export interface UnknownOutcome {
  /** Of the approval: A-17. */
  number: number;
  toolName: string;
  summary: string;
  /** People are asked; else the provider is still asked by key. */
  isAsked: boolean;
  /** When it was sent, product time. */
  since: number;
}

/** The longest standing first. */
export async function unknownOutcomes(
  tx: Tx,
  of: { tenantId: string; limit: number },
): Promise<UnknownOutcome[]> {
  const { tenantId } = of;
  const rows = await tx
    .select({
      number: approvalQueue.number,
      toolName: toolExecutionQueue.toolName,
      summary: approvalQueue.payloadSummary,
      status: toolExecutionQueue.status,
      startedAt: toolExecutionQueue.startedAt,
      createdAt: toolExecutionQueue.createdAt,
    })
    .from(toolExecutionQueue)
    .innerJoin(
      approvalQueue,
      and(
        eq(approvalQueue.tenantId, tenantId),
        eq(approvalQueue.id, toolExecutionQueue.approvalId),
      ),
    )
    .where(
      and(
        eq(toolExecutionQueue.tenantId, tenantId),
        inArray(toolExecutionQueue.status, ["unknown", "waiting_approval"]),
      ),
    )
    .orderBy(asc(toolExecutionQueue.createdAt), asc(toolExecutionQueue.id))
    .limit(of.limit);
  return rows.map(({ status, startedAt, createdAt, ...row }) => ({
    ...row,
    isAsked: status === "waiting_approval",
    since: startedAt ?? createdAt,
  }));
}
