import { and, desc, eq, sql } from "drizzle-orm";
import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import type { Tx } from "./db.ts";
import { conversations, messages } from "./schema/chat.ts";
import { agentToolCalls, modelCallLog } from "./schema/runs.ts";
import { policyGateLog, toolCallCandidates } from "./schema/tools.ts";

/** Of the model call that proposed something or wrote a reply. */
export interface ModelOrigin {
  modelId: string;
  promptVersion: string;
}

/** Where a call of a reply came from. */
export interface CallOrigin {
  toolName: string;
  args: unknown;
  result: unknown;
  isError: boolean;
  cycle: number;
  toolCallIndex: number;
  latencyMs: number | null;
  schemaVersion: number | null;
  policyResult: "allow" | "approval" | "deny" | "schema_failed" | null;
  /** What the gate went by; null: it was not reached. */
  facts: JsonObject | null;
  model: ModelOrigin | null;
  /** Place of the model's answer that held the call. */
  seq: number | null;
}

/** null: there is no such call. */
export async function callOrigin(
  tx: Tx,
  of: { tenantId: string; toolCallId: string },
): Promise<CallOrigin | null> {
  const { tenantId, toolCallId } = of;
  const [row] = await tx
    .select({
      call: agentToolCalls,
      candidate: toolCallCandidates,
      model: {
        modelId: modelCallLog.modelId,
        promptVersion: sql<string>`coalesce(${modelCallLog.promptVersion}, '')`,
      },
      seq: messages.seq,
    })
    .from(agentToolCalls)
    .leftJoin(
      toolCallCandidates,
      and(
        eq(toolCallCandidates.tenantId, tenantId),
        eq(toolCallCandidates.id, agentToolCalls.candidateId),
      ),
    )
    .leftJoin(
      modelCallLog,
      and(eq(modelCallLog.tenantId, tenantId), eq(modelCallLog.id, toolCallCandidates.modelCallId)),
    )
    .leftJoin(
      messages,
      and(eq(messages.tenantId, tenantId), eq(messages.id, toolCallCandidates.messageId)),
    )
    .where(and(eq(agentToolCalls.tenantId, tenantId), eq(agentToolCalls.id, toolCallId)));
  if (!row) return null;
  const { call, candidate, model, seq } = row;
  const gate = await gateOf(tx, tenantId, call.candidateId);
  const { toolName, args, result, isError, cycle, toolCallIndex, latencyMs } = call;
  return {
    ...{ toolName, args, result, isError, cycle, toolCallIndex, latencyMs, model, seq },
    schemaVersion: candidate?.schemaVersion ?? null,
    policyResult: candidate?.status === "schema_failed" ? "schema_failed" : (gate?.result ?? null),
    facts: gate?.facts ?? null,
  };
}

/** Of the moment at which it was proposed. */
async function gateOf(tx: Tx, tenantId: string, candidateId: string) {
  const [gate] = await tx
    .select({ result: policyGateLog.policyResult, facts: policyGateLog.factsJson })
    .from(policyGateLog)
    .where(
      and(
        eq(policyGateLog.tenantId, tenantId),
        eq(policyGateLog.candidateId, candidateId),
        eq(policyGateLog.moment, "proposal"),
      ),
    )
    .orderBy(desc(policyGateLog.createdAt), desc(policyGateLog.id))
    .limit(1);
  return gate;
}

/** Of a reply that came without a call; null: there is no such message. */
export async function replyOrigin(
  tx: Tx,
  of: { tenantId: string; messageId: string },
): Promise<{ seq: number; model: ModelOrigin | null } | null> {
  const { tenantId, messageId } = of;
  const [reply] = await tx
    .select({ seq: messages.seq, runId: messages.runId })
    .from(messages)
    .where(and(eq(messages.tenantId, tenantId), eq(messages.id, messageId)));
  if (!reply) return null;
  if (reply.runId === null) return { seq: reply.seq, model: null };
  const [model] = await tx
    .select({
      modelId: modelCallLog.modelId,
      promptVersion: sql<string>`coalesce(${modelCallLog.promptVersion}, '')`,
    })
    .from(modelCallLog)
    .where(
      and(
        eq(modelCallLog.tenantId, tenantId),
        eq(modelCallLog.runId, reply.runId),
        eq(modelCallLog.status, "ok"),
      ),
    )
    .orderBy(desc(modelCallLog.createdAt), desc(modelCallLog.id))
    .limit(1);
  return { seq: reply.seq, model: model ?? null };
}

/** null: there is no such conversation. */
export async function languageOf(
  tx: Tx,
  of: { tenantId: string; conversationId: string },
): Promise<Language | null> {
  const [row] = await tx
    .select({ language: conversations.language })
    .from(conversations)
    .where(and(eq(conversations.tenantId, of.tenantId), eq(conversations.id, of.conversationId)));
  return row?.language ?? null;
}
