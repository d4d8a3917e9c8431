import type { ChatOutcome, ChatRequest, ModelJournal } from "../../domain/chat-model.ts";
import { type FailureClass, isRetryable } from "../../domain/failure.ts";
import type { AskedModel, ModelAttempt } from "../../domain/model-attempt.ts";
import { failed } from "../answer.ts";
import type { BrokerSaid, ChatClient, ChatOptions } from "./chat-options.ts";
import { BrokerError, NoModelAvailableError, type NoModelReason } from "./errors.ts";

export interface AsChatModel {
  realNow(): number;
  wait?: number;
  waitsForCooling?: boolean;
}

/**
 * A broker, or a scope of it, as the port: failures are outcomes, and nothing is thrown for them. The
 * rows of each call come back with it, in place of the broker's journal.
 */
export function asChatModel(broker: ChatClient<BrokerSaid>, by: AsChatModel): AskedModel {
  return {
    async chat(request) {
      const startedAt = by.realNow();
      const attempts: ModelAttempt[] = [];
      const onAttempt = (row: ModelAttempt) => void attempts.push(row);
      try {
        const said = await broker.chat(request.messages, optionsOf(request, by, onAttempt));
        return { ...answered(said), attempts };
      } catch (error) {
        const latencyMs = Math.max(0, by.realNow() - startedAt);
        if (error instanceof BrokerError)
          return { ...failedOutcome(error, by.realNow(), latencyMs), attempts };
        if (!request.signal.aborted) throw error;
        const outcome = failed("aborted", "the call was given up", nobody(latencyMs), {
          failure: "network",
        });
        return { ...outcome, attempts };
      }
    },
  };
}

function optionsOf(
  request: ChatRequest,
  { realNow: _now, ...patience }: AsChatModel,
  onAttempt: (row: ModelAttempt) => void,
): ChatOptions {
  const { messages: _messages, ...options } = request;
  return { ...options, ...patience, onAttempt };
}

function answered(said: BrokerSaid): ChatOutcome {
  const { text, toolCalls, cut, reasoning, leftOut, journal } = said;
  return {
    ...{ kind: "answer", text, calls: toolCalls, cut },
    ...(reasoning ? { reasoning } : {}),
    ...(leftOut === undefined ? {} : { leftOut }),
    journal,
  };
}

/** Worth a retry when one of those that were asked, or the pool, may come back by itself. */
function failedOutcome(error: BrokerError, now: number, latencyMs: number): ChatOutcome {
  const { attempts, retryAt } = error;
  const passing = attempts.findLast(({ failure }) => failure !== null && isRetryable(failure));
  const shown = passing ?? attempts.at(-1);
  const said = shown?.failure ?? FAILURES[reasonOf(error)];
  // another one comes back, whatever the last one said
  const failure = retryAt !== null && !isRetryable(said) ? "unavailable" : said;
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

function journalOf(row: ModelAttempt | undefined, latencyMs: number): ModelJournal {
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
