import type { ChatMessage, ProposedCall, WireCall } from "../../domain/chat-model.ts";
import { messageOf } from "../../domain/errors.ts";
import { newId } from "../../domain/ids.ts";
import type { JsonObject } from "../../domain/json.ts";
import { isObject, jsonOf } from "../untrusted.ts";
import type { ChatOptions, Said } from "./chat-options.ts";
import { ToolLoopLimitError } from "./errors.ts";

/** What a loop reads of an answer; the rest of it comes back as it is. */
export type LoopSaid = Pick<Said, "text" | "toolCalls"> & Partial<Said>;

/** Whatever answers: a broker, a scope of it, one model, or a client of your own. */
export interface LoopClient<S extends LoopSaid> {
  chat(messages: ChatMessage[], options: ChatOptions): Promise<S>;
}

/** Text goes to the model as it is, anything else as JSON. */
export type ToolFunction = (
  args: JsonObject,
  context: { signal: AbortSignal | undefined; callId: string },
) => unknown;

export interface ToolLoopOptions extends ChatOptions {
  /** Model calls at most. */
  maxCycles?: number;
  /** By the tool's name. */
  dispatch: Readonly<Record<string, ToolFunction>>;
}

export const DEFAULT_MAX_CYCLES = 8;

/**
 * Asks until an answer proposes no calls; the calls of an answer run side by side. A tool that
 * fails is told to the model, not thrown. `usage` is that of the last model call alone: the journal
 * has them all, under the `traceId` that comes back. Throws ToolLoopLimitError, and what the client
 * throws.
 */
export async function runToolLoop<S extends LoopSaid>(
  client: LoopClient<S>,
  messages: readonly ChatMessage[],
  options: ToolLoopOptions,
): Promise<S & { messages: ChatMessage[]; cycles: number; traceId: string }> {
  const { maxCycles = DEFAULT_MAX_CYCLES, dispatch, ...asked } = options;
  if (!Number.isSafeInteger(maxCycles) || maxCycles < 1)
    throw new RangeError(`maxCycles: wants a whole number from 1, got ${maxCycles}`);
  const traceId = asked.traceId ?? newId();
  const history = [...messages];
  for (let cycle = 1; cycle <= maxCycles; cycle += 1) {
    asked.signal?.throwIfAborted();
    const said = await client.chat([...history], { ...asked, traceId });
    const calls = said.toolCalls.map((call, ordinal) => wireCall(call, { cycle, ordinal }));
    history.push(assistantMessage(said, calls));
    if (calls.length === 0) return { ...said, messages: history, cycles: cycle, traceId };
    if (cycle === maxCycles) break;
    const run = { dispatch, signal: asked.signal, isCut: said.cut === true };
    const contents = await Promise.all(calls.map((call) => resultOf(call, run)));
    for (const [at, { id }] of calls.entries())
      history.push({ role: "tool", toolCallId: id, content: contents[at] ?? "" });
  }
  throw new ToolLoopLimitError(maxCycles);
}

/** Providers' ids may be missing, equal, or come again: ours are by place. */
function wireCall(call: ProposedCall, at: { cycle: number; ordinal: number }): WireCall {
  const { name, arguments: given, extra } = call;
  const id = `call_${at.cycle}_${at.ordinal + 1}`;
  return { id, name, arguments: given, ...(extra ? { extra } : {}) };
}

function assistantMessage({ text, reasoning }: LoopSaid, calls: WireCall[]): ChatMessage {
  return {
    ...{ role: "assistant", content: text },
    ...(reasoning ? { reasoning } : {}),
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
  };
}

interface Running {
  dispatch: ToolLoopOptions["dispatch"];
  signal: AbortSignal | undefined;
  isCut: boolean;
}

async function resultOf(call: WireCall, { dispatch, signal, isCut }: Running): Promise<string> {
  const { id, name } = call;
  // names of an object's own prototype are no tools
  const tool = Object.hasOwn(dispatch, name) ? dispatch[name] : undefined;
  if (!tool) return `Unknown tool ${name}`;
  if (isCut) return `Tool ${name} failed: the answer was cut off; call it again in full`;
  const args = argumentsOf(call.arguments);
  if (!args) return `Tool ${name} failed: the arguments are no JSON object`;
  try {
    return textOfResult(await tool(args, { signal, callId: id }));
  } catch (error) {
    return `Tool ${name} failed: ${messageOf(error)}`;
  }
}

/** null: they are no object. Nothing said is none. */
function argumentsOf(text: string): JsonObject | null {
  if (text.trim() === "") return {};
  const value = jsonOf(text);
  if (value === null) return {};
  return isObject(value) ? (value as JsonObject) : null; // parsed JSON
}

function textOfResult(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? "null";
}
