import type { ChatOutcome } from "../../domain/chat-model.ts";
import type { Said } from "./chat-options.ts";

/** `cost`: USD, decimal; null: unknown. */
export function saidOf(
  outcome: Extract<ChatOutcome, { kind: "answer" }>,
  cost: string | null,
): Said {
  const { text, calls, cut, reasoning, leftOut, journal } = outcome;
  const { inputTokens, outputTokens } = journal;
  return {
    ...{ text, toolCalls: calls, cut },
    ...(reasoning ? { reasoning } : {}),
    ...(leftOut === undefined ? {} : { leftOut }),
    usage: { inputTokens, outputTokens, cost },
    journal,
  };
}
