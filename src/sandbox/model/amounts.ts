/** A number that stands in a text, exactly as it would be typed: "две тысячи" is "2000". */
export interface NumberSpan {
  value: string;
  start: number;
  end: number;
}

const SCALE = 100_000_000n;
const DIGITS = String.raw`\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?![\d])|\d+(?:[.,]\d+)*`;
const TOKEN = new RegExp(String.raw`(${DIGITS})|(\p{L}+)`, "gu");

const WORDS = new Map(
  Object.entries({
    ...numberWords("один одна одну одного|два две двух|три трех|четыре четырех|пять пяти", 1),
    ...numberWords("шесть шести|семь семи|восемь восьми|девять девяти|десять десяти", 6),
    ...numberWords("одиннадцать|двенадцать|тринадцать|четырнадцать|пятнадцать", 11),
    ...numberWords("шестнадцать|семнадцать|восемнадцать|девятнадцать", 16),
    ...numberWords("двадцать двадцати|тридцать тридцати|сорок сорока|пятьдесят пятидесяти", 20, 10),
    ...numberWords("шестьдесят шестидесяти|семьдесят семидесяти|восемьдесят|девяносто", 60, 10),
    ...numberWords("сто ста|двести двухсот|триста трехсот|четыреста|пятьсот пятисот", 100, 100),
    ...numberWords("шестьсот|семьсот|восемьсот|девятьсот", 600, 100),
    ...numberWords("one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve", 1),
    ...numberWords("thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen", 13),
    ...numberWords("twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety", 20, 10),
    полтора: 1.5,
    полторы: 1.5,
  }),
);
const HUNDRED = /^hundreds?$/;
const THOUSAND = /^(?:к|k|тыс|тысяч\p{L}{0,3}|тыщ\p{L}?|тонн|косар\p{L}{0,2}|thousands?|grand)$/u;
const MILLION = /^(?:млн|лям\p{L}?|миллион\p{L}{0,3}|mln|millions?)$/u;
const HALF = /^(?:с половиной|and a half)/u;
/** Words that may stand inside one number. */
const JOINING = /^(?:половиной|half|a|and|с)$/;
const NOTHING_BETWEEN = /^[\s\u00a0.-]*(?:and\s+|с\s+|a\s+)*(?:половиной\s+|half\s+)?$/u;
const FULL_THOUSAND = /^(?:тысяч[ауи]|тысячу|тыща|тыщу)$/u;

/** Finds the numbers of a text, in digits, in words, and mixed ("60 тысяч", "2.5k"). */
export function findNumbers(text: string): NumberSpan[] {
  const lower = text.toLowerCase().replaceAll("ё", "е");
  const reader = createReader(lower);
  for (const match of lower.matchAll(TOKEN)) reader.read(match);
  return reader.finish();
}

/** A number being read: `total` is closed by a multiplier, `current` may still grow. */
interface OpenNumber {
  total: bigint;
  current: bigint;
  /** Only something smaller may still be added. */
  lowest: bigint;
  start: number;
  end: number;
}

interface Place {
  start: number;
  end: number;
}

function createReader(text: string) {
  const spans: NumberSpan[] = [];
  let open: OpenNumber | undefined;
  const finish = () => {
    if (open && open.total + open.current > 0n)
      spans.push({ value: plain(open.total + open.current), start: open.start, end: open.end });
    open = undefined;
    return spans;
  };
  const add = (value: bigint, place: Place) => {
    // "двадцать пять" goes on, "пять двадцать" are two numbers
    if (open && value >= open.lowest) finish();
    const { total = 0n, current = 0n, start = place.start } = open ?? {};
    open = { total, current: current + value, lowest: magnitude(value), start, end: place.end };
  };
  const readWord = (word: string, place: Place) => {
    const factor = factorOf(word);
    const known = WORDS.get(word);
    if (factor && (open || isWholeUnit(word, text, place.start)))
      open = multiplied(open, factor, place);
    else if (known !== undefined) add(BigInt(known * 10) * (SCALE / 10n), place);
    else if (open && HALF.test(text.slice(place.start))) open.current += SCALE / 2n;
    else if (!JOINING.test(word)) finish();
  };
  return {
    finish,
    read(match: RegExpExecArray) {
      const [token, digits, word = ""] = match;
      const place = { start: match.index, end: match.index + token.length };
      if (open && !NOTHING_BETWEEN.test(text.slice(open.end, place.start))) finish();
      if (digits) add(digitValue(digits), place);
      else readWord(word, place);
    },
  };
}

function multiplied(open: OpenNumber | undefined, factor: bigint, place: Place): OpenNumber {
  const { total = 0n, current = SCALE, start = place.start } = open ?? {};
  const scaled = (current === 0n ? SCALE : current) * factor;
  const lowest = (factor === 100n ? 100n : 1000n) * SCALE;
  return factor === 100n
    ? { total, current: scaled, lowest, start, end: place.end }
    : { total: total + scaled, current: 0n, lowest, start, end: place.end };
}

function factorOf(word: string): bigint | undefined {
  if (HUNDRED.test(word)) return 100n;
  if (THOUSAND.test(word)) return 1000n;
  return MILLION.test(word) ? 1_000_000n : undefined;
}

/** "тысячу бат" and "a thousand" are a number without one before it; a lone "k" is not. */
function isWholeUnit(word: string, text: string, at: number): boolean {
  return FULL_THOUSAND.test(word) || word === "миллион" || /\ba\s$/.test(text.slice(0, at));
}

/** The place of the last digit that is not zero: what may still be added is smaller. */
function magnitude(value: bigint): bigint {
  let place = SCALE;
  while (value > 0n && value % (place * 10n) === 0n) place *= 10n;
  return place;
}

/** "2,500" and "10.000.000" have thousands, "2,5" and "0,015" a fraction. */
function digitValue(text: string): bigint {
  const compact = text.replace(/[ \u00a0\u202f]/g, "");
  const marks = compact.replace(/\d/g, "");
  const groups = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(compact);
  const dots = marks.length > 1 && /^\d{1,3}(?:\.\d{3})+$/.test(compact);
  const cleaned = groups ? compact.replaceAll(",", "") : compact.replaceAll(",", ".");
  const [whole = "0", fraction = ""] = (dots ? compact.replaceAll(".", "") : cleaned).split(".");
  return BigInt(whole + fraction.slice(0, 8).padEnd(8, "0"));
}

function plain(value: bigint): string {
  const fraction = String(value % SCALE)
    .padStart(8, "0")
    .replace(/0+$/, "");
  return `${value / SCALE}${fraction === "" ? "" : `.${fraction}`}`;
}

function numberWords(forms: string, first: number, step = 1): Record<string, number> {
  const entries = forms
    .split("|")
    .flatMap((same, index) => same.split(" ").map((form) => [form, first + index * step] as const));
  return Object.fromEntries(entries);
}
