/** Invisible and direction-changing characters: they hide a changed character of a wallet. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;
const ABBREVIATION =
  /(?:^|[^\p{L}])(?:\p{L}|ул|руб|тыс|млн|мин|тел|стр|оф|эт|пр|no|st|rd|ave|approx|min|e\.g|i\.e)\.$/iu;
const CLAUSE_BREAK = /[,;:()«»"\n]\s|[—–→]|\s-\s|\s(?:но|а|однако|зато|but|however|though)\s/giu;

/** Positions count in the normalised text. */
export interface Sentence {
  text: string;
  start: number;
  end: number;
  question: boolean;
}

/** One form for comparison: compatibility forms folded, emphasis and invisible characters dropped. */
export function normaliseText(text: string): string {
  return text
    .replace(/№/g, "#")
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .replace(/```[a-z]*/g, "\n")
    .replace(/[~`]|(?<!\*)\*{1,2}(?!\*)/g, "");
}

/** Lower case with ё as е, the same length as the text it was made of. */
export function foldCase(text: string): string {
  return text.toLowerCase().replace(/ё/g, "е");
}

export function splitSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  for (const match of text.matchAll(/[.!?]+(?=\s|$|\))|\n+|\p{Extended_Pictographic}\uFE0F?/gu)) {
    const end = match.index + match[0].length;
    if (match[0] === "." && ABBREVIATION.test(text.slice(start, end))) continue;
    addSentence(sentences, { text, start, end });
    start = end;
  }
  addSentence(sentences, { text, start, end: text.length });
  return sentences;
}

/** An empty one where the position is in none. */
export function sentenceAt(sentences: Sentence[], position: number): Sentence {
  const found = sentences.find((one) => position >= one.start && position < one.end);
  return found ?? { text: "", start: position, end: position, question: false };
}

/** The clause of the sentence that holds the span, given relative to the sentence. */
export function clauseAround(
  sentence: string,
  start: number,
  end: number,
): { text: string; start: number; end: number } {
  let from = 0;
  let to = sentence.length;
  for (const mark of sentence.matchAll(CLAUSE_BREAK)) {
    const after = mark.index + mark[0].length;
    if (after <= start) from = after;
    if (mark.index >= end) {
      to = mark.index;
      break;
    }
  }
  return { text: sentence.slice(from, to), start: from, end: to };
}

function addSentence(into: Sentence[], span: { text: string; start: number; end: number }): void {
  const text = span.text.slice(span.start, span.end);
  if (text.trim() === "") return;
  into.push({ text, start: span.start, end: span.end, question: text.trimEnd().endsWith("?") });
}
