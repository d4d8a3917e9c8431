/** From 0 to `top`, with a tick at every step. For places on a screen, not for sums. */
export interface Scale {
  top: number;
  /** From 0 to the top. */
  ticks: number[];
}

const MOST_STEPS = 4;
const STEPS = [1, 2, 2.5, 5, 10];
/** A top of its own must stay a number. */
const LARGEST = 1e300;

/**
 * Round steps that hold the largest value. `least`: no step is smaller, as 1 of what is counted or
 * the last digit that is shown.
 */
export function scaleUpTo(largest: number, { least }: { least: number }): Scale {
  const value = Number.isFinite(largest) ? Math.max(0, largest) : largest > 0 ? LARGEST : 0;
  const step = Math.max(least, roundStep(Math.min(value, LARGEST) / MOST_STEPS, least));
  const count = Math.max(1, Math.ceil(tidy(Math.min(value, LARGEST) / step)));
  const ticks = Array.from({ length: count + 1 }, (_, index) => tidy(index * step));
  return { top: tidy(count * step), ticks };
}

/** Part of the scale's height, 0 to 1. */
export function heightOn({ top }: Scale, value: number): number {
  return Math.min(1, Math.max(0, value / top));
}

/** Which of so many days are named: few enough for a phone, always the last one. */
export function namedDays(count: number, most = 4): number[] {
  const step = Math.max(1, Math.ceil((count - 1) / (most - 1)));
  const named: number[] = [];
  for (let index = count - 1; index >= 0; index -= step) named.unshift(index);
  return named;
}

/** The first round number from `wanted` on; a multiple of `least` where that is one or more. */
function roundStep(wanted: number, least: number): number {
  if (wanted <= least) return least;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const fits = (step: number) => step >= tidy(wanted / power) && isMultiple(step * power, least);
  return tidy((STEPS.find(fits) ?? 10) * power);
}

function isMultiple(step: number, least: number): boolean {
  return Number.isInteger(tidy(step / least));
}

/** Without the last digits of a double, which say 0.30000000000000004. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
