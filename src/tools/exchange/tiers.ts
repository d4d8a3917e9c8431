import { type Amount, amount, Rounding } from "../../domain/money.ts";
import type { RateRow, Tier } from "./rate-lookup.ts";

/** Places of a deviation that is counted, not stored. */
const PCT_PLACES = 4;

/** What the given sum is measured by: `isTarget` says that it is in the quote currency. */
export interface TierContext {
  rate: Pick<RateRow, "quoteMode" | "baseRate">;
  isTarget: boolean;
}

/**
 * The first tier, by its lower bound, that holds the amount: min <= g < max. g is the quote
 * amount at the base rate, without margin and fee, so that no tier can move its own range.
 */
export function pickTier(tiers: readonly Tier[], given: Amount, context: TierContext): Tier | null {
  const ascending = [...tiers].sort((left, right) => amount(left.min).comparedTo(right.min));
  const holds = (tier: Tier) => {
    const g = measured(given, tier, context);
    return g.gte(tier.min) && (tier.max === null || g.lt(tier.max));
  };
  return ascending.find(holds) ?? null;
}

/** The stored deviation, else the display rate against the base, in percent. */
export function tierMarginPct(tier: Tier, rate: Pick<RateRow, "baseRate">): Amount {
  if (tier.deviationPct !== undefined && tier.deviationPct !== null) {
    return amount(tier.deviationPct);
  }
  const base = amount(rate.baseRate);
  return base.lte(0) ? amount(0) : deviationPct(amount(tier.displayRate), base);
}

/** (rate / base - 1) * 100, four places. */
export function deviationPct(rate: Amount, base: Amount): Amount {
  return rate.div(base).minus(1).times(100).toDecimalPlaces(PCT_PLACES, Rounding.halfUp);
}

function measured(given: Amount, tier: Tier, context: TierContext): Amount {
  const wantsSource = tier.rangeBasis === "source_amount";
  if (wantsSource === !context.isTarget) return given;
  const { quoteMode, baseRate } = context.rate;
  // source -> target multiplies a multiplied rate; target -> source turns that round
  const multiplies = (quoteMode === "multiply") === !wantsSource;
  return multiplies ? given.times(baseRate) : given.div(baseRate);
}
