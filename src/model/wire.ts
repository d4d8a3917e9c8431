import type { ChatMessage, ChatRequest, WireCall } from "../domain/chat-model.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Demands } from "./demands.ts";
import { repairHistory } from "./repair-history.ts";
import { countOf } from "./untrusted.ts";

/** Whom a request goes to. */
export interface Addressee {
  provider: string;
  model: string;
  /** Fields of every request; those of the request itself win. */
  params?: JsonObject;
}

/** The body of a Chat Completions request. */
export function requestBody(to: Addressee, request: ChatRequest, demands: Demands): JsonObject {
  const { responseSchema, onDelta } = request;
  const tools = request.tools.map((tool) => ({ type: "function", function: tool }));
  const messages = repairHistory(request.messages, demands);
  const body = {
    ...paramsOf(to, request),
    model: to.model,
    messages: messages.map((message) => wireMessage(message, to, demands)),
    ...(demands.metadata ? { metadata: { operation: request.operation } } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(responseSchema ? { response_format: formatOf(responseSchema) } : {}),
    ...(onDelta ? { stream: true } : {}),
    ...(onDelta && demands.streamUsage ? { stream_options: { include_usage: true } } : {}),
  };
  return body as unknown as JsonObject; // schemas of tools are JSON, too
}

/** The most tokens of an answer that the request allows; null: it says nothing. */
export function tokenCapOf(to: Addressee, request: ChatRequest): number | null {
  const params = paramsOf(to, request);
  return countOf(params.max_completion_tokens) ?? countOf(params.max_tokens);
}

/** What the request is about is not for parameters to say. */
const OWN_FIELDS = new Set(["model", "messages", "tools", "stream", "stream_options", "n"]);

function paramsOf(to: Addressee, request: ChatRequest): JsonObject {
  const params = { ...to.params, ...request.params };
  return Object.fromEntries(Object.entries(params).filter(([name]) => !OWN_FIELDS.has(name)));
}

function formatOf(schema: NonNullable<ChatRequest["responseSchema"]>) {
  return { type: "json_schema", json_schema: { ...schema, strict: true } };
}

function wireMessage(message: ChatMessage, to: Addressee, demands: Demands) {
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  if (message.role !== "assistant") return { role: message.role, content: message.content };
  const { reasoning, toolCalls, content } = message;
  const isOwn = reasoning?.provider === to.provider && reasoning.model === to.model;
  const echoed = reasoning && isOwn && demands.reasoning !== "never" ? reasoning.fields : {};
  return {
    role: "assistant",
    ...(demands.reasoning === "always" ? { reasoning_content: "" } : {}),
    ...echoed,
    content: toolCalls && content === "" ? null : content,
    ...(toolCalls
      ? { tool_calls: toolCalls.map((call, ordinal) => wireCall(call, ordinal, demands)) }
      : {}),
  };
}

/** What Gemini takes where a call has no signature, as in a history of another model. */
const NO_SIGNATURE = { google: { thought_signature: "skip_thought_signature_validator" } };

function wireCall(call: WireCall, ordinal: number, demands: Demands) {
  const extra = call.extra ?? (demands.signatures && ordinal === 0 ? NO_SIGNATURE : undefined);
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
    ...(extra ? { extra_content: extra } : {}),
  };
}
