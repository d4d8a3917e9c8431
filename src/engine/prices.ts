import type { ModelJournal } from "../domain/chat-model.ts";
import { amount } from "../domain/money.ts";

/** What the owner pays, USD as decimals. Without a price nothing is counted: no figure is made up. */
export interface Prices {
  /** For a million tokens. */
  model: { input: string; output: string } | null;
  /** For one request to a service outside, by provider. */
  outside: ReadonlyMap<string, string>;
}

/** Costs are then unknown, not zero. */
export const NO_PRICES: Prices = { model: null, outside: new Map() };
export const CURRENCY = "USD";

const MILLION = 1_000_000;

/** null: no price is known, or the endpoint did not count its tokens. */
export function costOfModelCall({ model }: Prices, journal: ModelJournal): string | null {
  const { inputTokens, outputTokens } = journal;
  if (!model || inputTokens === null || outputTokens === null) return null;
  const input = amount(model.input).times(inputTokens);
  const output = amount(model.output).times(outputTokens);
  return input.plus(output).dividedBy(MILLION).toFixed();
}

/** Decimal strings, exact; "0" for none. */
export function sumOf(amounts: readonly string[]): string {
  return amounts.reduce((sum, one) => amount(sum).plus(one).toFixed(), "0");
}
