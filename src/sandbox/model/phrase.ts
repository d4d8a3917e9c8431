/** Spelled out and without flags: `\p{L}` with `iu` takes a hundred times longer to compile. */
const LETTER = "[a-zа-я]";
const WORD = "[a-zа-я0-9]";

/**
 * One pattern from phrases: words stand whole, `*` is any ending, a space is any gap, `(a|b)` a
 * choice and `~` its repetition. JavaScript's `\b` knows no Cyrillic, so the borders are spelled out. For
 * texts that went through `normalise`.
 */
export function phrases(...list: string[]): RegExp {
  const sources = list.map((phrase) =>
    phrase
      .replaceAll("ё", "е")
      .replaceAll("*", `${LETTER}*`)
      .replaceAll("~", "*")
      .replaceAll(" ", "[\\s,.!-]+"),
  );
  return new RegExp(`(?<!${WORD})(?:${sources.join("|")})(?!${WORD})`);
}

/** Lower case, "ё" as "е", typographic apostrophes plain: what the patterns are written for. */
export function normalise(text: string): string {
  return text.toLowerCase().replaceAll("ё", "е").replaceAll("’", "'");
}
