import type { ChatMessage, ChatOutcome } from "../../domain/chat-model.ts";
import { messageOf } from "../../domain/errors.ts";
import { type ChatOptions, COMMON_OPERATION } from "./chat-options.ts";
import type { Clients } from "./clients.ts";
import { costOf } from "./cost.ts";
import type { AttemptRow, AttemptStatus } from "./journal.ts";
import type { ModelEntry } from "./models-file.ts";
import type { BrokerParts } from "./parts.ts";
import { requestFor } from "./request.ts";

/** One model that is asked once, by whom and for what. */
export interface Attempt {
  entry: ModelEntry;
  key: string;
  scope: string | null;
  /** Within its call, from 1. */
  ordinal: number;
  messages: ChatMessage[];
  options: ChatOptions;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Attempted {
  outcome: ChatOutcome;
  row: AttemptRow;
  /** The caller has been shown words of it. */
  hasSpoken: boolean;
}

/** Asks. What is written down of it comes back: whoever holds a place gives it up before. */
export async function attempt(
  { parts, clients }: { parts: BrokerParts; clients: Clients },
  given: Attempt,
): Promise<Attempted> {
  const { entry, key, messages, options, timeoutMs, signal } = given;
  let hasSpoken = false;
  const onDelta = options.onDelta;
  const shown = onDelta && {
    onDelta(text: string) {
      hasSpoken = true;
      onDelta(text);
    },
  };
  const request = requestFor(entry, messages, { ...options, ...shown }, { timeoutMs, signal });
  const outcome = await clients(entry, key).chat(request);
  // a model without streams says all of it at once
  if (outcome.kind === "answer" && shown && !request.onDelta && outcome.text !== "")
    shown.onDelta(outcome.text);
  return { outcome, row: rowOf(parts, given, outcome), hasSpoken };
}

function rowOf(parts: BrokerParts, given: Attempt, outcome: ChatOutcome): AttemptRow {
  const { entry, scope, ordinal, options } = given;
  const { modelId, inputTokens, outputTokens, finishReason, latencyMs } = outcome.journal;
  const answer = outcome.kind === "answer" ? outcome : null;
  const failed = outcome.kind === "failed" ? outcome : null;
  // one plain literal: merging several costs more than the rest of a call's bookkeeping
  return {
    callId: parts.newId(),
    at: parts.clock.now(),
    llmName: entry.name,
    modelId,
    operation: options.operation ?? COMMON_OPERATION,
    traceId: options.traceId ?? null,
    scope,
    promptVersion: options.promptVersion ?? null,
    attempt: ordinal,
    status: statusOf(outcome),
    finishReason,
    hadToolCall: (answer?.calls.length ?? 0) > 0,
    cut: answer?.cut ?? false,
    inputTokens,
    outputTokens,
    cost: costOf(entry, outcome.journal),
    latencyMs,
    failure: failed?.failure ?? null,
    fault: failed?.fault ?? null,
    httpStatus: failed?.status ?? null,
    error: failed?.error ?? null,
    score: null,
  };
}

function statusOf(outcome: ChatOutcome): AttemptStatus {
  if (outcome.kind === "answer") return "ok";
  return outcome.fault === "aborted" ? "superseded" : "failed";
}

/** A journal that fails costs nobody an answer. */
export async function writeDown(
  parts: BrokerParts,
  { onAttempt }: ChatOptions,
  row: AttemptRow,
): Promise<void> {
  try {
    if (onAttempt) onAttempt(row);
    else await parts.journal.record(row);
  } catch (error) {
    const fields = { callId: row.callId, llmName: row.llmName, error: messageOf(error) };
    parts.log.error(fields, "a model call could not be written down");
  }
}
