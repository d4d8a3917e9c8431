const DAY_MS = 86_400_000;

/** As many UTC days as asked for, oldest first; the last one is that of `now`. */
export function daysUntil(now: number, count: number): string[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: count }, (_, index) => dayText(today - count + 1 + index));
}

function dayText(sinceEpoch: number): string {
  return new Date(sinceEpoch * DAY_MS).toISOString().slice(0, 10);
}
