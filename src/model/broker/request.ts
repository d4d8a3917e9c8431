import type { ChatMessage, ChatRequest } from "../../domain/chat-model.ts";
import { type ChatOptions, COMMON_OPERATION } from "./chat-options.ts";
import type { ModelEntry } from "./models-file.ts";

/**
 * The request as this model takes it: fields of the catalog below those of the caller, no wish for
 * a form that it does not know. `params` of the entry itself stand in its client.
 */
export function requestFor(
  entry: ModelEntry,
  messages: ChatMessage[],
  options: ChatOptions,
  limit: { timeoutMs: number; signal: AbortSignal },
): ChatRequest {
  const { tools = [], operation = COMMON_OPERATION, traceId, responseSchema, onDelta } = options;
  const { capabilities, paramsWithTools } = entry;
  return {
    messages,
    tools,
    operation,
    ...(traceId === undefined ? {} : { traceId }),
    params: { ...(tools.length > 0 ? paramsWithTools : {}), ...options.params },
    ...(responseSchema && capabilities.jsonSchema ? { responseSchema } : {}),
    ...(onDelta && capabilities.streaming ? { onDelta } : {}),
    ...limit,
  };
}
