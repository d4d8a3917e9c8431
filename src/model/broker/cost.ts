import type { ModelJournal } from "../../domain/chat-model.ts";
import { amount } from "../../domain/money.ts";
import type { ModelEntry } from "./models-file.ts";

const MILLION = 1_000_000;

/** USD, decimal; null: no price is known, or the endpoint did not count its tokens. */
export function costOf(
  { price }: ModelEntry,
  { inputTokens, outputTokens }: Pick<ModelJournal, "inputTokens" | "outputTokens">,
): string | null {
  if (!price || inputTokens === null || outputTokens === null) return null;
  const input = amount(price.input).times(inputTokens);
  return amount(price.output).times(outputTokens).plus(input).dividedBy(MILLION).toFixed();
}
