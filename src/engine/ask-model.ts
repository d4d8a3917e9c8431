import type {
  ChatMessage,
  ChatOutcome,
  ModelJournal,
  ToolDefinition,
} from "../domain/chat-model.ts";
import type { FailureClass } from "../domain/failure.ts";
import { newId } from "../domain/ids.ts";
import type { EngineDeps } from "./deps.ts";
import { CURRENCY, costOfModelCall, sumOf } from "./prices.ts";
import { promptVersionOf } from "./prompt.ts";
import type { Turn } from "./turn.ts";

const MODEL_LIMIT_MS = 60_000;

/** Active time that the run has left, milliseconds; waiting for people or retries does not count. */
export function timeLeftMs(deps: EngineDeps, turn: Turn): number {
  return deps.deadlineMs - activeMs(deps, turn);
}

/** Real time that the run has worked so far, over all its workers; waiting is not counted. */
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
  const outcome = onlyWhole(await deps.model.chat({ ...ask, timeoutMs, signal }));
  const modelCallId = newId();
  const { journal } = outcome;
  const { tenantId, logs } = turn;
  const createdAt = deps.clock.now();
  logs.modelCalls.push({
    id: modelCallId,
    tenantId,
    runId: turn.run.id,
    operation: ask.operation,
    provider: journal.provider,
    modelId: journal.modelId,
    promptVersion: promptVersionOf(turn.style),
    inputTokens: journal.inputTokens,
    outputTokens: journal.outputTokens,
    status: outcome.kind === "answer" ? "ok" : "failed",
    finishReason: journal.finishReason,
    hadToolCall: outcome.kind === "answer" && outcome.calls.length > 0,
    error: outcome.kind === "failed" ? outcome.error : null,
    latencyMs: journal.latencyMs,
    createdAt,
  });
  logs.latencies.push({
    ...{ tenantId, runId: turn.run.id, component: "model", operation: ask.operation },
    ...{ latencyMs: journal.latencyMs, createdAt },
  });
  if (outcome.kind === "failed") logFailure(deps, turn, outcome);
  logCost(deps, turn, journal);
  return { outcome, modelCallId };
}

/** Words that broke off are no answer: half a sentence may say the opposite of the whole. */
function onlyWhole(outcome: ChatOutcome): ChatOutcome {
  if (outcome.kind === "failed" || !outcome.cut || outcome.calls.length > 0) return outcome;
  return {
    kind: "failed",
    retryable: true,
    retryAfterMs: null,
    error: "the answer was cut off",
    journal: outcome.journal,
  };
}

function logCost(deps: EngineDeps, turn: Turn, journal: ModelJournal): void {
  const amount = costOfModelCall(deps.prices, journal);
  if (amount === null) return;
  const { tenantId, run, logs } = turn;
  const isRepeated = run.modelFailures > 0 || run.restarts > 0;
  logs.costs.push({
    ...{ tenantId, runId: run.id, costType: isRepeated ? "model_retry" : "model" },
    ...{ provider: journal.provider, amount, currency: CURRENCY, createdAt: deps.clock.now() },
  });
  turn.spent = sumOf([turn.spent, amount]);
}

/** What the endpoint said stands in the journal alone. */
function logFailure(
  deps: EngineDeps,
  { tenantId, run, logs }: Turn,
  outcome: Extract<ChatOutcome, { kind: "failed" }>,
): void {
  logs.errors.push({
    ...{ tenantId, runId: run.id, component: "model", errorCode: "MODEL_FAILED" },
    errorClass: failureOfOutcome(outcome),
    errorMessage: "the model gave no answer",
    attempt: run.modelFailures + 1,
    createdAt: deps.clock.now(),
  });
}

/** One that names no class and is not worth a retry is taken for a refusal. */
export function failureOfOutcome({
  failure,
  retryable,
}: Extract<ChatOutcome, { kind: "failed" }>): FailureClass {
  return failure ?? (retryable ? "transient" : "access_denied");
}
