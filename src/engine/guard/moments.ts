import { maskSpan } from "./identifiers.ts";

/** A time that a text names, with what it is compared by. */
export interface Moment {
  kind: "time" | "date" | "weekday" | "always";
  text: string;
  /** "22:00", "03-15", "mon"; several when the text names a range of days. */
  values: string[];
  start: number;
  end: number;
}

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY_WORDS: RegExp[] = [
  /^(?:mon|пн|понед)/iu,
  /^(?:tue|вт)/iu,
  /^(?:wed|ср)/iu,
  /^(?:thu|чт|четв)/iu,
  /^(?:fri|пт|пятн)/iu,
  /^(?:sat|сб|субб)/iu,
  /^(?:sun|вс|воскр)/iu,
];
const DAY =
  "(?:(?:mon|tues?|wednes|thurs?|fri|satur|sun)days?|mon|tue|wed|thu|fri|sat|понедельник\\p{L}*|вторник\\p{L}*|сред[ауые]|четверг\\p{L}*|пятниц\\p{L}*|суббот\\p{L}*|воскресень\\p{L}*|пн|вт|ср|чт|пт|сб|вс)";
const MONTHS: RegExp[] = [
  /^(?:jan|янв)/iu,
  /^(?:feb|фев)/iu,
  /^(?:mar|мар)/iu,
  /^(?:apr|апр)/iu,
  /^(?:may|ма[йея])/iu,
  /^(?:jun|июн)/iu,
  /^(?:jul|июл)/iu,
  /^(?:aug|авг)/iu,
  /^(?:sep|сен)/iu,
  /^(?:oct|окт)/iu,
  /^(?:nov|ноя)/iu,
  /^(?:dec|дек)/iu,
];
const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|январ[яеь]|феврал[яеь]|марта?|апрел[яеь]|ма[яй]|июн[яеь]|июл[яеь]|августа?|сентябр[яеь]|октябр[яеь]|ноябр[яеь]|декабр[яеь])";
const HALF = "(?:a\\.?m\\.?|p\\.?m\\.?|утра|вечера|дня|ночи|in the morning|in the evening)";
const NOT_WORD = "(?![\\p{L}\\p{N}])";
const BEFORE = "(?<![\\p{L}\\p{N}.,])";

const FINDERS: {
  find: RegExp;
  read: (match: RegExpMatchArray) => Omit<Moment, "start" | "end">;
}[] = [
  {
    find: /(?<!\d)(?:\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/gu,
    read: (match) => moment("date", match[0], [`${match[1]}-${match[2]}`]),
  },
  {
    find: /(?<![\d.])(\d{1,2})[./](\d{1,2})[./](?:20)?\d{2}(?![\d.]\d)/gu,
    read: (match) => moment("date", match[0], [monthDay(match[2], match[1])]),
  },
  {
    find: new RegExp(
      `${BEFORE}(\\d{1,2})(?:st|nd|rd|th|-?го)?(?: of)?\\s(${MONTH})${NOT_WORD}`,
      "giu",
    ),
    read: (match) => moment("date", match[0], [monthDay(monthOf(match[2]), match[1])]),
  },
  {
    find: new RegExp(
      `${BEFORE}(${MONTH})\\s(\\d{1,2})(?:st|nd|rd|th)?${NOT_WORD}(?!\\s\\d{3})`,
      "giu",
    ),
    read: (match) => moment("date", match[0], [monthDay(monthOf(match[1]), match[2])]),
  },
  {
    find: new RegExp(
      `(?<![\\d:])([01]?\\d|2[0-4])[:](\\d{2})(?::\\d{2})?(?:\\s?(${HALF})${NOT_WORD})?`,
      "giu",
    ),
    read: (match) => moment("time", match[0], [clock(match[1], match[2], match[3])]),
  },
  {
    find: new RegExp(`${BEFORE}(\\d{1,2})\\s?(${HALF})${NOT_WORD}`, "giu"),
    read: (match) => moment("time", match[0], [clock(match[1], "00", match[2])]),
  },
  {
    find: /(?<![\p{L}\p{N}])(?:с|from|between)\s(\d{1,2})(?:\sчасов)?\s(?:до|to|till|until|and)\s(\d{1,2})(?![\p{N}:]|[.,]\d|\s?(?:\p{L}|%|฿|₽|\$))/giu,
    read: (match) =>
      moment("time", match[0], [clock(match[1], "00", ""), clock(match[2], "00", "")]),
  },
  {
    find: /(?<![\p{L}\p{N}])(?:в|до|с|к|at|by|until|till)\s(\d{1,2})\s(?:часов|час|o'clock)(?![\p{L}\p{N}])/giu,
    read: (match) => moment("time", match[0], [clock(match[1], "00", "")]),
  },
  {
    find: new RegExp(
      `(?<![\\p{L}\\p{N}])(${DAY})\\s?(?:[-–—]|to|through|по)\\s?(${DAY})${NOT_WORD}`,
      "giu",
    ),
    read: (match) => moment("weekday", match[0], dayRange(match[1], match[2])),
  },
  {
    find: new RegExp(`(?<![\\p{L}\\p{N}])(${DAY})${NOT_WORD}`, "giu"),
    read: (match) => moment("weekday", match[0], dayRange(match[1], match[1])),
  },
  {
    find: /24\/7|(?<![\p{L}])(?:круглосуточн\p{L}*|around the clock|ежедневно|каждый день|без выходных|every day|daily|seven days a week)(?![\p{L}])/giu,
    read: (match) =>
      moment("always", match[0], [/24|кругло|clock/iu.test(match[0]) ? "24/7" : "daily"]),
  },
];

/** Times of day, dates and days of the week, and the text with them masked out. */
export function findMoments(text: string): { found: Moment[]; rest: string } {
  const found: Moment[] = [];
  let rest = text;
  for (const finder of FINDERS) {
    const round: Moment[] = [];
    for (const match of rest.matchAll(finder.find)) {
      const start = match.index;
      round.push({ ...finder.read(match), start, end: start + match[0].length });
    }
    rest = round.reduce(maskSpan, rest);
    found.push(...round);
  }
  return { found, rest };
}

function moment(
  kind: Moment["kind"],
  text: string,
  values: string[],
): Omit<Moment, "start" | "end"> {
  return { kind, text, values };
}

function clock(hour = "", minute = "00", half = ""): string {
  const hours = Number(hour);
  const afternoon = /^(?:p|вечера|дня|in the evening)/iu.test(half);
  const morning = /^(?:a|ночи|утра)/iu.test(half);
  const day = afternoon && hours < 12 ? hours + 12 : morning && hours === 12 ? 0 : hours;
  return `${String(day % 24).padStart(2, "0")}:${minute}`;
}

function monthOf(word = ""): string {
  return String(MONTHS.findIndex((month) => month.test(word)) + 1);
}

function monthDay(month = "", day = ""): string {
  return `${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function dayRange(from = "", to = ""): string[] {
  const first = DAY_WORDS.findIndex((day) => day.test(from));
  const last = DAY_WORDS.findIndex((day) => day.test(to));
  const length = ((last - first + 7) % 7) + 1;
  return Array.from({ length }, (_, step) => DAYS[(first + step) % 7] ?? "");
}
