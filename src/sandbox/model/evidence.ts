import { normalise } from "./phrase.ts";
import type { Passage, ToolResult } from "./reading.ts";
import { sentencesOf } from "./sentences.ts";

const STEM_LENGTH = 5;
const SAID_SENTENCES = 3;
/** Means nothing without the sentence before it. */
const LEANING =
  /^(?:it|this|that|these|those|they|then|otherwise|also|but|so|in (?:this|that) case|(?:before|after) that|он[аои]?|эт[оаи]|этот|тогда|иначе|также|но|поэтому|в этом случае|(?:до|после) этого)(?!\p{L})/iu;
/** A heading that its sentences hold under only. */
const CONDITION =
  /^(?:if|when|after|before|without|unless|если|когда|после|до|без|пока)(?!\p{L})[^?]*$/iu;
/** Below this share of the question's words a passage is about something else. */
const FITTING_SHARE = 0.4;
const STOP_WORDS = new Set(
  (
    "что как где когда кто это этот эта или для при под над без если ли бы же вы вас вам ваш у нас мне меня мой " +
    "есть какой какая какие каком можно нужно надо быть чтобы про над так уже еще ещё только " +
    "the and for you your our are what which when where who how does can could would with from this that have has " +
    "need want about there any get please tell know will may should"
  ).split(" "),
);

/** What the passages say about a question, cited; undefined when none of them fits. */
export function answerFrom(passages: Passage[], question: string): string | undefined {
  const asked = stems(question);
  if (asked.size === 0) return undefined;
  const ranked = passages
    .map((passage) => ({ passage, score: share(asked, stems(`${passage.title} ${passage.text}`)) }))
    .filter(({ score }) => score >= FITTING_SHARE)
    .sort((a, b) => b.score - a.score);
  for (const { passage } of ranked) {
    const said = quoted(passage.text, asked).replace(/[.!]?$/, "");
    if (said !== "") return `${said} [${passage.id}].`;
  }
  return undefined;
}

/** The matches of a search as passages. */
export function foundPassages(result: ToolResult): Passage[] {
  const { matches } = result.data;
  if (!result.ok || !Array.isArray(matches)) return [];
  return matches.map((match: Record<string, unknown>) => ({
    id: String(match.evidence_id ?? ""),
    title: String(match.title ?? ""),
    text: String(match.excerpt ?? ""),
  }));
}

/**
 * The nearest sentence and the one behind it, with what it leans on before it; nothing where only
 * the title fits: such a sentence speaks of something else.
 */
function quoted(text: string, asked: Set<string>): string {
  const sentences = sentencesOf(text);
  const scores = sentences.map((sentence) => share(asked, stems(sentence.text)));
  const best = Math.max(0, ...scores);
  const top = scores.indexOf(best);
  const nearest = sentences[top];
  if (best === 0 || !nearest) return "";
  const isBeside = (at: number) => sentences[at]?.heading === nearest.heading;
  let start = top;
  while (leans(sentences[start]?.text) && isBeside(start - 1)) start -= 1;
  if (top - start >= SAID_SENTENCES) return "";
  const end = Math.min(top + 2, start + SAID_SENTENCES);
  const said = sentences.slice(start, end).filter((_, at) => isBeside(start + at));
  const condition = CONDITION.test(nearest.heading) ? `${nearest.heading}: ` : "";
  return (
    condition + said.map((sentence) => sentence.text.replace(/(?<=[\p{L}\p{N})])$/u, ".")).join(" ")
  );
}

function leans(sentence = ""): boolean {
  return LEANING.test(sentence);
}

function share(asked: Set<string>, said: Set<string>): number {
  const met = [...asked].filter((stem) => said.has(stem)).length;
  return met / asked.size;
}

/** Words cut to their beginning: enough for Russian and English endings. */
function stems(text: string): Set<string> {
  const words = normalise(text).match(/[\p{L}\d]+/gu) ?? [];
  const meant = words.filter((word) => word.length > 2 && !STOP_WORDS.has(word));
  return new Set(meant.map((word) => word.slice(0, word.length > 6 ? STEM_LENGTH : 4)));
}
