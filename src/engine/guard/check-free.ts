import { isClaimed } from "./claim-mood.ts";
import type { Check } from "./guard-context.ts";
import { phrase } from "./phrase.ts";
import { foldCase } from "./reply-text.ts";

const FREE = phrase(
  "бесплатн~|без комиссии|без комиссий|без наценки|даром|(?:is|are|it's) (?:completely |totally |absolutely )?free(?! to)|for free|free of charge|no (?:fee|fees|commission|charge)|without (?:any )?(?:fee|fees|commission|charge)",
);
const SAID_FREE =
  /бесплатн|без комисси|комисси\p{L}* нет|free of charge|\bfree\b|no (?:fee|commission|charge)|complimentary|without (?:fee|commission)/u;

/** "Free" is a price as well: a tool or a passage must say it. */
export const checkFree: Check = (context) => {
  const { tools, evidence } = context.sources;
  if ([tools, evidence].some((index) => SAID_FREE.test(index.folded))) return [];
  return context.sentences.flatMap((sentence) => {
    const text = foldCase(sentence.text);
    return [...text.matchAll(FREE)]
      .map((match) => ({ start: match.index, end: match.index + match[0].length }))
      .filter((span) => {
        const denied = /^(?:no|without|без)/u.test(text.slice(span.start, span.end));
        return isClaimed(text, span, denied, sentence.question);
      })
      .map((span) => ({
        kind: "price",
        text: sentence.text.slice(span.start, span.end),
        rule: "unbacked_sum",
        hint: "No source says that this is free. Give the price of a source, or none.",
      }));
  });
};
