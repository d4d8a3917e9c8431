import type { ChatMessage, WireCall } from "../domain/chat-model.ts";
import { mergeRoles, systemFirst } from "./order-roles.ts";
import { isObject, jsonOf } from "./untrusted.ts";

/** What an endpoint demands of a history besides what all do. */
export interface HistoryRules {
  /** User and assistant take turns, a user begins; implies that system messages stand first. */
  alternate?: boolean;
  /** One system message, before everything else. */
  systemFirst?: boolean;
  /** Call ids of exactly nine letters and digits, as Mistral wants them. */
  shortIds?: boolean;
}

type Assistant = Extract<ChatMessage, { role: "assistant" }>;
type ToolResult = Extract<ChatMessage, { role: "tool" }>;

/** For the model: honest about a call that nobody knows the end of. */
export const NO_RESULT = "no result: it is not known whether this call was carried out";

/**
 * A history that every endpoint takes: each call has exactly one result, right after its message
 * (of several the last; none of an unknown call), ids are unique, arguments are JSON objects, no
 * assistant message is empty. Doing it twice changes nothing more.
 */
export function repairHistory(
  messages: readonly ChatMessage[],
  rules: HistoryRules = {},
): ChatMessage[] {
  const results = resultsOf(messages);
  const ids = createIds(rules.shortIds ?? false, messages);
  const repaired = messages.flatMap((message, at): ChatMessage[] => {
    if (message.role === "tool") return [];
    if (message.role !== "assistant") return [message];
    return repairedAssistant(message, results.get(at) ?? [], ids);
  });
  const ordered = rules.systemFirst || rules.alternate ? systemFirst(repaired) : repaired;
  return rules.alternate ? mergeRoles(ordered) : ordered;
}

function repairedAssistant(
  message: Assistant,
  results: readonly (ToolResult | undefined)[],
  ids: Ids,
): ChatMessage[] {
  const { toolCalls = [], ...said } = message;
  if (toolCalls.length === 0) return said.content.trim() === "" ? [] : [said];
  const calls = toolCalls.map(
    (call): WireCall => ({
      ...call,
      id: ids.next(call.id),
      name: call.name.replace(/[^\w-]/g, "_").slice(0, 64) || "unknown_tool",
      arguments: isObject(jsonOf(call.arguments)) ? call.arguments : "{}",
    }),
  );
  const answers = calls.map(({ id }, ordinal): ChatMessage => {
    const content = results[ordinal]?.content ?? NO_RESULT;
    return { role: "tool", toolCallId: id, content };
  });
  return [{ ...said, toolCalls: calls }, ...answers];
}

/**
 * Results by message and ordinal of their calls. Ids may come again, in one message or in a later
 * one: a result belongs to the latest call before it, equal ids of one message are met in order.
 */
function resultsOf(messages: readonly ChatMessage[]): Map<number, (ToolResult | undefined)[]> {
  const results = new Map<number, (ToolResult | undefined)[]>();
  const latest = new Map<string, CallsOfId>();
  for (const [at, message] of messages.entries()) {
    if (message.role === "assistant") noteCalls(latest, message.toolCalls ?? [], at);
    if (message.role !== "tool") continue;
    const owner = latest.get(message.toolCallId);
    if (!owner) continue;
    const ordinal = owner.ordinals[Math.min(owner.met, owner.ordinals.length - 1)] ?? 0;
    owner.met += 1;
    const list = results.get(owner.at) ?? [];
    list[ordinal] = message;
    results.set(owner.at, list);
  }
  return results;
}

/** The calls of one message that have the same id; `met` of them have a result already. */
interface CallsOfId {
  at: number;
  ordinals: number[];
  met: number;
}

function noteCalls(latest: Map<string, CallsOfId>, calls: readonly WireCall[], at: number): void {
  for (const [ordinal, { id }] of calls.entries()) {
    const same = latest.get(id);
    if (same?.at === at) same.ordinals.push(ordinal);
    else latest.set(id, { at, ordinals: [ordinal], met: 0 });
  }
}

interface Ids {
  /** The id itself where it may stand, else one of our own. */
  next(id: string): string;
}

const ANY_ID = /^[\w-]{1,40}$/;
const SHORT_ID = /^[A-Za-z0-9]{9}$/;

function createIds(isShort: boolean, messages: readonly ChatMessage[]): Ids {
  const form = isShort ? SHORT_ID : ANY_ID;
  const given = new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    ),
  );
  const used = new Set<string>();
  let count = 0;
  const fresh = (): string => {
    count += 1;
    const id = `c${count.toString(36).padStart(8, "0")}`;
    return given.has(id) || used.has(id) ? fresh() : id;
  };
  return {
    next(id) {
      const own = form.test(id) && !used.has(id) ? id : fresh();
      used.add(own);
      return own;
    },
  };
}
