import type { ChatMessage } from "../domain/chat-model.ts";

/** A shorter history; null: nothing can be left out any more. */
export interface Compacted {
  messages: ChatMessage[];
  /** So many messages were left out. */
  leftOut: number;
}

/**
 * Leaves out the oldest whole exchanges, a user's message with all that followed it, until no more
 * than `share` of what they hold is left. Calls go with their results. System messages and the
 * newest turn stay.
 */
export function compactHistory(messages: readonly ChatMessage[], share: number): Compacted | null {
  const newest = messages.findLastIndex(({ role }) => role === "user");
  const exchanges = exchangesOf(messages.slice(0, Math.max(0, newest)));
  const most = share * sum(exchanges.map(sizeOf));
  const kept = new Set<ChatMessage>();
  let size = 0;
  for (const exchange of exchanges.toReversed()) {
    size += sizeOf(exchange);
    if (size > most) break;
    for (const message of exchange) kept.add(message);
  }
  const shorter = messages.filter(
    (message, at) => message.role === "system" || at >= newest || kept.has(message),
  );
  const leftOut = messages.length - shorter.length;
  return leftOut > 0 ? { messages: shorter, leftOut } : null;
}

/** What stood before the first user's message is one of its own. */
function exchangesOf(messages: readonly ChatMessage[]): ChatMessage[][] {
  const exchanges: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const open = exchanges.at(-1);
    if (!open || message.role === "user") exchanges.push([message]);
    else open.push(message);
  }
  return exchanges;
}

/** In characters: what a token holds is known to the endpoint alone. */
function sizeOf(exchange: readonly ChatMessage[]): number {
  return JSON.stringify(exchange).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
