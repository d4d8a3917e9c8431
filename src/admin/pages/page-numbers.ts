import { amount } from "../../domain/money.ts";
import type { PageLanguage } from "./language.ts";

/** Numbers as people of a language write them. */
export interface PageNumbers {
  count(value: number): string;
  /** USD of a decimal, exact up to the fourth digit; less than that is said to be less. */
  money(decimal: string): string;
  time(ms: number): string;
  /** 0 to 1 as per cent. */
  share(value: number): string;
  /** A UTC day of a table. */
  day(day: string): string;
  /** The same for axes, which have no room. */
  brief: {
    count(value: number): string;
    money(value: number): string;
    time(ms: number): string;
    day(day: string): string;
  };
}

const LOCALES: Record<PageLanguage, string> = { en: "en-US", ru: "ru-RU" };
const MONEY_DIGITS = 4;
const LEAST_MONEY = "0.0001";
const SECOND_MS = 1000;
/** From here on an axis says thousands and millions in a word. */
const LONG_NUMBER = 10_000;

/** Of one language; making the formats takes longer than using them. */
export function numbersIn(language: PageLanguage): PageNumbers {
  return NUMBERS[language];
}

const NUMBERS: Record<PageLanguage, PageNumbers> = {
  en: numbersOf(LOCALES.en),
  ru: numbersOf(LOCALES.ru),
};

function numbersOf(locale: string): PageNumbers {
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const compact = new Intl.NumberFormat(locale, { notation: "compact" });
  const share = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
  const money = currencyOf(locale, { maximumFractionDigits: MONEY_DIGITS });
  const compactMoney = currencyOf(locale, { notation: "compact", minimumFractionDigits: 0 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const briefDay = new Intl.DateTimeFormat(locale, {
    ...{ day: "numeric", month: "short", timeZone: "UTC" },
  });
  const time = timeIn(locale);
  return {
    count: (value) => whole.format(value),
    money(decimal) {
      const isTiny = amount(decimal).greaterThan(0) && amount(decimal).lessThan(LEAST_MONEY);
      // a plain decimal, of which a double would lose digits
      const format = (text: string) => money.format(text as Intl.StringNumericLiteral);
      return isTiny ? unbroken(`< ${format(LEAST_MONEY)}`) : format(amount(decimal).toFixed());
    },
    time,
    share: (value) => share.format(value),
    day: (text) => day.format(Date.parse(text)),
    brief: {
      count: (value) => (value < LONG_NUMBER ? whole : compact).format(value),
      money: (value) => (value < LONG_NUMBER ? money : compactMoney).format(value),
      time,
      day: (text) => briefDay.format(Date.parse(text)),
    },
  };
}

function currencyOf(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { style: "currency", currency: "USD", ...options });
}

/** Milliseconds below a second, seconds from there on. */
function timeIn(locale: string): (ms: number) => string {
  const unit = (name: string, digits: number) =>
    new Intl.NumberFormat(locale, {
      ...{ style: "unit", unit: name, maximumFractionDigits: digits },
    });
  const short = unit("millisecond", 0);
  const long = unit("second", 1);
  return (ms) => unbroken(ms < SECOND_MS ? short.format(ms) : long.format(ms / SECOND_MS));
}

/** A unit never stands at the start of the next line. */
function unbroken(text: string): string {
  return text.replaceAll(" ", "\u00a0");
}
