import type { GuardContext } from "./guard-context.ts";
import { phrase, says } from "./phrase.ts";
import { clauseAround, sentenceAt } from "./reply-text.ts";

const REPORTED = phrase(
  [
    "вы (?:уже )?(?:написали|пишете|сказали|говорите|назвали|упомянули|указали|прислали|просили|просите|спросили|видели)",
    "вам (?:там )?(?:назвали|предложили|предлагают|дали|дают|обещали|озвучили|посчитали)",
    "по вашим словам",
    "в вашем (?:сообщении|вопросе|запросе)",
    "(?:в )?друг(?:ом|ой|ие) (?:обменник~|мест~|офис~)",
    "конкурент~",
    "you (?:just )?(?:mentioned|said|say|wrote|asked|told|sent|quoted|saw|gave|named|requested)",
    "you(?: were|'re| are|'ve been| have been) (?:quoted|offered|given|getting|told)",
    "your (?:message|request|question)",
    "(?:another|other) (?:shop|exchange|exchanger|office|place)s?",
    "(?:elsewhere|competitor~)",
    "they (?:gave|offer|offered|quoted)(?: you)?",
  ].join("|"),
);
const WANTED = phrase(
  [
    "вы хотите|хотите|вы планируете|вам нужно|вам надо|вы меняете|вы отправляете|у вас есть|у вас",
    "you (?:want|wanted|need|have|wish|plan|are (?:swapping|changing|exchanging|looking))",
    "you'd like|you would like|you're (?:swapping|changing|exchanging|looking)|so you have",
  ].join("|"),
);
const ADDRESSED = phrase("вы|вас|вам|ваш~|you|your|yours|you've|you're|you'd");
const AGREES = phrase(
  "договорились|согласен|согласны|сделаем|дадим|устроит нас|можем дать|подтверждаю|deal|agreed|we can do|i can do|we'll do|we will do|we'll match|let's do|confirmed|we match",
);

export type Echo =
  /** Told as what others or the lead said. */
  | "reported"
  /** That, or asked about, or named as what the lead wants. */
  | "wanted"
  /** Any sentence that speaks to the lead. */
  | "addressed";

/** May the piece at this place be a repetition of the lead's own words? */
export function isEcho(context: GuardContext, span: { start: number; end: number }, echo: Echo) {
  const sentence = sentenceAt(context.sentences, span.start);
  const inside = { start: span.start - sentence.start, end: span.end - sentence.start };
  if (says(sentence.text, AGREES)) return false;
  if (says(sentence.text, REPORTED)) return true;
  if (echo === "reported") return false;
  const clause = clauseAround(sentence.text, inside.start, inside.end);
  const asked = sentence.question && clause.end === sentence.text.length;
  if (asked || says(sentence.text, WANTED)) return true;
  return echo === "addressed" && says(sentence.text, ADDRESSED);
}
