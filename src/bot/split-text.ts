/** What a character counts against a messenger's limit. */
export type Cost = (char: string) => number;

const ONE: Cost = () => 1;

/**
 * Cuts a text into parts of at most `limit` (counted by code points unless `cost` says else), at
 * a paragraph, else a line, a sentence, a word. Only white space at the cuts is left out.
 */
export function splitText(text: string, limit: number, cost: Cost = ONE): string[] {
  const chars = Array.from(text.trim());
  const parts: string[] = [];
  let start = 0;
  while (start < chars.length) {
    const end = fitFrom(chars, start, { limit, cost });
    const cut = end === chars.length ? end : bestCut(chars, start, end);
    const part = chars.slice(start, cut).join("").trimEnd();
    if (part !== "") parts.push(part);
    start = skipSpace(chars, cut);
  }
  return parts;
}

/** Where the longest piece from `start` ends that is within the limit; at least one character. */
function fitFrom(chars: string[], start: number, by: { limit: number; cost: Cost }): number {
  let sum = 0;
  let end = start;
  while (end < chars.length) {
    sum += by.cost(chars[end] ?? "");
    if (sum > by.limit) break;
    end += 1;
  }
  return Math.max(end, start + 1);
}

function bestCut(chars: string[], start: number, end: number): number {
  // a cut that would leave a very short part is worse than a cut at a lesser place
  const early = start + Math.floor((end - start) / 3);
  const isSpace = (at: number) => /\s/.test(chars[at] ?? "");
  const places: ((at: number) => boolean)[] = [
    (at) => chars[at] === "\n" && chars[at - 1] === "\n",
    (at) => chars[at] === "\n",
    (at) => isSpace(at) && /[.!?…。]/.test(chars[at - 1] ?? ""),
    isSpace,
  ];
  for (const isPlace of places) {
    for (let at = end; at > early; at -= 1) if (isPlace(at)) return at;
  }
  return end;
}

function skipSpace(chars: string[], from: number): number {
  let at = from;
  while (at < chars.length && /\s/.test(chars[at] ?? "")) at += 1;
  return at;
}
