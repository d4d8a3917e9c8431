const MOST_SHOWN = 3;
/** A slip of the pen: few letters of many. */
const SHARE_OF_LETTERS = 0.34;
/** Longer ones are no names of ours, and not worth the comparison. */
const LONGEST_NAME = 100;

/** Those that were probably meant, the nearest first. */
export function nearNames(name: string, names: Iterable<string>): string[] {
  if (name.length > LONGEST_NAME) return [];
  return [...names]
    .map((known) => ({ known, distance: distanceOf(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, distance }) => distance <= SHARE_OF_LETTERS * known.length)
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, MOST_SHOWN)
    .map(({ known }) => known);
}

/** Letters to put in, take out or change (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_none, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      line[column] = Math.min(
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
