import { type Amount, amount } from "../../domain/money.ts";
import { deviationPct } from "./tiers.ts";

/** Percent, decimal strings. */
export interface GuardLimits {
  maxDeviationPct: string;
  epsPct: string;
}

/**
 * For the owner only: deviation and threshold, in percent, tell the margin. The lead hears of
 * neither.
 */
export type GuardTrip =
  | { reason: "nonpositive" }
  | { reason: "implausible_deviation"; deviationPct: string; thresholdPct: string };

/**
 * Stops a rate that nobody meant: a typo in a tier or a margin. Works in both directions, for a
 * volume tier may go past the base. Without a positive base there is nothing to compare with.
 */
export function guardTrip(effective: Amount, base: Amount, limits: GuardLimits): GuardTrip | null {
  if (base.lte(0)) return null;
  if (effective.lte(0)) return { reason: "nonpositive" };
  const allowed = amount(limits.maxDeviationPct).plus(limits.epsPct);
  // |eff - base| * 100 > allowed * base is the same test without a division that could round
  const moved = effective.minus(base).abs().times(100);
  if (moved.lte(allowed.times(base))) return null;
  return {
    reason: "implausible_deviation",
    deviationPct: deviationPct(effective, base).toFixed(),
    thresholdPct: amount(limits.maxDeviationPct).toFixed(),
  };
}
