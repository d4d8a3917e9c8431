/** All that people read exists in both; there is no third to fall back on. */
export type Language = "ru" | "en";

/**
 * The language of the words in a text; a text without words (a hash, a number, a picture)
 * keeps the one before.
 */
export function languageOf(text: string, before: Language): Language {
  const words = text.replace(
    /https?:\/\/\S+|\b(?:[0-9a-fx]{16,}|(?=\w*\d)[0-9a-z]{16,})\b|\S+@\S+|[@/]\w+/gi,
    " ",
  );
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
