import { amount } from "../domain/money.ts";

/** What the owner pays, USD as decimals. Without a price nothing is counted: no figure is made up. */
export interface Prices {
  /** For one request to a service outside, by provider. */
  outside: ReadonlyMap<string, string>;
}

/** Costs are then unknown, not zero. */
export const NO_PRICES: Prices = { outside: new Map() };
export const CURRENCY = "USD";

/** Decimal strings, exact; "0" for none. */
export function sumOf(amounts: readonly string[]): string {
  return amounts.reduce((sum, one) => amount(sum).plus(one).toFixed(), "0");
}
