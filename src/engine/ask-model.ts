import type { ChatMessage, ChatOutcome, ToolDefinition } from "../domain/chat-model.ts";
import type { FailureClass } from "../domain/failure.ts";
import { newId } from "../domain/ids.ts";
import type { ModelAttempt } from "../domain/model-attempt.ts";
import { costOfAttempt, latencyOf, modelCallRow } from "../store/model-calls.ts";
import type { EngineDeps } from "./deps.ts";
import { sumOf } from "./prices.ts";
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

/** One model call; its journal rows wait in the turn for the next transaction. */
export async function askModel(
  deps: EngineDeps,
  turn: Turn,
  ask: { operation: "reply" | "repair"; messages: ChatMessage[]; tools: ToolDefinition[] },
  signal: AbortSignal,
): Promise<{ outcome: ChatOutcome; modelCallId: string }> {
  const timeoutMs = Math.max(1, Math.min(MODEL_LIMIT_MS, timeLeftMs(deps, turn)));
  const { id: traceId } = turn.run;
  const named = { traceId, promptVersion: promptVersionOf(turn.style) };
  const asked = await deps.modelFor(turn.tenantId).chat({ ...ask, ...named, timeoutMs, signal });
  const outcome = onlyWhole(asked);
  for (const attempt of asked.attempts) logAttempt(turn, attempt);
  if (outcome.kind === "failed") logFailure(deps, turn, outcome);
  return { outcome, modelCallId: asked.attempts.at(-1)?.callId ?? newId() };
}

/** Each model that was asked: what it cost and took, also when another one answered. */
function logAttempt(turn: Turn, attempt: ModelAttempt): void {
  const { tenantId, run, logs } = turn;
  const of = { tenantId, runId: run.id };
  const error = attempt.error ?? (isHalf(attempt) ? CUT_OFF : null);
  logs.modelCalls.push({ ...modelCallRow(attempt, of), error });
  logs.latencies.push(latencyOf(attempt, of));
  const isRepeated = run.modelFailures > 0 || run.restarts > 0;
  const cost = costOfAttempt(attempt, { ...of, isRepeated });
  if (cost === null) return;
  logs.costs.push(cost);
  turn.spent = sumOf([turn.spent, cost.amount]);
}

const CUT_OFF = "the answer was cut off";

function isHalf({ status, cut, hadToolCall }: ModelAttempt): boolean {
  return status === "ok" && cut && !hadToolCall;
}

/** Words that broke off are no answer: half a sentence may say the opposite of the whole. */
function onlyWhole(outcome: ChatOutcome): ChatOutcome {
  if (outcome.kind === "failed" || !outcome.cut || outcome.calls.length > 0) return outcome;
  return {
    kind: "failed",
    retryable: true,
    retryAfterMs: null,
    error: CUT_OFF,
    journal: outcome.journal,
  };
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
