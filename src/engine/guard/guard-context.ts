import type { Finding, GuardFacts } from "./guard-facts.ts";
import { findIdentifiers, type Identifier } from "./identifiers.ts";
import { findMoments, type Moment } from "./moments.ts";
import { normaliseText, type Sentence, splitSentences } from "./reply-text.ts";
import { buildSources, type Sources } from "./sources.ts";

/** A draft, taken apart once for all checks. */
export interface GuardContext {
  facts: GuardFacts;
  sources: Sources;
  raw: string;
  /** The normalised reply; positions of all pieces refer to it. */
  text: string;
  sentences: Sentence[];
  identifiers: Identifier[];
  moments: Moment[];
  /** The text with identifiers and moments masked: bare numbers are read from it. */
  rest: string;
}

/** Pure. An empty list: nothing to say against it. */
export type Check = (context: GuardContext) => Finding[];

/**
 * Identifiers are taken out before times, and those before numbers: a wallet's digits are no sum.
 */
export function guardContext(reply: string, facts: GuardFacts): GuardContext {
  const text = normaliseText(reply);
  const identifiers = findIdentifiers(text);
  const moments = findMoments(identifiers.rest);
  return {
    facts,
    sources: buildSources(facts),
    raw: reply,
    text,
    sentences: splitSentences(text),
    identifiers: identifiers.found,
    moments: moments.found,
    rest: moments.rest,
  };
}
