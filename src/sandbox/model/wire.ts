import { z } from "zod";

const partSchema = z.looseObject({ type: z.string(), text: z.string().optional() });
const contentSchema = z.union([z.string(), z.array(partSchema)]);
const callSchema = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});
const messageSchema = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: contentSchema }),
  z.looseObject({ role: z.literal("developer"), content: contentSchema }),
  z.looseObject({ role: z.literal("user"), content: contentSchema }),
  z.looseObject({
    role: z.literal("assistant"),
    content: contentSchema.nullish(),
    tool_calls: z.array(callSchema).min(1).optional(),
  }),
  z.looseObject({ role: z.literal("tool"), content: contentSchema, tool_call_id: z.string() }),
]);
const toolSchema = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** Strict where the real endpoint refuses, loose where it ignores. */
export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  tools: z.array(toolSchema).optional(),
  tool_choice: z.unknown().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
/** As it came over HTTP, checked. */
export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type ChatMessage = ChatRequest["messages"][number];
export type ChatTool = NonNullable<ChatRequest["tools"]>[number];

/** The body of a refusal, in OpenAI's form. */
export interface ApiError {
  error: { message: string; type: string; param: string | null; code: string | null };
}

/** A request as it must be, or the refusal that the real API gives for it. */
export function parseChatRequest(body: unknown): { request: ChatRequest } | { refusal: ApiError } {
  const parsed = chatRequestSchema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const param = issue?.path.map(pathStep).join("").replace(/^\./, "") || null;
    return { refusal: invalidRequest(`Invalid value: ${issue?.message ?? "request"}`, param) };
  }
  const refusal = refuseSequence(parsed.data.messages) ?? refuseTools(parsed.data.tools);
  return refusal ? { refusal } : { request: parsed.data };
}

/** Status 400; `param` names the field. */
export function invalidRequest(message: string, param: string | null = null): ApiError {
  return { error: { message, type: "invalid_request_error", param, code: null } };
}

/** The text of a message, whatever the form of its content. */
export function messageText(message: ChatMessage): string {
  if (typeof message.content === "string") return message.content;
  return (message.content ?? []).map((part) => part.text ?? "").join("\n");
}

function pathStep(step: PropertyKey): string {
  return typeof step === "number" ? `[${step}]` : `.${String(step)}`;
}

/** Each call has exactly one answer, directly behind the message that made it. */
function refuseSequence(messages: ChatMessage[]): ApiError | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const at = `messages.[${index}]`;
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) return unasked(at);
      continue;
    }
    if (open.size > 0) return unanswered(open, at);
    if (message.role !== "assistant") continue;
    const refusal = refuseAssistant(message, at);
    if (refusal) return refusal;
    open = new Set(message.tool_calls?.map((call) => call.id));
  }
  return open.size > 0 ? unanswered(open, `messages.[${messages.length - 1}]`) : undefined;
}

function refuseAssistant(
  message: Extract<ChatMessage, { role: "assistant" }>,
  at: string,
): ApiError | undefined {
  const ids = message.tool_calls?.map((call) => call.id) ?? [];
  if (message.content == null && ids.length === 0)
    return invalidRequest("Invalid value for 'content': expected a string, got null.", at);
  if (new Set(ids).size < ids.length) return invalidRequest("Duplicate value for 'id'.", at);
  return undefined;
}

function unasked(at: string): ApiError {
  const text = "messages with role 'tool' must be a response to a preceeding message";
  return invalidRequest(`${text} with 'tool_calls'.`, `${at}.role`);
}

function unanswered(open: Set<string>, param: string): ApiError {
  return invalidRequest(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
      `'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
    param,
  );
}

function refuseTools(tools: ChatTool[] | undefined): ApiError | undefined {
  const names = tools?.map((tool) => tool.function.name) ?? [];
  if (tools && names.length === 0) return invalidRequest("[] is too short - 'tools'", "tools");
  if (new Set(names).size < names.length)
    return invalidRequest("Tool names must be unique.", "tools");
  return undefined;
}
