import type { ProposedCall } from "../domain/chat-model.ts";
import { isObject, jsonOf, textOf } from "./untrusted.ts";

/** A text without the calls that a model wrote into it instead of making them. */
export interface SplitText {
  text: string;
  /** Of tools that are offered. They must not run: the model has to make them properly. */
  calls: ProposedCall[];
  hasMarkup: boolean;
}

/** Qwen and Hermes, Llama, Mistral, DeepSeek and Kimi, as their templates write calls. */
const MARKUP =
  /<\/?(?:tool_calls?|function_calls?|invoke)\b|<function=|<\|(?:tool|python_tag|channel)|<｜tool|\[TOOL_CALLS\]|(?<![\w.])functions\.\w+:\d+/i;
const TRIES = 32;
/** A call's arguments may have no more than that; what is longer is no call. */
const MOST_CHARS = 100_000;

/** Everything from the first mark on is held back; so is a text that is nothing but a call. */
export function splitTextCalls(said: string, names: ReadonlySet<string>): SplitText {
  const mark = MARKUP.exec(said);
  if (mark) {
    const calls = callsIn(said.slice(mark.index, mark.index + MOST_CHARS), names);
    return { text: said.slice(0, mark.index).trimEnd(), calls, hasMarkup: true };
  }
  const bare = said.length > MOST_CHARS ? "" : withoutFence(said.trim());
  const calls = /^[[{]/.test(bare) ? callsIn(bare, names) : spokenCall(bare, names);
  return calls.length > 0
    ? { text: "", calls, hasMarkup: true }
    : { text: said, calls: [], hasMarkup: false };
}

/** Thinking that a template left in the text is not for the client. */
export function withoutThinking(text: string): string {
  const closed = text.lastIndexOf("</think>");
  if (closed >= 0 && (text.indexOf("<think>") < 0 || /^\s*<think>/.test(text)))
    return text.slice(closed + "</think>".length).trimStart();
  return /^\s*<think>/.test(text) ? "" : text;
}

function withoutFence(text: string): string {
  const firstEnd = text.indexOf("\n");
  if (!text.startsWith("```") || !text.endsWith("```") || firstEnd < 0) return text;
  return text.slice(firstEnd, -3).trim();
}

/** `quote({"a":1})` and nothing else. */
function spokenCall(text: string, names: ReadonlySet<string>): ProposedCall[] {
  const [, name = "", given = ""] = /^([\w-]{1,64})\(([\s\S]*)\);?$/.exec(text) ?? [];
  return names.has(name) ? [{ providerId: "", name, arguments: given }] : [];
}

function callsIn(text: string, names: ReadonlySet<string>): ProposedCall[] {
  const calls: ProposedCall[] = [];
  let from = 0;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const start = text.indexOf("{", from);
    if (start < 0) break;
    const end = endOfObject(text, start);
    const object = text.slice(start, end);
    const call = callOf(object, names) ?? namedBefore(text.slice(from, start), object, names);
    if (call) calls.push(call);
    // not a call itself: one may stand in it
    from = call ? end : start + 1;
  }
  return calls;
}

function callOf(object: string, names: ReadonlySet<string>): ProposedCall | null {
  const value = jsonOf(object);
  if (!isObject(value)) return null;
  const inner = isObject(value.function) ? value.function : value;
  const name = textOf(inner.name ?? inner.tool ?? inner.tool_name ?? value.function);
  const given = inner.arguments ?? inner.parameters ?? inner.args ?? inner.input;
  if (!names.has(name) || given === undefined) return null;
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return { providerId: "", name, arguments: text };
}

/** Arguments alone, after a tool's name: `functions.quote:0<|…|>{…}`. */
function namedBefore(
  before: string,
  object: string,
  names: ReadonlySet<string>,
): ProposedCall | null {
  const words = before.slice(-200).match(/[\w-]+/g) ?? [];
  const name = words.findLast((word) => names.has(word));
  return name === undefined ? null : { providerId: "", name, arguments: object };
}

/** Past the brace that closes the object; the end of the text when none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (char === "{") depth += 1;
    else if (char === "}") depth -= 1;
    if (depth === 0 && char === "}" && !isQuoted) return at + 1;
  }
  return text.length;
}
