import snowball from "snowball-stemmers";
import { isStopWord } from "./stop-words.ts";

/** A word of a text or question, as it is matched. */
export interface Token {
  /** As written: lower case, е for ё. */
  word: string;
  /** Its Snowball stem, by the script of the word. */
  term: string;
}

const RUN = /[\p{L}\p{N}]+/gu;
const russian = snowball.newStemmer("russian");
const english = snowball.newStemmer("english");

/** The words that matter, in order. Stop words are left out unless nothing else is there to search by. */
export function tokenize(text: string): Token[] {
  return wordsOf(text)
    .filter((word) => !isStopWord(word))
    .map((word) => ({ word, term: stem(word) }));
}

/** Stop words included; text and question have to go through the same function. */
export function wordsOf(text: string): string[] {
  return text.normalize("NFKC").toLowerCase().replace(/ё/g, "е").match(RUN) ?? [];
}

/** A word with a digit is a name of something and stays whole. */
export function stem(word: string): string {
  if (/\d/.test(word)) return word;
  if (/[а-я]/.test(word)) return russian.stem(word);
  return /^[a-z]+$/.test(word) ? english.stem(word) : word;
}
