import type { ToolReply, ToolResult } from "../domain/tool.ts";
import type { AuditRow } from "./audit.ts";
import type { policyGateLog } from "./schema/tools.ts";

/** Which call a row of the trail is about. */
export interface AuditedCall {
  tenantId: string;
  id: string;
  runId: string | null;
  conversationId: string | null;
  toolName: string;
  maker: string;
}

/** The call has its result: whoever proposed it is given it now. */
export function returnedRow(call: AuditedCall, reply: ToolReply, now: number): AuditRow {
  const { id, maker, ...of } = call;
  const code = reply.error ? ` (${reply.error.code})` : "";
  return {
    ...{ ...of, candidateId: id, userId: maker, createdAt: now },
    eventType: "result.returned",
    summary: `result ${reply.status}${code}`,
    decision: reply.status,
  };
}

export function gateRow(
  gate: typeof policyGateLog.$inferInsert,
  conversationId: string | null,
): AuditRow {
  const { tenantId, runId, candidateId, toolName, createdAt, policyResult, blockReason } = gate;
  return {
    ...{ tenantId, conversationId, candidateId, toolName, createdAt },
    runId: runId ?? null,
    userId: gate.userId ?? null,
    eventType: "gate.decided",
    summary: blockReason ? `denied: ${blockReason}` : policyResult,
    // a rule that wants approval lets the approved action through
    decision: blockReason ? "deny" : policyResult,
    refs: {
      moment: gate.moment,
      ...(gate.matchedPolicyId ? { policy: gate.matchedPolicyId } : {}),
    },
  };
}

/** Not carried out, and never will be. */
export function stoppedRow(
  execution: { tenantId: string; id: string; candidateId: string } & Omit<
    AuditedCall,
    "id" | "maker"
  >,
  { reason, now }: { reason: string; now: number },
): AuditRow {
  const { id, ...of } = execution;
  return {
    ...{ ...of, createdAt: now, decision: "cancelled", refs: { execution: id } },
    eventType: "execution.stopped",
    summary: `not carried out: ${reason}`,
  };
}

/** What a call did, without what it said: ids and codes. */
export function resultLine({ ok, resource_type, resource_id, error }: ToolResult): string {
  if (!ok && error) return `failed: ${error.code}`;
  return `${ok ? "done" : "refused"}: ${[resource_type, resource_id].filter(Boolean).join(" ")}`;
}
