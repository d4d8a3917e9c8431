/**
 * What a client's words say about an action that waits: stop it, or go on with it. Decided by word
 * rules alone, before any model reads the text; what they do not know says nothing.
 */
export type Stance = "objects" | "takes_back";

const LONGEST_READ = 2_000;

/**
 * null: the words say nothing about it. An objection wins over anything else in the same text; only
 * the beginning of a long text is read.
 */
export function stanceOf(text: string): Stance | null {
  const sentences = sentencesOf(text.slice(0, LONGEST_READ));
  if (sentences.some(isObjection)) return "objects";
  if (sentences.some(isGoAhead)) return "takes_back";
  return sentences.some(isSecondThought) ? "objects" : null;
}

interface Sentence {
  text: string;
  clauses: string[];
  isQuestion: boolean;
}

function sentencesOf(text: string): Sentence[] {
  const plain = text
    .toLowerCase()
    .replace(/[ёЁ]/gu, "е")
    .replace(/[’‘`´]/gu, "'")
    .replace(/[ \t]+/gu, " ");
  return [...plain.matchAll(/[^.!?\n]+[.!?]*/gu)].map(([sentence]) => ({
    text: sentence.trim(),
    clauses: sentence
      .split(/[,;:()—–]|\s-\s/u)
      .map((clause) => clause.replace(/[.!?]+$/u, "").trim())
      .filter((clause) => clause !== ""),
    isQuestion: /\?/u.test(sentence),
  }));
}

function isObjection({ text, clauses, isQuestion }: Sentence): boolean {
  if (ASKS_TO_STOP.some((rule) => rule.test(text))) return true;
  return !isQuestion && clauses.some((clause) => OBJECTIONS.some((rule) => rule.test(clause)));
}

function isGoAhead({ clauses, isQuestion }: Sentence): boolean {
  return !isQuestion && clauses.some((clause) => GO_AHEAD.some((rule) => rule.test(clause)));
}

/** Says only that the mind has changed: an objection when nothing beside it says to go on. */
function isSecondThought({ clauses, isQuestion }: Sentence): boolean {
  return !isQuestion && clauses.some((clause) => CHANGED_MIND.test(clause));
}

// Words of Russian end where no letter follows: `\b` knows only Latin ones.
const END = String.raw`(?![\p{L}\d])`;
const START = String.raw`(?<![\p{L}\d])`;

const RU_NOT_TO = `(?:отправляй|посылай|высылай|перечисляй|выплачивай|выдавай|отдавай|делай|подтверждай|одобряй|оформляй|выполняй|запускай|меняй)(?:те)?|(?:переводи|шли|плати|проводи)(?:те)?`;
const RU_NO_NEED_TO = `отправлять|посылать|высылать|перечислять|выплачивать|выдавать|отдавать|переводить|слать|платить|проводить|подтверждать|одобрять|оформлять|выполнять`;
const RU_WHAT = `(?:(?:эту|этот|это|мою|мой|мне|всю|весь) )?(?:все|это|ее|его|выплату|выдачу|перевод|платеж|операцию|транзакцию|отправку|заявку|обмен|сделку|заказ)`;
const RU_FIRST = `^(?:(?:нет|ой|эй|так|все|пожалуйста|срочно|а|но|и|стоп|стой|стойте) )*`;
const RU_ASKS = "почему|зачем|если|когда|разве|он|она|они|который|банк";

const EN_FIRST = `^(?:(?:please|pls|no|so|and|but|then|wait|stop|hold on|ok|okay|hey|just|oh|actually|sorry|now|for now) )*`;
const EN_NOT_TO = `(?:send|pay|transfer|wire|release|issue|proceed|go ahead|go on|process|approve|execute|continue|do it|do that|do this|do anything)`;
const EN_WHAT = `(?:it|this|that|everything|all of it|sending|paying|(?:the|this|that|my) (?:payment|payout|transfer|transaction|order|exchange|deal|operation|money|process|sending|request|whole thing))`;
const EN_LETTERS = `(?! (?:me |us )?(?:the |any |more |these |your )*(?:messages?|reminders?|spam|ads|emails?|newsletters?|attention))`;

const OBJECTIONS = [
  rule(`${unless(`${RU_ASKS}|вы|мы|я`)}.*${START}не (?:${RU_NOT_TO})${END}`),
  rule(
    `${unless(`${RU_ASKS}|мне|нам`)}.*${START}не (?:надо|нужно|стоит) (?:${RU_NO_NEED_TO})${END}`,
  ),
  rule(
    `${RU_FIRST}(?:стой|стойте|стоп|постой|постойте|отбой|отмена|остановитесь|остановись)(?: (?:пожалуйста|${RU_WHAT}))?$`,
  ),
  rule(
    `${RU_FIRST}(?:остановите|останови|прекратите|отмените|отмени|отменяйте|отменяй|приостановите|придержите|притормозите|заморозьте|отзовите)(?: пожалуйста)?(?: ${RU_WHAT}.*)?(?: пожалуйста)?$`,
  ),
  rule(
    `${START}(?:подождите|подожди|погодите|погоди) с (?:выплатой|выдачей|переводом|отправкой|платежом|обменом)${END}`,
  ),
  rule(`${START}я (?:отказываюсь|против|не соглас(?:ен|на))${END}`),
  rule(`${EN_FIRST}(?:do not|don't|dont) (?:please )?${EN_NOT_TO}${END}${EN_LETTERS}`),
  rule(`${EN_FIRST}(?:stop|halt|abort|cancel|freeze|pause|hold)(?: right)?(?: now)?(?: please)?$`),
  rule(`${EN_FIRST}(?:stop|halt|abort|cancel|freeze|pause|hold) ${EN_WHAT}${END}${EN_LETTERS}`),
  rule(`${EN_FIRST}(?:hold off|put (?:it|this|that) on hold)${END}`),
  rule(
    `${START}i (?:object|refuse|(?:do not|don't) agree|(?:do not|don't) want (?:you to|it sent|it paid|the (?:payout|payment|transfer)))${END}`,
  ),
];

/** Questions that are requests. */
const ASKS_TO_STOP = [
  rule(
    `${START}(?:можете|можешь|можно|могли бы)(?: вы)?(?: пожалуйста)? (?:остановить|отменить|приостановить|придержать|заморозить|не отправлять|не переводить|не выплачивать) ?(?:${RU_WHAT}${END}|[?.!]|$)`,
  ),
  rule(
    `${START}(?:can|could|would|will) you (?:please )?(?:stop|cancel|hold|halt|freeze|pause) ${EN_WHAT}${END}${EN_LETTERS}`,
  ),
];

const GO_AHEAD = [
  rule(
    `(?<!${START}не )${START}(?:отправляйте|отправляй|высылайте|перечисляйте|выплачивайте|выдавайте|переводите|шлите|продолжайте|продолжай|проводите|размораживайте|разморозьте|возобновите)${END}`,
  ),
  rule(
    `${START}(?:можно|можете|все же надо|все-таки надо) (?:отправлять|переводить|выплачивать|выдавать|высылать|продолжать)${END}`,
  ),
  rule(`${START}не (?:отменяйте|отменяй|останавливайте|останавливайтесь)${END}`),
  rule(
    `${EN_FIRST}(?:yes )?(?:you can |you may |do )?(?:go ahead|proceed|continue|resume|release it|unfreeze it|send it|send the money|pay it out)${END}`,
  ),
  rule(`${START}(?:don't|do not) (?:stop|cancel)${END}`),
  rule(`${START}i take (?:it|that|this|my objection) back${END}`),
];

const CHANGED_MIND = rule(
  `${START}(?:передумал|передумала|(?:i|i've|i have) changed my mind)${END}`,
);

/** The clause has none of these words. */
function unless(words: string): string {
  return `^(?!.*${START}(?:${words})${END})`;
}

function rule(source: string): RegExp {
  return new RegExp(source, "u");
}
