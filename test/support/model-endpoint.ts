import type { ServerResponse } from "node:http";
import type { ChatOutcome, ChatRequest } from "../../src/domain/chat-model.ts";
import { type ChatClientOptions, createChatClient } from "../../src/model/chat-client.ts";
import { parseArguments } from "../../src/tools/parse-arguments.ts";
import { json, type ScriptedServer } from "./scripted-server.ts";

/** How an endpoint may answer: with one value, or with a stream of pieces of it. */
export const MODES = ["whole", "streamed"] as const;
export type Mode = (typeof MODES)[number];

export type Fields = Record<string, unknown>;

const tool = (name: string) => ({ name, description: "", parameters: { type: "object" } });

/** A request that offers the tools `quote` and `pay`. */
export function request(mode: Mode, over: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: "user", content: "hi" }],
    tools: [tool("quote"), tool("pay")],
    ...{ operation: "reply", timeoutMs: 20_000, signal: new AbortController().signal },
    ...(mode === "streamed" ? { onDelta: () => {} } : {}),
    ...over,
  };
}

export function clientOf(server: { url: string }, over: Partial<ChatClientOptions> = {}) {
  return createChatClient({
    ...{ provider: "test", baseUrl: `${server.url}/v1`, apiKey: "key", model: "small" },
    realNow: () => 0,
    ...over,
  });
}

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
}

/** The events of a stream: each a value, `[DONE]` where it is a string. */
export function events(...values: unknown[]): string {
  return values
    .map((value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`)
    .join("");
}

export const delta = (fields: Fields, finish: unknown = null, more: Fields = {}) => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
  ...more,
});

export function stream(response: ServerResponse, ...values: unknown[]): void {
  startStream(response);
  response.end(events(...values));
}

export interface Said {
  message?: Fields;
  /** The pieces of a stream; left out: the message as one piece. */
  pieces?: Fields[];
  finish?: unknown;
  usage?: unknown;
}

/** Answers as the mode says, and gives what the client made of it. */
export async function hear(
  server: ScriptedServer,
  mode: Mode,
  said: Said,
  asked: Partial<ChatRequest> = {},
): Promise<ChatOutcome> {
  const { message = {}, pieces, finish = "stop", usage } = said;
  server.answer((_, response) => {
    if (mode === "whole")
      return json(response, 200, {
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      });
    const parts = pieces ?? [message];
    stream(
      response,
      ...parts.map((part) => delta(part)),
      delta({}, finish),
      ...(usage === undefined ? [] : [{ choices: [], usage }]),
      "[DONE]",
    );
  });
  return clientOf(server).chat(request(mode, asked));
}

export function answerOf(outcome: ChatOutcome): Extract<ChatOutcome, { kind: "answer" }> {
  if (outcome.kind === "failed") throw new Error(`${outcome.fault}: ${outcome.error}`);
  return outcome;
}

/** What becomes of each call: its arguments as they would be checked, or why it may not run. */
export function fates(outcome: ChatOutcome): [name: string, fate: unknown][] {
  const { calls, cut } = answerOf(outcome);
  return calls.map((call) => {
    if (cut) return [call.name, "cut"];
    const parsed = parseArguments(call.arguments);
    return [call.name, parsed.ok ? parsed.value : `refused: ${parsed.error.rule}`];
  });
}

/** A call as an answer has it; given `undefined`, a field is left out. */
export function call(fn: Fields = {}, over: Fields = {}) {
  return {
    ...{ id: "c1", type: "function", function: { name: "quote", arguments: "{}", ...fn } },
    ...over,
  };
}
