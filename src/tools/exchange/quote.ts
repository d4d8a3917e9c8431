import { type Amount, amount, isDecimal, Rounding } from "../../domain/money.ts";
import { assetDecimals, networkOf, normalizeAsset } from "./assets.ts";
import { type GuardLimits, type GuardTrip, guardTrip } from "./rate-guard.ts";
import type { QuoteMode, RateRow, Tier } from "./rate-lookup.ts";
import { pickTier, tierMarginPct } from "./tiers.ts";

/** Which side the lead named: what they send (`source_amount`) or what they want to get. */
export type AmountMode = "source_amount" | "target_amount";

/** What is asked for, not checked: a sum that is none comes back as a failure. */
export interface QuoteInput {
  asset: string;
  /** Left out or null: the asset's usual one. */
  network?: string | null;
  /** Decimal string: of the asset in source mode, of the quote currency in target mode. */
  amount: string;
  amountMode: AmountMode;
  /**
   * How a target is turned into a sum of a multiplied asset: `six_places` rounds half up as the
   * published cases do; `asset_units` uses the asset's own unit and rounds up where that is finer.
   */
  sourceUnits?: "six_places" | "asset_units";
}

/** All amounts are canonical decimal strings. */
export interface Quote {
  ok: true;
  asset: string;
  network: string;
  amountMode: AmountMode;
  amountFrom: string;
  /** Six places, for people; sums come from the exact rate. */
  rate: string;
  exactRate: string;
  quoteMode: QuoteMode;
  amountTo: string;
  quoteAsset: string;
  marginPct: string;
  feeFixed: string;
  tierMin: string | null;
}

/**
 * Why there is no price. `guard` and `rate_not_configured` are the desk's fault and call a person;
 * limits are told to the lead.
 */
export type QuoteFailure =
  | { ok: false; error: "amount_not_positive" }
  | { ok: false; error: "rate_not_configured"; needsOperator: true }
  | {
      ok: false;
      error: "below_min" | "above_max";
      /** In the asset, like computedAmountFrom, which stands only in target mode. */
      limit: string;
      computedAmountFrom?: string;
    }
  | { ok: false; error: "guard"; guard: GuardTrip; needsOperator: true };

const SOURCE_PLACES = 6;

/**
 * The desk's one price formula, in exact decimals. `rate` and `tiers` are those already picked
 * for the asset and network. Errors come in a fixed order: amount, rate, limits of a given
 * source, guard, limits of a computed source.
 */
export function computeQuote(
  input: QuoteInput,
  rate: RateRow | null,
  tiers: readonly Tier[],
  guard: GuardLimits,
): Quote | QuoteFailure {
  if (!isDecimal(input.amount) || amount(input.amount).isZero()) {
    return { ok: false, error: "amount_not_positive" };
  }
  if (!rate) return { ok: false, error: "rate_not_configured", needsOperator: true };
  const isTarget = input.amountMode === "target_amount";
  const given = amount(input.amount);
  const early = isTarget ? null : limitFailure(given, rate);
  if (early) return early;

  const tier = pickTier(tiers, given, { rate, isTarget });
  const effective = tier ? amount(tier.displayRate) : baseWithMargin(rate);
  const trip = guardTrip(effective, amount(rate.baseRate), guard);
  if (trip) return { ok: false, error: "guard", guard: trip, needsOperator: true };
  // the guard looks at nothing while the base is zero, so a row without a price ends here
  if (effective.lte(0)) return { ok: false, error: "rate_not_configured", needsOperator: true };

  const from = isTarget ? sourceForTarget(input, rate, effective) : given;
  const late = isTarget ? limitFailure(from, rate) : null;
  if (late) return { ...late, computedAmountFrom: from.toFixed() };
  return {
    ok: true,
    asset: normalizeAsset(input.asset),
    network: networkOf(input.asset, input.network),
    amountMode: input.amountMode,
    amountFrom: from.toFixed(),
    rate: effective.toDecimalPlaces(SOURCE_PLACES, Rounding.halfUp).toFixed(),
    exactRate: effective.toFixed(),
    quoteMode: rate.quoteMode,
    amountTo: isTarget ? wholeUnits(given) : payoutOf(from, effective, rate),
    quoteAsset: rate.quoteAsset,
    marginPct: (tier ? tierMarginPct(tier, rate) : amount(rate.marginPct)).toFixed(),
    feeFixed: amount(rate.feeFixed).toFixed(),
    tierMin: tier ? amount(tier.min).toFixed() : null,
  };
}

function payoutOf(
  from: Amount,
  effective: Amount,
  terms: { quoteMode: QuoteMode; feeFixed: string },
): string {
  const gross = terms.quoteMode === "multiply" ? from.times(effective) : from.div(effective);
  const net = gross.minus(terms.feeFixed);
  return net.lte(0) ? "0" : wholeUnits(net);
}

function wholeUnits(value: Amount): string {
  return value.toDecimalPlaces(0, Rounding.halfUp).toFixed();
}

function baseWithMargin(rate: RateRow): Amount {
  const share = amount(rate.marginPct).div(100);
  const one = amount(1);
  const factor = rate.quoteMode === "multiply" ? one.minus(share) : one.plus(share);
  return amount(rate.baseRate).times(factor);
}

function sourceForTarget(input: QuoteInput, rate: RateRow, effective: Amount): Amount {
  const gross = amount(input.amount).plus(rate.feeFixed);
  if (rate.quoteMode === "divide") {
    return gross.times(effective).toDecimalPlaces(0, Rounding.ceil);
  }
  const units = assetDecimals(input.asset);
  if (input.sourceUnits === "asset_units" && units > SOURCE_PLACES) {
    return gross.div(effective).toDecimalPlaces(units, Rounding.ceil);
  }
  return gross.div(effective).toDecimalPlaces(SOURCE_PLACES, Rounding.halfUp);
}

function limitFailure(from: Amount, rate: RateRow) {
  const { minAmountFrom: min, maxAmountFrom: max } = rate;
  if (min !== null && from.lt(min)) {
    return { ok: false, error: "below_min", limit: amount(min).toFixed() } as const;
  }
  if (max !== null && from.gt(max)) {
    return { ok: false, error: "above_max", limit: amount(max).toFixed() } as const;
  }
  return null;
}
