import type { ChatMessage, ChatOutcome, ToolDefinition } from "../domain/chat-model.ts";
import { newId } from "../domain/ids.ts";
import type { EngineDeps } from "./deps.ts";
import { PROMPT_VERSION } from "./prompt.ts";
import type { Turn } from "./turn.ts";

const MODEL_LIMIT_MS = 60_000;

/** Active time that the run has left, milliseconds; waiting for people or retries does not count. */
export function timeLeftMs(deps: EngineDeps, turn: Turn): number {
  return deps.deadlineMs - activeMs(deps, turn);
}

export function activeMs(deps: EngineDeps, turn: Turn): number {
  return turn.run.activeMs + Math.max(0, deps.realNow() - turn.startedAt);
}

/** One model call; its journal row waits in the turn for the next transaction. */
export async function askModel(
  deps: EngineDeps,
  turn: Turn,
  ask: { operation: "reply" | "repair"; messages: ChatMessage[]; tools: ToolDefinition[] },
  signal: AbortSignal,
): Promise<{ outcome: ChatOutcome; modelCallId: string }> {
  const timeoutMs = Math.max(1, Math.min(MODEL_LIMIT_MS, timeLeftMs(deps, turn)));
  const outcome = await deps.model.chat({ ...ask, timeoutMs, signal });
  const modelCallId = newId();
  const { journal } = outcome;
  turn.journal.push({
    id: modelCallId,
    tenantId: turn.tenantId,
    runId: turn.run.id,
    operation: ask.operation,
    provider: journal.provider,
    modelId: journal.modelId,
    promptVersion: PROMPT_VERSION,
    inputTokens: journal.inputTokens,
    outputTokens: journal.outputTokens,
    status: outcome.kind === "answer" ? "ok" : "failed",
    finishReason: journal.finishReason,
    hadToolCall: outcome.kind === "answer" && outcome.calls.length > 0,
    error: outcome.kind === "failed" ? outcome.error : null,
    latencyMs: journal.latencyMs,
    createdAt: deps.clock.now(),
  });
  return { outcome, modelCallId };
}
