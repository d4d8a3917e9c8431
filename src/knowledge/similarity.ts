/** Edit distance with swaps of neighbours as one edit; anything above 2 is told as 3. */
export function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > 2) return 3;
  let older: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      current.push(cell({ left, right, row, column, older, previous, current }));
    }
    older = previous;
    previous = current;
  }
  return Math.min(3, previous[right.length] ?? 3);
}

/** Letter triples with two blanks before and one after, as pg_trgm cuts them. */
export function trigrams(word: string): string[] {
  const padded = `  ${word} `;
  const found = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) found.add(padded.slice(at, at + 3));
  return [...found];
}

interface Cell {
  left: string;
  right: string;
  row: number;
  column: number;
  older: number[];
  previous: number[];
  current: number[];
}

function cell({ left, right, row, column, older, previous, current }: Cell): number {
  const same = left[row - 1] === right[column - 1];
  const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
  const swap = row > 1 && column > 1 && swapped ? (older[column - 2] ?? 3) + 1 : 3;
  return Math.min(
    (previous[column] ?? 3) + 1,
    (current[column - 1] ?? 3) + 1,
    (previous[column - 1] ?? 3) + (same ? 0 : 1),
    swap,
  );
}
