/** All that people read exists in both; there is no third to fall back on. */
export type Language = "ru" | "en";

/** Links and names of sites, hashes and accounts, addresses, mentions and commands, `:emoji:` codes. */
const WORDLESS = new RegExp(
  [
    "\\b[a-z][a-z+.-]*:\\/\\/\\S+",
    "\\S+@\\S+",
    "\\b(?:[a-z0-9-]+\\.)+[a-z]{2,}\\b(?:\\/\\S*)?",
    "\\b(?:[0-9a-fx]{16,}|(?=\\w*\\d)[0-9a-z]{16,})\\b",
    "[@/]\\w+",
    ":[a-z0-9_+'-]+:",
  ].join("|"),
  "gi",
);

/**
 * The language of the words in a text; a text without words (a hash, a number, a picture)
 * keeps the one before.
 */
export function languageOf(text: string, before: Language): Language {
  const words = text.replace(WORDLESS, " ");
  const cyrillic = words.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const latinWords = words.match(/(?<!\p{L})[a-z]{2,}(?!\p{L})/giu) ?? [];
  const latin = latinWords.filter((word) => word !== word.toUpperCase()).join("").length;
  if (cyrillic === 0 && latin === 0) return before;
  return cyrillic * 2 >= latin ? "ru" : "en";
}

/**
 * Russian also for Ukrainian, Belarusian and Kazakh phones, English for all others; null: no code.
 */
export function languageOfCode(code: string | null | undefined): Language | null {
  if (!code) return null;
  return /^(ru|uk|be|kk)\b/i.test(code) ? "ru" : "en";
}
