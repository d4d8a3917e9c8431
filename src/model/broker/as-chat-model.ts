import type { ChatModel, ChatOutcome, ChatRequest, ModelJournal } from "../../domain/chat-model.ts";
import { type FailureClass, isRetryable } from "../../domain/failure.ts";
import { failed } from "../answer.ts";
import type { BrokerSaid, ChatClient, ChatOptions } from "./chat-options.ts";
import { BrokerError, NoModelAvailableError, type NoModelReason } from "./errors.ts";
import type { AttemptRow } from "./journal.ts";

/** `onAttempt`: takes the rows of a request in place of the broker's journal. */
export interface AsChatModel {
  realNow(): number;
  wait?: number;
  onAttempt?(row: AttemptRow, request: ChatRequest): void;
}

/** What the broker knows besides the port's own outcome. */
export type BrokeredOutcome = ChatOutcome & {
  /** That of the row of the answer; null: there is none. */
  callId: string | null;
};

/** A broker, or a scope of it, as the port: failures are outcomes, and nothing is thrown for them. */
export function asChatModel(
  broker: ChatClient<BrokerSaid>,
  by: AsChatModel,
): ChatModel & { chat(request: ChatRequest): Promise<BrokeredOutcome> } {
  return {
    async chat(request) {
      const startedAt = by.realNow();
      try {
        return answered(await broker.chat(request.messages, optionsOf(request, by)));
      } catch (error) {
        const latencyMs = Math.max(0, by.realNow() - startedAt);
        if (error instanceof BrokerError)
          return { ...failedOutcome(error, by.realNow(), latencyMs), callId: null };
        if (!request.signal.aborted) throw error;
        const outcome = failed("aborted", "the call was given up", nobody(latencyMs), {
          failure: "network",
        });
        return { ...outcome, callId: null };
      }
    },
  };
}

function optionsOf(request: ChatRequest, { wait, onAttempt }: AsChatModel): ChatOptions {
  const { messages: _messages, ...options } = request;
  return {
    ...options,
    ...(wait === undefined ? {} : { wait }),
    ...(onAttempt ? { onAttempt: (row: AttemptRow) => onAttempt(row, request) } : {}),
  };
}

function answered(said: BrokerSaid): BrokeredOutcome {
  const { text, toolCalls, cut, reasoning, leftOut, journal, callId } = said;
  return {
    ...{ kind: "answer", text, calls: toolCalls, cut },
    ...(reasoning ? { reasoning } : {}),
    ...(leftOut === undefined ? {} : { leftOut }),
    ...{ journal, callId },
  };
}

/** Worth a retry when one of those that were asked, or the pool, may come back by itself. */
function failedOutcome(error: BrokerError, now: number, latencyMs: number): ChatOutcome {
  const { attempts, retryAt } = error;
  const passing = attempts.findLast(({ failure }) => failure !== null && isRetryable(failure));
  const shown = passing ?? attempts.at(-1);
  const failure = shown?.failure ?? FAILURES[reasonOf(error)];
  return failed(shown?.fault ?? "unreachable", error.message, journalOf(shown, latencyMs), {
    failure,
    ...(shown?.httpStatus == null ? {} : { status: shown.httpStatus }),
    retryAfterMs: retryAt === null ? null : Math.max(0, retryAt - now),
  });
}

function reasonOf(error: BrokerError): NoModelReason {
  return error instanceof NoModelAvailableError ? error.reason : "all_cooling";
}

const FAILURES: Record<NoModelReason, FailureClass> = {
  all_cooling: "unavailable",
  timeout: "timeout",
  no_keys: "access_denied",
  empty_pool: "invalid_resource",
  all_disabled: "invalid_resource",
  excluded: "invalid_resource",
  none_capable: "invalid_resource",
};

function journalOf(row: AttemptRow | undefined, latencyMs: number): ModelJournal {
  if (!row) return nobody(latencyMs);
  const { llmName: provider, modelId, inputTokens, outputTokens, finishReason } = row;
  return { provider, modelId, inputTokens, outputTokens, finishReason, latencyMs };
}

/** Nobody was asked. */
function nobody(latencyMs: number): ModelJournal {
  return {
    ...{ provider: "none", modelId: "none", inputTokens: null, outputTokens: null },
    ...{ finishReason: null, latencyMs },
  };
}
