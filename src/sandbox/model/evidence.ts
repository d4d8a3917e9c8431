import { normalise } from "./phrase.ts";
import type { Passage, ToolResult } from "./reading.ts";

const STEM_LENGTH = 5;
const SAID_SENTENCES = 2;
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
  const best = passages
    .map((passage) => ({ passage, score: share(asked, stems(`${passage.title} ${passage.text}`)) }))
    .sort((a, b) => b.score - a.score)[0];
  if (!best || best.score < FITTING_SHARE) return undefined;
  const said = bestSentences(best.passage.text, asked)
    .join(" ")
    .replace(/[.!]?$/, "");
  return said === "" ? undefined : `${said} [${best.passage.id}].`;
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

/** The nearest sentence and the one behind it, in the order of the text. */
function bestSentences(text: string, asked: Set<string>): string[] {
  const sentences = text
    .replace(/^#+\s.*$/gm, " ")
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[-*•]\s+/, "").trim())
    .filter((sentence) => sentence !== "" && !sentence.endsWith("?"));
  const scores = sentences.map((sentence) => share(asked, stems(sentence)));
  const top = scores.indexOf(Math.max(...scores));
  return sentences.slice(Math.max(top, 0), Math.max(top, 0) + SAID_SENTENCES);
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
