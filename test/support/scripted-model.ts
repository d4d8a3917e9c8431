import type { ChatModel, ChatOutcome, ChatRequest } from "../../src/domain/chat-model.ts";

export interface ScriptedModel extends ChatModel {
  /** What it says next, in order: calls, or a text. */
  next: ({ calls: { name: string; args: object }[] } | string)[];
  requests: ChatRequest[];
}

/** Says exactly what a test wants, and a plain text when nothing is left. */
export function createScriptedModel(): ScriptedModel {
  const model: ScriptedModel = {
    next: [],
    requests: [],
    async chat(request): Promise<ChatOutcome> {
      model.requests.push(request);
      const said = model.next.shift() ?? "All right.";
      const figures = { inputTokens: 1, outputTokens: 1, finishReason: "stop", latencyMs: 1 };
      const journal = { provider: "test", modelId: "test", ...figures };
      if (typeof said === "string")
        return { kind: "answer", text: said, calls: [], cut: false, journal };
      const calls = said.calls.map(({ name, args }, index) => ({
        ...{ providerId: `call-${index}`, name, arguments: JSON.stringify(args) },
      }));
      return { kind: "answer", text: "", calls, cut: false, journal };
    },
  };
  return model;
}
