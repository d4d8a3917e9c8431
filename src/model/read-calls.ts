import type { ProposedCall } from "../domain/chat-model.ts";
import type { JsonObject } from "../domain/json.ts";
import { MOST_CALLS } from "./stream-calls.ts";
import { isObject, jsonOf, textOf } from "./untrusted.ts";

/**
 * The calls of a message in their order, arguments unparsed. Names are taken by an exact list: one
 * that is not on it goes on as it came and is refused as unknown.
 */
export function readCalls(
  message: Record<string, unknown>,
  names: ReadonlySet<string>,
): { calls: ProposedCall[]; hasTooMany: boolean } {
  const entries = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const older = isObject(message.function_call) ? [{ function: message.function_call }] : [];
  const read = (entries.length > 0 ? entries : older)
    .slice(0, MOST_CALLS + 1)
    .flatMap(callOf)
    .flatMap((call) => unwrapped(call, names))
    .map((call) => ({ ...call, name: knownName(call.name, names) }));
  return { calls: read.slice(0, MOST_CALLS), hasTooMany: read.length > MOST_CALLS };
}

function callOf(entry: unknown): ProposedCall[] {
  if (!isObject(entry) || !isObject(entry.function)) return [];
  const { name, arguments: given } = entry.function;
  if (typeof name !== "string" && given === undefined) return [];
  const extra = isObject(entry.extra_content) ? { extra: entry.extra_content as JsonObject } : {}; // parsed JSON
  return [
    { providerId: textOf(entry.id), name: textOf(name), arguments: argumentsOf(given), ...extra },
  ];
}

/** Some servers send an object instead of text; anything else goes on as it is and is refused. */
function argumentsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}

/** Only marks that are known to come from the servers themselves are taken off. */
function knownName(name: string, names: ReadonlySet<string>): string {
  if (names.has(name)) return name;
  const bare = name
    .replace(/<\|.*$/s, "")
    .replace(/^functions\./, "")
    .replace(/:\d+$/, "");
  return names.has(bare) ? bare : name;
}

const WRAPPERS = /^(?:functions\.)?(?:multi_tool_use(?:[._]parallel)?|parallel)$/;

/** A wrapper of several calls is no tool: the calls in it count, each for itself. */
function unwrapped(call: ProposedCall, names: ReadonlySet<string>): ProposedCall[] {
  if (names.has(call.name) || !WRAPPERS.test(call.name)) return [call];
  const value = jsonOf(call.arguments);
  const uses = isObject(value) && Array.isArray(value.tool_uses) ? value.tool_uses : [];
  const inner = uses.map((use) => innerCall(use, call));
  // one that cannot be read must not vanish while its siblings run
  return inner.length > 0 && inner.every((one) => one !== null) ? inner : [call];
}

function innerCall(use: unknown, { providerId }: ProposedCall): ProposedCall | null {
  if (!isObject(use) || typeof use.recipient_name !== "string") return null;
  return { providerId, name: use.recipient_name, arguments: argumentsOf(use.parameters) };
}
