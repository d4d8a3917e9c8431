import { and, desc, eq, gte } from "drizzle-orm";
import type { JsonObject } from "../domain/json.ts";
import type { Tx } from "./db.ts";
import { policyGateLog, toolCallCandidates } from "./schema/tools.ts";

/** What the gate said of a call when it was proposed, and what it went by. */
export interface RecordedDecision {
  candidateId: string;
  /** null: a change that the desk itself asked for. */
  conversationId: string | null;
  toolName: string;
  result: "allow" | "approval" | "deny";
  policyId: string | null;
  /** null: it was not denied. */
  reason: string | null;
  facts: JsonObject;
  at: number;
}

/** Newest first. */
export function proposalDecisions(
  tx: Tx,
  query: { tenantId: string; since: number; limit: number },
): Promise<RecordedDecision[]> {
  const { tenantId, since, limit } = query;
  return tx
    .select({
      candidateId: policyGateLog.candidateId,
      conversationId: toolCallCandidates.conversationId,
      toolName: policyGateLog.toolName,
      result: policyGateLog.policyResult,
      policyId: policyGateLog.matchedPolicyId,
      reason: policyGateLog.blockReason,
      facts: policyGateLog.factsJson,
      at: policyGateLog.createdAt,
    })
    .from(policyGateLog)
    .leftJoin(
      toolCallCandidates,
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        eq(toolCallCandidates.id, policyGateLog.candidateId),
      ),
    )
    .where(
      and(
        eq(policyGateLog.tenantId, tenantId),
        eq(policyGateLog.moment, "proposal"),
        gte(policyGateLog.createdAt, since),
      ),
    )
    .orderBy(desc(policyGateLog.createdAt), desc(policyGateLog.id))
    .limit(limit);
}
