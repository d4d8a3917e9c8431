import type { Rating } from "./state.ts";

/** A model that could be asked now. */
export interface Candidate {
  name: string;
  weight: number;
  rating: Rating;
  /** Only those of the lowest rank that is there are asked. */
  rank: number;
}

/** So much of the largest weight, and of the best rating, is left to everyone. */
export const FLOOR = 0.05;
/** Without a verdict a model counts as middling; so many verdicts weigh as much as that. */
const PRIOR_MEAN = 0.5;
const PRIOR_COUNT = 4;

/** Between 0 and 1: a few verdicts move it a little, many decide it. */
export function ratingValue({ sum, count }: Rating): number {
  return (PRIOR_MEAN * PRIOR_COUNT + sum) / (PRIOR_COUNT + count);
}

/**
 * How often each would be asked, by weight × rating; of unlike ranks the lowest alone. The weight is
 * where a model starts: the more verdicts there are on it, the less its weight counts.
 */
export function sharesOf(candidates: readonly Candidate[]): number[] {
  const rank = Math.min(...candidates.map((one) => one.rank));
  const largest = Math.max(...candidates.map(({ weight }) => weight));
  const raw = candidates.map((one) => {
    if (one.rank !== rank) return 0;
    const weight = largest === 0 ? 1 : Math.max(one.weight / largest, FLOOR);
    const unjudged = PRIOR_COUNT / (PRIOR_COUNT + one.rating.count);
    return weight ** unjudged * Math.max(ratingValue(one.rating), FLOOR);
  });
  const total = raw.reduce((sum, share) => sum + share, 0);
  return raw.map((share) => share / total);
}

/** `random`: from 0 to below 1. null: there is nobody. */
export function choose<T extends Candidate>(
  candidates: readonly T[],
  random: () => number,
): T | null {
  if (candidates.length === 0) return null;
  const shares = sharesOf(candidates);
  let left = random();
  let last: T | null = null;
  for (const [at, candidate] of candidates.entries()) {
    const share = shares[at] ?? 0;
    if (share === 0) continue;
    last = candidate;
    left -= share;
    if (left < 0) return candidate;
  }
  return last; // what rounding left over
}
