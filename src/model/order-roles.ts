import type { ChatMessage } from "../domain/chat-model.ts";

/** All system messages as one, before everything else. */
export function systemFirst(messages: readonly ChatMessage[]): ChatMessage[] {
  const system = messages.filter(({ role }) => role === "system");
  const others = messages.filter(({ role }) => role !== "system");
  if (system.length === 0) return others;
  const content = system.map((message) => message.content).join("\n\n");
  return [{ role: "system", content }, ...others];
}

/** Stands where a template needs somebody to have spoken. */
const NOTHING_SAID = "[nothing was said]";

/**
 * After the system message, user and assistant take turns and a user begins; results of tools stand
 * between two messages of the assistant.
 */
export function mergeRoles(messages: readonly ChatMessage[]): ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const joined = last ? joinedWith(last, message) : null;
    if (joined) merged[merged.length - 1] = joined;
    else merged.push(...between(last, message), message);
  }
  return merged;
}

function joinedWith(last: ChatMessage, message: ChatMessage): ChatMessage | null {
  const content = [last.content, message.content].filter((text) => text !== "").join("\n\n");
  if (last.role === "user" && message.role === "user") return { role: "user", content };
  if (last.role === "assistant" && message.role === "assistant" && !last.toolCalls)
    return { ...message, content };
  return null;
}

function between(last: ChatMessage | undefined, { role }: ChatMessage): ChatMessage[] {
  if (role === "user" && last?.role === "tool")
    return [{ role: "assistant", content: NOTHING_SAID }];
  const isFirst = last === undefined || last.role === "system";
  return role === "assistant" && isFirst ? [{ role: "user", content: NOTHING_SAID }] : [];
}
