import { EN } from "./texts-en.js";
import { RU } from "./texts-ru.js";

/** The language that the page was rendered in. @type {"en" | "ru"} */
export const language = document.documentElement.lang === "ru" ? "ru" : "en";
const texts = /** @type {Record<string, string>} */ (language === "ru" ? RU : EN);

/** The text under a key, with `{name}` filled in; an unknown key shows itself. */
export function t(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** A code of the product (status, reason) in words, or the code itself. */
export function told(code) {
  return texts[`code_${code}`] ?? String(code).replaceAll("_", " ");
}

const clock = new Intl.DateTimeFormat(language, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(language, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

export function timeOf(ms) {
  return clock.format(ms);
}

export function dayOf(ms) {
  return day.format(ms);
}
