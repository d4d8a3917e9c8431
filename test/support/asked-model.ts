import type { ChatModel } from "../../src/domain/chat-model.ts";
import { newId } from "../../src/domain/ids.ts";
import type { AskedModel, ModelAttempt } from "../../src/domain/model-attempt.ts";
import { costOf } from "../../src/model/broker/cost.ts";
import { oneModel } from "../../src/model/broker/model-pool.ts";
import type { ModelEntry } from "../../src/model/broker/models-file.ts";

/** A model that answers by itself, with the row that a broker of one would write. */
export function askedModel(
  model: ChatModel,
  by: { now(): number; price?(): ModelEntry["price"] },
): AskedModel {
  return {
    async chat(request) {
      const outcome = await model.chat(request);
      const { provider, modelId, inputTokens, outputTokens, finishReason, latencyMs } =
        outcome.journal;
      const failed = outcome.kind === "failed" ? outcome : null;
      const entry = oneModel({
        baseUrl: "http://x.test",
        model: modelId,
        price: by.price?.() ?? null,
      });
      const attempt: ModelAttempt = {
        ...{ callId: newId(), at: by.now(), llmName: provider, modelId, scope: null, attempt: 1 },
        ...{ operation: request.operation, traceId: request.traceId ?? null },
        ...{ promptVersion: request.promptVersion ?? null, finishReason, latencyMs },
        ...{ inputTokens, outputTokens, cost: costOf(entry, outcome.journal), score: null },
        status: failed ? "failed" : "ok",
        hadToolCall: outcome.kind === "answer" && outcome.calls.length > 0,
        cut: outcome.kind === "answer" && outcome.cut,
        ...{ failure: failed?.failure ?? null, fault: failed?.fault ?? null },
        ...{ httpStatus: failed?.status ?? null, error: failed?.error ?? null },
      };
      return { ...outcome, attempts: [attempt] };
    },
  };
}
