import OpenAI, {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from "openai";
import type {
  ChatMessage,
  ChatModel,
  ChatOutcome,
  ChatRequest,
  ModelJournal,
} from "../domain/chat-model.ts";
import { messageOf } from "../domain/errors.ts";
import { type FailureClass, failureOfStatus, isRetryable } from "../domain/failure.ts";
import { readAnswer } from "./answer.ts";

/** `apiKey` goes to `baseUrl` alone. */
export interface ChatClientOptions {
  /** Name of the endpoint in journals. */
  provider: string;
  baseUrl: string;
  apiKey: string;
  model: string;
  /** Real time, milliseconds. */
  realNow(): number;
}

/** One OpenAI-compatible endpoint. Every outcome is a value; the caller decides about retries. */
export function createChatClient(options: ChatClientOptions): ChatModel {
  const client = new OpenAI({ baseURL: options.baseUrl, apiKey: options.apiKey, maxRetries: 0 });
  return {
    async chat(request) {
      const startedAt = options.realNow();
      const journal = (): ModelJournal => ({
        provider: options.provider,
        modelId: options.model,
        inputTokens: null,
        outputTokens: null,
        finishReason: null,
        latencyMs: Math.max(0, options.realNow() - startedAt),
      });
      // the client's own limit ends with the headers: a body may drip for ever
      const limit = AbortSignal.timeout(request.timeoutMs);
      try {
        const answer: unknown = await client.chat.completions.create(bodyOf(options, request), {
          timeout: request.timeoutMs,
          signal: AbortSignal.any([request.signal, limit]),
        });
        return readAnswer(answer, journal());
      } catch (error) {
        return failureOf(error, limit.aborted ? "timeout" : classOf(error), journal());
      }
    },
  };
}

function bodyOf(options: ChatClientOptions, request: ChatRequest) {
  const tools = request.tools.map((tool) => ({ type: "function" as const, function: tool }));
  return {
    model: options.model,
    messages: request.messages.map(wireMessage),
    metadata: { operation: request.operation },
    ...(tools.length > 0 ? { tools } : {}),
  };
}

function wireMessage(message: ChatMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  if (message.role !== "assistant") return message;
  if (!message.toolCalls) return { role: "assistant", content: message.content };
  return {
    role: "assistant",
    content: message.content === "" ? null : message.content,
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: "function" as const,
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

function failureOf(error: unknown, failure: FailureClass, journal: ModelJournal): ChatOutcome {
  return {
    kind: "failed",
    retryable: isRetryable(failure),
    failure,
    retryAfterMs: error instanceof APIError ? retryAfterOf(error) : null,
    error: messageOf(error).slice(0, 500),
    journal,
  };
}

function classOf(error: unknown): FailureClass {
  if (error instanceof APIConnectionTimeoutError) return "timeout";
  if (error instanceof APIUserAbortError || error instanceof APIConnectionError) return "network";
  if (!(error instanceof APIError)) return "transient"; // a body that is no JSON
  if (error.status === 429 && isQuota(error)) return "insufficient_funds";
  return failureOfStatus(error.status ?? 0) ?? "transient";
}

/** A used-up quota does not come back by waiting. */
function isQuota(error: APIError): boolean {
  return error.code === "insufficient_quota" || error.type === "insufficient_quota";
}

function retryAfterOf(error: APIError): number | null {
  const header = error.headers?.get("retry-after");
  if (!header) return null;
  const seconds = Number(header);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}
