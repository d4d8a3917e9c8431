import { newId } from "../../src/domain/ids.ts";
import type { Json, JsonObject } from "../../src/domain/json.ts";
import type { Tx } from "../../src/store/db.ts";
import { contacts, conversations } from "../../src/store/schema/chat.ts";
import { agentToolCalls, modelCallLog } from "../../src/store/schema/runs.ts";
import { policyGateLog, toolCallCandidates } from "../../src/store/schema/tools.ts";
import { addMessage } from "../../src/store/transcript.ts";

/** What a gate goes by, for a call that it lets through. */
export const GATE_FACTS: JsonObject = {
  tool: { name: "ask_rate", risk: "read_only", isActive: true, stageAllowed: true },
  known: { actor_role: "support", source: "model", amount_from: "100" },
  ...{ sameAccount: true, callsInRun: 0, payloadBytes: 20, attemptsLeft: 8, hasBusinessKey: false },
  ...{ costLimitReached: false, readOnlyRun: false, rejectedBefore: false, toolWithdrawn: false },
  ...{ outcomeUnknown: false, payoutsStopped: false, approvers: { operator: 2, admin: 1 } },
};

export interface PlayedCall {
  tool: string;
  args?: Json;
  isError?: boolean;
  /** `refused`: the arguments did not fit. */
  gate?: "allow" | "approval" | "deny" | "refused";
  facts?: JsonObject;
}

export interface PlayedReply {
  conversationId: string;
  messageId: string;
  outboundId: string;
  /** In the order in which they were given. */
  callIds: string[];
}

/** A lead asked, the model called tools and answered: one run with all its rows. */
export async function playReply(
  tx: Tx,
  of: { tenantId: string; now: number; asked?: string; calls: PlayedCall[] },
): Promise<PlayedReply> {
  const { tenantId, now, calls } = of;
  const ids = { conversationId: newId(), runId: newId(), contactId: newId(), outboundId: newId() };
  const { conversationId, runId, contactId, outboundId } = ids;
  await tx.insert(contacts).values({ id: contactId, tenantId, name: "Lead", createdAt: now });
  await tx.insert(conversations).values({
    ...{ id: conversationId, tenantId, contactId, channelId: "telegram", chatId: newId() },
    ...{ messenger: "telegram", language: "en", createdAt: now, updatedAt: now },
  });
  const line = { tenantId, conversationId, runId, now };
  const said = { author: "staff", kind: "text", text: of.asked ?? "What is the rate?" } as const;
  await addMessage(tx, { ...line, ...said });
  const modelCallId = newId();
  await tx.insert(modelCallLog).values({
    ...{ id: modelCallId, tenantId, runId, operation: "reply", provider: "test", modelId: "m-1" },
    ...{ promptVersion: "p-1", inputTokens: 10, outputTokens: 5, status: "ok", latencyMs: 100 },
    ...{ hadToolCall: calls.length > 0, createdAt: now },
  });
  const asking =
    calls.length > 0
      ? await addMessage(tx, { ...line, author: "bot", kind: "calls", text: "" })
      : null;
  const reply = await addMessage(tx, { ...line, author: "bot", kind: "text", text: "It is 32." });
  const callIds: string[] = [];
  for (const [ordinal, call] of calls.entries()) {
    const place = { ...ids, tenantId, now, modelCallId, ordinal };
    const messageIds = { asking: asking?.id ?? "", reply: reply.id };
    callIds.push(await playCall(tx, { ...place, ...messageIds }, call));
  }
  return { conversationId, messageId: reply.id, outboundId, callIds };
}

interface Place {
  tenantId: string;
  now: number;
  conversationId: string;
  runId: string;
  contactId: string;
  outboundId: string;
  modelCallId: string;
  ordinal: number;
  asking: string;
  reply: string;
}

async function playCall(tx: Tx, at: Place, call: PlayedCall): Promise<string> {
  const { tenantId, conversationId, runId, contactId, outboundId, ordinal, now } = at;
  const { tool: toolName, args = { from: "USDT" }, isError = false, gate = "allow" } = call;
  const [id, candidateId] = [newId(), newId()];
  const result = { ok: !isError, status: isError ? "failed" : "completed", summary: "the rate" };
  await tx.insert(toolCallCandidates).values({
    ...{ id: candidateId, tenantId, runId, conversationId, messageId: at.asking, ordinal },
    ...{ cycle: 1, modelCallId: at.modelCallId, source: "model", maker: contactId, toolName },
    ...{ argumentsRaw: JSON.stringify(args), argumentsJson: args, argumentsHash: "h" },
    ...{ schemaVersion: 3, status: gate === "refused" ? "schema_failed" : "executed" },
    ...{ reply: result, createdAt: now, settledAt: now + 40 },
  });
  if (gate !== "refused")
    await tx.insert(policyGateLog).values({
      ...{
        id: newId(),
        tenantId,
        runId,
        candidateId,
        toolName,
        role: "support",
        moment: "proposal",
      },
      ...{ policyResult: gate, matchedPolicyId: "rule", requiresApproval: gate === "approval" },
      ...{ blockReason: gate === "deny" ? "role_not_allowed" : null, createdAt: now },
      factsJson: call.facts ?? GATE_FACTS,
    });
  await tx.insert(agentToolCalls).values({
    ...{ id, tenantId, conversationId, contactId, messageId: at.reply, outboundId, candidateId },
    ...{ source: "model", toolName, args, result, isError, cycle: 1, toolCallIndex: ordinal },
    ...{ latencyMs: 40, createdAt: now },
  });
  return id;
}
