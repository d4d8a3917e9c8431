import { splitSentences } from "./chunk.ts";
import { repairQuery } from "./repair.ts";
import { tokenize } from "./tokens.ts";
import { buildVocabulary, type Expansion, type Vocabulary } from "./vocabulary.ts";

/** `id` is the caller's; the ranking does not look at it. */
export interface IndexedChunk {
  id: string;
  text: string;
  /** Titles above the text: searched with it. */
  heading?: string[];
}

/** `score` without a bound; only its order means anything. */
export interface FoundChunk<C extends IndexedChunk = IndexedChunk> {
  chunk: C;
  score: number;
}

/** Numbers in it are places in `chunks`. Never changed: another base is another index. */
export interface ChunkIndex<C extends IndexedChunk = IndexedChunk> {
  chunks: readonly C[];
  vocabulary: Vocabulary;
  postings: ReadonlyMap<string, Posting[]>;
  /** Terms of each chunk, headings included. */
  lengths: readonly number[];
  averageLength: number;
  /** Terms of each sentence of each chunk. */
  sentences: readonly ReadonlySet<string>[][];
}

interface Posting {
  chunk: number;
  count: number;
}

/** Okapi BM25; b is low because chunks are cut to about one length. */
const K1 = 1.2;
const B = 0.6;
const RERANKED = 30;
const SENTENCE_SHARE = 0.8;
/** One met word is an answer only when it is this share of what was asked, by how rare the words are. */
const LEAST_COVERAGE = 0.36;
/** A word counts as met from this weight on: itself or an evident typing error. */
const MET = 0.5;

/** An index in memory over the chunks handed in. */
export function buildIndex<C extends IndexedChunk>(chunks: readonly C[]): ChunkIndex<C> {
  const tokens = chunks.map((one) => tokenize([...(one.heading ?? []), one.text].join("\n")));
  const postings = new Map<string, Posting[]>();
  for (const [chunk, own] of tokens.entries()) {
    const counts = new Map<string, number>();
    for (const { term } of own) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [{ chunk, count }]);
      else list.push({ chunk, count });
    }
  }
  const lengths = tokens.map((own) => own.length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return {
    chunks,
    vocabulary: buildVocabulary(tokens.flat()),
    postings,
    lengths,
    averageLength: total / Math.max(1, chunks.length),
    sentences: chunks.map(sentenceTerms),
  };
}

/** Left out in the product. */
export interface SearchOptions {
  /** Also gives chunks that only share a chance word with the question: for measuring the ranking. */
  keepWeak?: boolean;
}

/** The best chunks for a question, best first; none when nothing in the index speaks of it. */
export function searchChunks<C extends IndexedChunk>(
  index: ChunkIndex<C>,
  query: string,
  topK: number,
  options: SearchOptions = {},
): FoundChunk<C>[] {
  const asked = askedWords(index, query);
  const scores = bm25(index, asked);
  const first = [...scores].sort(byScore).slice(0, RERANKED);
  const covered =
    options.keepWeak === true || first.some(([chunk]) => speaksOf(index, chunk, asked));
  if (!covered) return [];
  return first
    .map(([chunk, score]): [number, number] => [
      chunk,
      score + SENTENCE_SHARE * bestSentence(index, chunk, asked),
    ])
    .sort(byScore)
    .slice(0, topK)
    .flatMap(([chunk, score]) => {
      const found = index.chunks[chunk];
      return found === undefined ? [] : [{ chunk: found, score }];
    });
}

interface AskedWord {
  expansions: (Expansion & { idf: number })[];
  /** Of the word itself; a word that nobody wrote is the rarest. */
  idf: number;
}

function askedWords(index: ChunkIndex, query: string): AskedWord[] {
  const repaired = repairQuery(query, index.vocabulary.knows);
  const unique = new Map(tokenize(repaired).map((token) => [token.term, token]));
  return [...unique.values()].map((token) => ({
    expansions: index.vocabulary
      .expand(token)
      .map((one) => ({ ...one, idf: inverseFrequency(index, one.term) })),
    idf: inverseFrequency(index, token.term),
  }));
}

function inverseFrequency(index: ChunkIndex, term: string): number {
  const holding = index.postings.get(term)?.length ?? 0;
  return Math.log(1 + (index.chunks.length - holding + 0.5) / (holding + 0.5));
}

/** Each word of the question counts once, by the best of its expansions. */
function bm25(index: ChunkIndex, asked: AskedWord[]): Map<number, number> {
  const scores = new Map<number, number>();
  for (const word of asked) {
    for (const [chunk, score] of wordScores(index, word)) {
      scores.set(chunk, (scores.get(chunk) ?? 0) + score);
    }
  }
  return scores;
}

function wordScores(index: ChunkIndex, word: AskedWord): Map<number, number> {
  const best = new Map<number, number>();
  for (const { term, weight, idf } of word.expansions) {
    for (const { chunk, count } of index.postings.get(term) ?? []) {
      const length = (index.lengths[chunk] ?? 0) / index.averageLength;
      const saturated = (count * (K1 + 1)) / (count + K1 * (1 - B + B * length));
      best.set(chunk, Math.max(best.get(chunk) ?? 0, weight * idf * saturated));
    }
  }
  return best;
}

function bestSentence(index: ChunkIndex, chunk: number, asked: AskedWord[]): number {
  const sums = (index.sentences[chunk] ?? []).map((terms) => weightOf(asked, terms));
  return Math.max(0, ...sums);
}

/** Two words of the question, or most of a short one: a single chance word is no answer. */
function speaksOf(index: ChunkIndex, chunk: number, asked: AskedWord[]): boolean {
  const all = new Set((index.sentences[chunk] ?? []).flatMap((terms) => [...terms]));
  const weights = asked.map((word) => bestWeight(word, all));
  if (weights.filter((weight) => weight >= MET).length >= 2) return true;
  const total = asked.reduce((sum, word) => sum + word.idf, 0);
  const met = asked.reduce((sum, word, at) => sum + word.idf * (weights[at] ?? 0), 0);
  return met > 0 && met >= LEAST_COVERAGE * total;
}

function weightOf(asked: AskedWord[], terms: ReadonlySet<string>): number {
  return asked.reduce((sum, word) => {
    const present = word.expansions.filter((one) => terms.has(one.term));
    return sum + Math.max(0, ...present.map((one) => one.weight * one.idf));
  }, 0);
}

function bestWeight(word: AskedWord, terms: ReadonlySet<string>): number {
  const present = word.expansions.filter((one) => terms.has(one.term));
  return Math.max(0, ...present.map((one) => one.weight));
}

/** Terms a sentence; the titles count as one sentence of the chunk. */
function sentenceTerms(chunk: IndexedChunk): ReadonlySet<string>[] {
  return [(chunk.heading ?? []).join(" "), ...splitSentences(chunk.text)]
    .map((sentence) => new Set(tokenize(sentence).map(({ term }) => term)))
    .filter((terms) => terms.size > 0);
}

function byScore([left, a]: [number, number], [right, b]: [number, number]): number {
  return b - a || left - right;
}
