import { fromLatinKeys, fromRussianKeys, fromTranslit } from "./keyboard.ts";
import { isStopWord } from "./stop-words.ts";
import { stem, wordsOf } from "./tokens.ts";

const READINGS: ((piece: string) => string)[] = [
  (piece) => piece,
  fromLatinKeys,
  fromTranslit,
  fromRussianKeys,
];

/**
 * Undoes transliteration and the wrong keyboard layout, when that makes more words known to the
 * vocabulary. Words that are known as they stand ("USDT") stay.
 */
export function repairQuery(query: string, isKnownTerm: (term: string) => boolean): string {
  const known = (word: string) => isStopWord(word) || isKnownTerm(stem(word));
  const pieces = query.split(/\s+/).filter((piece) => piece !== "");
  let best = { text: query, known: -1 };
  for (const reading of READINGS) {
    const read = pieces.map((piece) => (wordsOf(piece).every(known) ? piece : reading(piece)));
    const count = read.filter((piece) => isReadable(piece, known)).length;
    if (count > best.known) best = { text: read.join(" "), known: count };
  }
  return best.text;
}

function isReadable(piece: string, known: (word: string) => boolean): boolean {
  const words = wordsOf(piece);
  return words.length > 0 && words.every(known);
}
