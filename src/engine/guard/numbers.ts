import { amount, canonicalDecimal } from "../../domain/money.ts";
import { findNumberWords } from "./number-words.ts";

export type Unit =
  | { kind: "money"; currency: string }
  | { kind: "percent" }
  | { kind: "duration"; minutes: number }
  | { kind: "none" };

/** A number with its unit, where it stands in the text. */
export interface NumberPiece {
  text: string;
  start: number;
  end: number;
  /** Possible readings, canonical decimals: "62.600" is 62600 or 62.6. */
  readings: string[];
  unit: Unit;
  spelled: boolean;
  /** First letters of the word after a bare number: what is counted. */
  counted: string;
}

const CURRENCIES: [string, string][] = [
  ["THB", "thb|฿|baht|bahts|бат|бата|батов|баты|батах|батами"],
  ["RUB", "rub|rur|₽|rubles?|roubles?|руб|рубл[а-я]*|р(?=[.\\s,]|$)"],
  ["USDT", "usdt|юсдт|tether|тезер[а-я]*"],
  ["USDC", "usdc"],
  ["USD", "\\$|usd|dollars?|bucks|доллар[а-я]*"],
  ["EUR", "€|eur|euros?|евро"],
  ["BTC", "btc|биткоин[а-я]*"],
  ["ETH", "eth"],
  ["LTC", "ltc"],
  ["TRX", "trx"],
  ["TON", "ton|тон"],
  ["PHP", "₱|php|pesos?|песо"],
];
const DURATIONS: [number, string][] = [
  [1 / 60, "sec|secs|seconds?|сек|секунд[а-я]*"],
  [1, "min|mins|minutes?|мин|минут[а-я]*"],
  [60, "h|hrs?|hours?|ч|час(?:а|ов|у|ам)?"],
  [1440, "days?|дн[а-я]{1,2}|день|сут[а-я]*"],
  [10080, "weeks?|недел[а-я]*"],
  [43200, "months?|месяц[а-я]*"],
];
const END = "(?![\\p{L}\\p{N}])";
const SCALE = new RegExp(
  `^\\s?(?:(тыс\\.?|тысяч[а-я]?|тыщ[а-я]?|thousand|k|к)|(млн\\.?|миллион[а-я]*|million|mln))${END}`,
  "iu",
);
const AFTER_MONEY = CURRENCIES.map(
  ([code, words]) => [code, new RegExp(`^[\\s-]{0,2}(?:${words})${END}`, "iu")] as const,
);
const BEFORE_MONEY = CURRENCIES.map(
  ([code, words]) => [code, new RegExp(`(?<![\\p{L}])(?:${words})\\s?$`, "iu")] as const,
);
const AFTER_DURATION = DURATIONS.map(
  ([minutes, words]) => [minutes, new RegExp(`^[\\s-]{0,2}(?:${words})${END}`, "iu")] as const,
);
const AFTER_PERCENT = /^\s?(?:%|процент|percent|pct|per cent)/iu;
const DIGITS =
  /(?<![\p{L}\p{N}_/#.,-]|[\p{L}\p{N}]-)\d{1,3}(?:([ '’,.])\d{3})(?:\1\d{3})*(?:[.,]\d{1,8})?(?!\d|[.,]\d)|(?<![\p{L}\p{N}_]|\d[.,])\d+(?:[.,]\d+)?/gu;
const RANGE = /^\s?(?:[-–—]|to|до|по)\s?$/iu;

/** Every number of the text with its readings and unit. List numbering ("1.", "2)") is none. */
export function findNumbers(text: string): NumberPiece[] {
  const pieces = [...digitNumbers(text), ...spelledNumbers(text)];
  pieces.sort((left, right) => left.start - right.start);
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    if (next === undefined || piece.unit.kind !== "none") continue;
    if (RANGE.test(text.slice(piece.end, next.start))) piece.unit = next.unit;
  }
  return pieces;
}

export function currencyOf(word: string): string | undefined {
  return AFTER_MONEY.find(([, pattern]) => pattern.test(word))?.[0];
}

function digitNumbers(text: string): NumberPiece[] {
  const found: NumberPiece[] = [];
  for (const match of text.matchAll(DIGITS)) {
    const start = match.index;
    const end = start + match[0].length;
    if (isListMark(text, start, end)) continue;
    const scaled = SCALE.exec(text.slice(end));
    const factor = scaled === null ? 1 : scaled[1] === undefined ? 1_000_000 : 1000;
    const stop = end + (scaled?.[0].length ?? 0);
    const tail = text.slice(stop, stop + 32);
    if (scaled === null && /^\p{L}/u.test(tail) && unitAfter(tail).kind === "none") continue;
    found.push({
      text: text.slice(start, stop),
      start,
      end: stop,
      readings: readings(match[0]).map((one) => amount(one).times(factor).toFixed()),
      unit: unitAround(text, start, stop),
      spelled: false,
      counted: countedWord(tail),
    });
  }
  return found;
}

function spelledNumbers(text: string): NumberPiece[] {
  return findNumberWords(text)
    .filter((word) => !/\d\s?$/.test(text.slice(Math.max(0, word.start - 2), word.start)))
    .map((word) => ({
      text: word.text,
      start: word.start,
      end: word.end,
      readings: [canonicalDecimal(String(word.value))],
      unit: unitAfter(text.slice(word.end)),
      spelled: true,
      counted: countedWord(text.slice(word.end)),
    }));
}

function readings(raw: string): string[] {
  const grouped = /^\d{1,3}(?:([ '’,.])\d{3})(?:\1\d{3})*(?:[.,]\d{1,8})?$/u.exec(raw);
  const separator = grouped?.[1];
  if (separator === undefined) return [canonicalDecimal(raw.replace(",", "."))];
  const decimals = /[.,](\d+)$/u.exec(raw);
  const tail = decimals?.[1] ?? "";
  const lastIsGroup = decimals === null || raw.at(-tail.length - 1) === separator;
  const whole = (lastIsGroup ? raw : raw.slice(0, -tail.length - 1)).replace(/[ '’,.]/g, "");
  const asGroups = canonicalDecimal(lastIsGroup ? whole : `${whole}.${tail}`);
  const single = /^(\d{1,3})[.,](\d{3})$/.exec(raw);
  return single === null ? [asGroups] : [asGroups, canonicalDecimal(`${single[1]}.${single[2]}`)];
}

function unitAround(text: string, start: number, end: number): Unit {
  const after = unitAfter(text.slice(end));
  if (after.kind !== "none") return after;
  const before = BEFORE_MONEY.find(([, pattern]) =>
    pattern.test(text.slice(Math.max(0, start - 12), start)),
  );
  return before === undefined ? after : { kind: "money", currency: before[0] };
}

function unitAfter(tail: string): Unit {
  if (AFTER_PERCENT.test(tail)) return { kind: "percent" };
  const money = AFTER_MONEY.find(([, pattern]) => pattern.test(tail));
  if (money !== undefined) return { kind: "money", currency: money[0] };
  const duration = AFTER_DURATION.find(([, pattern]) => pattern.test(tail));
  return duration === undefined ? { kind: "none" } : { kind: "duration", minutes: duration[0] };
}

function isListMark(text: string, start: number, end: number): boolean {
  if (end - start > 2 || !/^[.)]\s/.test(text.slice(end, end + 2))) return false;
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return /^[\s>-]*$/.test(line);
}

function countedWord(tail: string): string {
  return /^[\s-]{1,2}(\p{L}{3,})/u.exec(tail)?.[1]?.toLowerCase().slice(0, 5) ?? "";
}
