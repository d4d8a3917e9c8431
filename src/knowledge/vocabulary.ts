import { editDistance, trigrams } from "./similarity.ts";
import type { Token } from "./tokens.ts";

/** The words of one base: what to look for in place of a word that does not stand in it. */
export interface Vocabulary {
  knows: (term: string) => boolean;
  /** Terms to search for in place of one word, each with its weight (0–1), the best first. */
  expand: (token: Token) => Expansion[];
}

/** Weight 1: the word itself. */
export interface Expansion {
  term: string;
  weight: number;
}

const MOST = 6;
/** Below this share of common triples two words are not compared at all. */
const WORTH_COMPARING = 0.3;
const RELATED = 0.5;

/** Weights were found on a sample of Russian and English questions with typing errors. */
export function buildVocabulary(tokens: Iterable<Token>): Vocabulary {
  const words = new Map<string, string>();
  for (const { word, term } of tokens) words.set(word, term);
  const terms = new Set(words.values());
  const entries = [...words].map(([word, term]) => ({ word, term, size: trigrams(word).length }));
  const byTriple = new Map<string, number[]>();
  for (const [id, entry] of entries.entries()) {
    for (const triple of trigrams(entry.word)) {
      const ids = byTriple.get(triple);
      if (ids === undefined) byTriple.set(triple, [id]);
      else ids.push(id);
    }
  }
  const similar = (word: string) => candidates(word, byTriple, entries);
  return {
    knows: (term) => terms.has(term),
    expand: (token) => expand(token, terms, similar),
  };
}

interface Candidate {
  word: string;
  term: string;
  dice: number;
}

function candidates(
  word: string,
  byTriple: ReadonlyMap<string, number[]>,
  entries: { word: string; term: string; size: number }[],
): Candidate[] {
  const triples = trigrams(word);
  const shared = new Map<number, number>();
  for (const triple of triples) {
    for (const id of byTriple.get(triple) ?? []) shared.set(id, (shared.get(id) ?? 0) + 1);
  }
  const found: Candidate[] = [];
  for (const [id, count] of shared) {
    const entry = entries[id];
    if (entry === undefined) continue;
    const dice = (2 * count) / (triples.length + entry.size);
    if (dice >= WORTH_COMPARING) found.push({ word: entry.word, term: entry.term, dice });
  }
  return found;
}

function expand(
  token: Token,
  terms: ReadonlySet<string>,
  similar: (word: string) => Candidate[],
): Expansion[] {
  const isKnown = terms.has(token.term);
  const weights = new Map<string, number>(isKnown ? [[token.term, 1]] : []);
  if (!/\d/.test(token.word) && token.word.length > 2) {
    for (const one of similar(token.word)) {
      const weight = isKnown ? relatedWeight(one) : mistypedWeight(token.word, one);
      if (weight > (weights.get(one.term) ?? 0)) weights.set(one.term, weight);
    }
  }
  return [...weights]
    .map(([term, weight]) => ({ term, weight }))
    .sort((left, right) => right.weight - left.weight || (left.term < right.term ? -1 : 1))
    .slice(0, MOST);
}

function relatedWeight({ dice }: Candidate): number {
  return dice >= RELATED ? 0.5 * dice : 0;
}

function mistypedWeight(word: string, { word: other, dice }: Candidate): number {
  const distance = editDistance(word, other);
  const long = word.length >= 7;
  const byEdits = distance === 1 ? 0.85 : distance === 2 && long ? 0.55 : 0;
  const edited = word[0] === other[0] ? byEdits : byEdits * 0.7;
  return Math.max(edited, 0.6 * dice);
}
