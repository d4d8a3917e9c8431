import type { ChatMessage } from "../../domain/chat-model.ts";
import type { ChatClient, ChatOptions, Said } from "./chat-options.ts";
import type { Clients } from "./clients.ts";
import { costOf } from "./cost.ts";
import { NoModelAvailableError, ProviderError, UnknownModelError } from "./errors.ts";
import { findKey } from "./keys.ts";
import type { BrokerParts } from "./parts.ts";
import { requestFor } from "./request.ts";
import { saidOf } from "./said.ts";

/**
 * One model and no other: no failover, no cooldown, no line, nothing written down. What goes wrong
 * goes up as a ProviderError; the abort's reason where the caller gave it up.
 */
export function createDirect(
  { parts, clients }: { parts: BrokerParts; clients: Clients },
  { llmName, scope }: { llmName: string; scope: string | null },
): ChatClient<Said> {
  return {
    chat: (messages, options = {}) =>
      ask({ parts, clients }, { llmName, scope, messages, options }),
  };
}

async function ask(
  { parts, clients }: { parts: BrokerParts; clients: Clients },
  asked: { llmName: string; scope: string | null; messages: ChatMessage[]; options: ChatOptions },
): Promise<Said> {
  const { llmName, scope, messages, options } = asked;
  const entry = parts.pool().find(({ name }) => name === llmName);
  if (!entry) throw new UnknownModelError(llmName);
  const found = await findKey(parts.keys, entry, scope);
  if (!found) throw new NoModelAvailableError("no_keys");
  const { signal = new AbortController().signal, timeoutMs = entry.timeoutMs } = options;
  const request = requestFor(entry, messages, options, { timeoutMs, signal });
  const outcome = await clients(entry, found.key).chat(request);
  if (outcome.kind === "answer") return saidOf(outcome, costOf(entry, outcome.journal));
  if (outcome.fault === "aborted") signal.throwIfAborted();
  throw new ProviderError(outcome.status ?? null, outcome.error);
}
