import { asRead } from "../../tools/prompt-injection.ts";
import { ALLOW, DEALS, DO, GOVERNED, HOLD_UP, IT, LOOK, NOT, WAIVE } from "./governed-words.ts";

/**
 * The sentence of a text that tells what is to be done about a thing that the backend decides, by
 * what it speaks of and not by how it is phrased; null: there is none. `strict` takes no sentence
 * for harmless because it holds a check up. No list is whole: the gate holds, whatever a style says.
 */
export function governedIn(
  text: string,
  { strict = false }: { strict?: boolean } = {},
): { sentence: string; topic: string } | null {
  for (const shown of asRead(text)) {
    let before = "";
    for (const sentence of sentencesOf(shown)) {
      const words = wordsOf(sentence);
      const topic = topicOf(words, { before, strict });
      if (topic !== null) return { sentence: sentence.trim(), topic };
      if (words !== "") before = words;
    }
  }
  return null;
}

/** What the sentence settles of it; null: nothing. */
function topicOf(words: string, how: { before: string; strict: boolean }): string | null {
  const rest = how.strict ? words : words.replace(HELD_UP, " , ");
  const named = TOPIC.exec(words)?.[0];
  if (named && (STEERS.test(rest) || TOLD.test(rest))) return named;
  const deal = WAIVED_DEAL.exec(rest)?.[0];
  if (deal) return deal;
  const meant = TOPIC.exec(how.before)?.[0];
  return meant && SAID_OF_IT.test(rest) ? meant : null;
}

/** Letters that stand one by one are a word: `K.Y.C.` */
function sentencesOf(text: string): string[] {
  const joined = text.replace(/(?<!\p{L})(?:\p{L}[.·_-]){2,}\p{L}?(?!\p{L})/gu, (letters) =>
    letters.replace(/[^\p{L}]/gu, ""),
  );
  return joined.split(/[.!?;…\n\r]+/u).filter((sentence) => sentence.trim() !== "");
}

/** Lower-case words with single spaces; other signs between them are commas. */
function wordsOf(sentence: string): string {
  return sentence
    .toLowerCase()
    .replaceAll("ё", "е")
    .replace(/(?<=\p{L})['’ʼ`´](?=\p{L})/gu, "")
    .replace(/[,:()«»“”"—–]+/gu, " , ")
    .replace(/[^\p{L}\p{N},]+/gu, " ")
    .replace(/(?<!\p{L})(?:\p{L} ){2,}\p{L}(?!\p{L})/gu, (letters) => letters.replaceAll(" ", ""))
    .trim();
}

type Source = { en: string; ru: string };

const either = (...all: Source[]) => all.map(({ en, ru }) => `${en}|${ru}`).join("|");
const whole = (source: string, flags = "u") =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, flags);
const SOME = "(?:[\\p{L}\\p{N},]+ ){0,4}";

const TOPIC = whole(either(GOVERNED));
const HELD_UP = whole(either(HOLD_UP), "gu");
const STEERS = whole(either(NOT, WAIVE, ALLOW));
const THINGS = either(GOVERNED, DEALS);
const TOLD = whole(`(?:${either(DO)}) ${SOME}(?:${THINGS})`);
const UNSEEN = `(?:${either(NOT)}|no need) (?:[\\p{L}\\p{N},]+ ){0,3}(?:${either(LOOK)})`;
const WAIVED_DEAL = whole(
  [
    `(?:${UNSEEN}) ${SOME}(?:${either(DEALS)})`,
    `(?:skip|bypass|ignor|waiv|disregard|overlook|circumvent|sidestep|forgo|пропус|игнор|обойд|обход|закр)\\p{L}* ${SOME}(?:${either(DEALS)})`,
    `(?:without|without the|без) (?:[\\p{L}\\p{N},]+ ){0,2}(?:${either(DEALS)})`,
    `(?:${either(DO)}) ${SOME}(?:${either(DEALS)})`,
    `(?:assum|presum|pretend|treat|consider|считай|считать|будто)\\p{L}* ${SOME}(?:${either(DEALS)})`,
    `(?:${either(DEALS)}) ${SOME}(?:enough|suffic\\p{L}*|достаточно|хватает)`,
  ].join("|"),
);
const SAID_OF_IT = whole(
  `(?:${UNSEEN}|${either(WAIVE)}) ${SOME}(?:${either(IT)})|(?:${either(IT)}) ${SOME}(?:${either(WAIVE)})`,
);
