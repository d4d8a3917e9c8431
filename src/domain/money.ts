import { Decimal } from "decimal.js";

/** Exact decimals: 50 significant digits, never an exponent in text, half up. */
const Exact = Decimal.clone({
  precision: 50,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -40,
  toExpPos: 60,
});

/** Exact. It stays inside a computation; rows, arguments and events carry decimal strings. */
export type Amount = Decimal;

/** What tool arguments and wire formats accept: digits, optional fraction, no sign, no exponent. */
export const DECIMAL_PATTERN = /^\d{1,30}(\.\d{1,18})?$/;

/** Throws when the text is no number. Text of others is asked `isDecimal` first: "1e5" passes here. */
export function amount(text: string | number | Decimal): Amount {
  return new Exact(text);
}

/**
 * Ask it before `amount` for text of others: what passes is finite, not negative and has no
 * exponent.
 */
export function isDecimal(text: string): boolean {
  return DECIMAL_PATTERN.test(text);
}

/** "62600.0" and "62600" are the same sum: trailing zeros dropped, no exponent. */
export function canonicalDecimal(text: string): string {
  return amount(text).toFixed();
}

/** By value: "40" and "40.00" are the same. Both have to be decimals already. */
export function sameAmount(left: string, right: string): boolean {
  return amount(left).equals(amount(right));
}

/** By value, as a sort wants it. Only for text that `isDecimal` takes. */
export function compareAmounts(left: string, right: string): -1 | 0 | 1 {
  return amount(left).comparedTo(amount(right)) as -1 | 0 | 1; // NaN is no decimal
}

/**
 * Modes for `toDecimalPlaces`. `up` and `down` go by distance from zero, `ceil` towards plus
 * infinity.
 */
export const Rounding = {
  up: Decimal.ROUND_UP,
  down: Decimal.ROUND_DOWN,
  halfUp: Decimal.ROUND_HALF_UP,
  ceil: Decimal.ROUND_CEIL,
} as const;
