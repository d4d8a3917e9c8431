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
import { readAnswer } from "./answer.ts";

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
      try {
        const answer: unknown = await client.chat.completions.create(bodyOf(options, request), {
          timeout: request.timeoutMs,
          signal: request.signal,
        });
        return readAnswer(answer, journal());
      } catch (error) {
        return failureOf(error, journal());
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

function failureOf(error: unknown, journal: ModelJournal): ChatOutcome {
  const failed = (retryable: boolean, retryAfterMs: number | null = null): ChatOutcome => ({
    kind: "failed",
    retryable,
    retryAfterMs,
    error: messageOf(error).slice(0, 500),
    journal,
  });
  if (error instanceof APIUserAbortError) return failed(true);
  if (error instanceof APIConnectionError || error instanceof APIConnectionTimeoutError)
    return failed(true);
  if (!(error instanceof APIError)) return failed(true); // a body that is no JSON
  const status = error.status ?? 0;
  if (status === 429) return failed(!isQuota(error), retryAfterOf(error));
  return failed(status >= 500 || status === 408 || status === 0, retryAfterOf(error));
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
