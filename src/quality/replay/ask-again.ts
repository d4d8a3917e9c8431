import type { ChatMessage, ChatModel, ToolDefinition } from "../../domain/chat-model.ts";
import type { RawCall } from "./judge-call.ts";

/** One answer. `error`: there was none, in words for a person. */
export interface Answer {
  text: string;
  calls: RawCall[];
  error: string | null;
}

/** How to put a recorded question to a model; nothing that it proposes is run. */
export interface Asked {
  model: ChatModel;
  /** Name of the model in reports. */
  modelId: string;
  tools: ToolDefinition[];
  /** The system message, as the product writes it now. */
  system: string;
}

const LIMIT_MS = 60_000;

/** The model's answer to messages that end where it once answered. */
export async function askAgain(
  { model, tools, system }: Asked,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): Promise<Answer> {
  const outcome = await model.chat({
    messages: [{ role: "system", content: system }, ...messages],
    tools,
    operation: "replay",
    timeoutMs: LIMIT_MS,
    signal,
  });
  if (outcome.kind === "failed")
    return { text: "", calls: [], error: `the model did not answer: ${outcome.error}` };
  if (outcome.cut && outcome.calls.length > 0)
    return { text: outcome.text, calls: [], error: "the answer was cut off in a call" };
  return { text: outcome.text, calls: outcome.calls, error: null };
}
