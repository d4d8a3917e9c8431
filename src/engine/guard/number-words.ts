import { phrase } from "./phrase.ts";

const VALUES: [string, number][] = [
  ["ноль|нуля|zero", 0],
  ["один|одна|одно|одну|одного|одной|one", 1],
  ["два|две|двух|двумя|two", 2],
  ["три|трех|трёх|тремя|three", 3],
  ["четыре|четырех|четырёх|four", 4],
  ["пять|пяти|five", 5],
  ["шесть|шести|six", 6],
  ["семь|семи|seven", 7],
  ["восемь|восьми|eight", 8],
  ["девять|девяти|nine", 9],
  ["десять|десяти|ten", 10],
  ["одиннадцат[ьи]|eleven", 11],
  ["двенадцат[ьи]|twelve", 12],
  ["тринадцат[ьи]|thirteen", 13],
  ["четырнадцат[ьи]|fourteen", 14],
  ["пятнадцат[ьи]|fifteen", 15],
  ["шестнадцат[ьи]|sixteen", 16],
  ["семнадцат[ьи]|seventeen", 17],
  ["восемнадцат[ьи]|eighteen", 18],
  ["девятнадцат[ьи]|nineteen", 19],
  ["двадцат[ьи]|twenty", 20],
  ["тридцат[ьи]|thirty", 30],
  ["сорока?|forty", 40],
  ["пятьдесят|пятидесяти|fifty", 50],
  ["шестьдесят|шестидесяти|sixty", 60],
  ["семьдесят|семидесяти|seventy", 70],
  ["восемьдесят|восьмидесяти|eighty", 80],
  ["девяноста?|девяносто|ninety", 90],
  ["сто|ста", 100],
  ["двести|двухсот", 200],
  ["триста|трехсот|трёхсот", 300],
  ["четыреста|четырехсот|четырёхсот", 400],
  ["пятьсот|пятисот", 500],
  ["шестьсот|шестисот", 600],
  ["семьсот|семисот", 700],
  ["восемьсот|восьмисот", 800],
  ["девятьсот|девятисот", 900],
  ["полтора|полторы|полутора", 1.5],
];
const SCALES: [string, number][] = [
  ["hundred", 100],
  ["тысяч[аиу]?|тыщ[аиу]?|thousand", 1000],
  ["миллиона?|миллионов|million", 1_000_000],
];
const ANY_WORD = [...VALUES, ...SCALES].map(([words]) => words).join("|");
const RUN = phrase(`(?:${ANY_WORD})(?:(?: |-| and )(?:${ANY_WORD}))*`);
const PLAIN: [RegExp, number][] = VALUES.map(([words, value]) => [whole(words), value]);
const FACTORS: [RegExp, number][] = SCALES.map(([words, value]) => [whole(words), value]);

export interface WordNumber {
  text: string;
  start: number;
  end: number;
  value: number;
  words: number;
}

/** Numbers written out in Russian or English: "две тысячи", "sixty-two thousand six hundred". */
export function findNumberWords(text: string): WordNumber[] {
  const found: WordNumber[] = [];
  for (const match of text.toLowerCase().matchAll(RUN)) {
    const words = match[0].split(/[\s-]+/).filter((word) => word.toLowerCase() !== "and");
    const value = composed(words);
    const span = { start: match.index, end: match.index + match[0].length };
    found.push({ ...span, text: text.slice(span.start, span.end), value, words: words.length });
  }
  return found;
}

function composed(words: string[]): number {
  let total = 0;
  let part = 0;
  for (const word of words) {
    const factor = lookUp(FACTORS, word);
    if (factor === undefined) {
      part += lookUp(PLAIN, word) ?? 0;
    } else if (factor === 100) {
      part = (part || 1) * factor;
    } else {
      total += (part || 1) * factor;
      part = 0;
    }
  }
  return total + part;
}

function lookUp(table: [RegExp, number][], word: string): number | undefined {
  return table.find(([pattern]) => pattern.test(word))?.[1];
}

function whole(words: string): RegExp {
  return new RegExp(`^(?:${words})$`, "iu");
}
