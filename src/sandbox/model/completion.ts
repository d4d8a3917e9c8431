import { invalidRequest } from "./wire.ts";

/** As answers and the list of models call it: nobody can take it for a real one. */
export const MODEL_NAME = "sandbox-rules";
const CHARACTERS_A_TOKEN = 4;

/** A call as the rules, or a script, want it; nothing of it is checked here. */
export interface ProposedCall {
  name: string;
  /** An object is written as JSON; text goes out as it is, also when it is broken. */
  arguments: unknown;
}

/** What the model says: text, calls, or both. */
export interface ModelAnswer {
  content?: string | null;
  calls?: ProposedCall[];
}

/** All that makes the ids and sizes of one completion. */
export interface CompletionFrame {
  id: string;
  createdAt: number;
  promptCharacters: number;
}

interface WireCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** The body of a Chat Completions answer; tokens are guessed from characters. */
export function completion(answer: ModelAnswer, frame: CompletionFrame): Record<string, unknown> {
  const calls = wireCalls(answer, frame);
  const message = {
    role: "assistant",
    content: answer.content ?? null,
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    ...head(frame, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(calls) }],
    usage: usage(answer, frame),
  };
}

/** The same answer as server-sent events, in small pieces as a real stream has them. */
export function completionEvents(
  answer: ModelAnswer,
  frame: CompletionFrame,
  includeUsage: boolean,
): string {
  const calls = wireCalls(answer, frame);
  const deltas: Record<string, unknown>[] = [
    { role: "assistant", content: answer.content == null ? null : "" },
    ...pieces(answer.content ?? "").map((content) => ({ content })),
    ...calls.flatMap(callDeltas),
  ];
  const chunks = deltas.map((delta) => chunk(frame, [choice(delta, null)]));
  chunks.push(chunk(frame, [choice({}, finishReason(calls))]));
  if (includeUsage) chunks.push({ ...chunk(frame, []), usage: usage(answer, frame) });
  return serverSentEvents(chunks);
}

/** Ends with `[DONE]`, as the real stream does. */
export function serverSentEvents(chunks: unknown[]): string {
  return `${chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("")}data: [DONE]\n\n`;
}

/** The error body of the API for a played status. */
export function statusError(status: number): unknown {
  const texts: Record<number, [string, string, string | null]> = {
    401: ["Incorrect API key provided.", "invalid_request_error", "invalid_api_key"],
    429: ["Rate limit reached for requests.", "requests", "rate_limit_exceeded"],
  };
  const known = texts[status];
  if (known) return { error: { message: known[0], type: known[1], param: null, code: known[2] } };
  if (status < 500) return invalidRequest("The request was refused.");
  const message = "The server had an error while processing your request.";
  return { error: { message, type: "server_error", param: null, code: null } };
}

function head(frame: CompletionFrame, object: string): Record<string, unknown> {
  return { id: frame.id, object, created: Math.floor(frame.createdAt / 1000), model: MODEL_NAME };
}

function chunk(frame: CompletionFrame, choices: unknown[]): Record<string, unknown> {
  return { ...head(frame, "chat.completion.chunk"), choices };
}

function choice(delta: Record<string, unknown>, finish: string | null): unknown {
  return { index: 0, delta, logprobs: null, finish_reason: finish };
}

function wireCalls(answer: ModelAnswer, frame: CompletionFrame): WireCall[] {
  const stem = frame.id.replace(/^chatcmpl-/, "");
  return (answer.calls ?? []).map((call, index) => ({
    id: `call_${stem}_${index}`,
    type: "function",
    function: { name: call.name, arguments: argumentText(call.arguments) },
  }));
}

function argumentText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

function callDeltas(call: WireCall, index: number): Record<string, unknown>[] {
  const { name, arguments: text } = call.function;
  const half = Math.ceil(text.length / 2);
  const start = { ...call, index, function: { name, arguments: "" } };
  const rest = [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
  return [
    { tool_calls: [start] },
    ...rest.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function pieces(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? (text === "" ? [] : [text]);
}

function finishReason(calls: WireCall[]): string {
  return calls.length > 0 ? "tool_calls" : "stop";
}

function usage(answer: ModelAnswer, frame: CompletionFrame): Record<string, number> {
  const said = (answer.content ?? "").length + JSON.stringify(answer.calls ?? "").length;
  const prompt = Math.ceil(frame.promptCharacters / CHARACTERS_A_TOKEN);
  const completionTokens = Math.ceil(said / CHARACTERS_A_TOKEN);
  return {
    prompt_tokens: prompt,
    completion_tokens: completionTokens,
    total_tokens: prompt + completionTokens,
  };
}
