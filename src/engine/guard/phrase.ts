const WORD_START = "(?<![\\p{L}\\p{N}_])";
const WORD_END = "(?![\\p{L}\\p{N}_])";
const GAP = "(?:[^\\S\\n]+[^\\s.!?;]+){0,4}?\\s+";

/**
 * A regular expression for whole words of any script, for text in lower case with е for ё. In the source `~` stands for any word ending,
 * a blank for white space and ` .. ` for up to four words in between.
 */
export function phrase(source: string, flags = "gu"): RegExp {
  const body = source
    .replace(/ \.\. /g, GAP)
    .replace(/~/g, "\\p{L}*")
    .replace(/ /g, "\\s+");
  return new RegExp(`${WORD_START}(?:${body})${WORD_END}`, flags);
}

/** Does the text, folded, hold the phrase? */
export function says(text: string, pattern: RegExp): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text.toLowerCase().replace(/ё/g, "е"));
}
