import { EN, type TextKey } from "./texts-en.ts";
import { RU } from "./texts-ru.ts";

/** Of the pages; what people wrote and the API's messages come as they are. */
export type PageLanguage = "en" | "ru";

const TEXTS: Record<PageLanguage, Record<TextKey, string>> = { en: EN, ru: RU };

/** Texts of one language. */
export interface Texts {
  /** `{name}` in a text is replaced by the value. */
  (key: TextKey, values?: Record<string, string | number>): string;
  /** The word for a value of a column, like `status.pending`; the value itself when none is known. */
  word(group: string, value: string): string;
}

/** Of one language. */
export function textsOf(language: PageLanguage): Texts {
  const texts: Record<string, string> = TEXTS[language];
  const say = (key: TextKey, values: Record<string, string | number> = {}) =>
    (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) =>
      String(values[name] ?? whole),
    );
  const word = (group: string, value: string) =>
    texts[`${group}.${value}`] ?? value.replaceAll("_", " ");
  return Object.assign(say, { word });
}

/** What the person chose, else the first of the browser's languages that the pages speak. */
export function chooseLanguage(
  chosen: string | undefined,
  accepted: string | undefined,
): PageLanguage {
  if (chosen === "ru" || chosen === "en") return chosen;
  const wanted = (accepted ?? "").split(",").map((part) => part.trim().slice(0, 2).toLowerCase());
  const known = wanted.find((code) => code === "ru" || code === "en");
  return known === "ru" ? "ru" : "en";
}
