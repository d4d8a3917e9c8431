import { phrase, says } from "./phrase.ts";
import { clauseAround } from "./reply-text.ts";

const IDIOM =
  /no problem|no worries|don't worry|not only|nothing to worry|не волнуйтесь|не переживайте|не только|не беспокойтесь|нет проблем/giu;
const NEGATION = phrase(
  "не|нет|ни|нельзя|никак~|никогда|невозможно|рано|not|no|never|cannot|can't|isn't|aren't|wasn't|weren't|hasn't|haven't|hadn't|won't|don't|doesn't|didn't|couldn't|nobody|nothing|none|without|unable|refuse",
);
const STRONG_NEGATION = phrase(
  "не (?:могу|можем|получится|сможем|выйдет|обойтись|бывает|работаем|меняем|проводим|предусмотрен~|имею права|делаем|даем|приним~|буд~|сможет|подойдет|допуска~|разреша~|предлага~|провед~|проведем|примем|продолж~|дам|дадим|обещаю)|нельзя|невозможно|никак|нет|запрещ~|cannot|can't|can not|unable|not (?:possible|allowed|able|available|permitted|accepted|acceptable|an option|something)|won't|don't (?:offer|have|give|do|accept|allow|take|provide|make)|do not (?:offer|have|give|accept|allow|provide)|doesn't|isn't possible|isn't (?:allowed|accepted)|never|no (?:discounts?|special|better|way|third)|there (?:are|is) no",
);
const CONDITION = phrase(
  "если|когда|как только|пока|чтобы|после того как|до того как|прежде чем|после|до|раз|ли|if|when|once|as soon as|until|till|unless|whether|before|in case|after (?:the|your|we|it|you|an|i|our)|only after",
);
const FUTURE = phrase(
  "буд~|станет|смож~|может|могут|можем|могу|можете|должн~|нужно|надо|необходимо|следует|пусть|планиру~|will|i'll|we'll|you'll|they'll|it'll|he'll|shall|would|should|could|may|might|must|can|to be|being|going to|needs?|have to|has to|let me know|please",
);
const LEADS = phrase(
  "вы пишете|вы говорите|вы сказали|вы написали|вы сообщили|по вашим словам|you (?:say|said|wrote|mentioned|told|claim)|you've (?:said|mentioned)",
);
const OFFER = phrase(
  "могу|можем|можно|хотите|если|при необходимости|нужно ли|давайте|позвать|когда|как только|после|чтобы|can|could|may|would you|if|want me|shall i|should i|when|once|as soon as|after|unless|let me know",
);
const PERSON_DECIDES = phrase(
  "решает|решается|решит|решают|согласу~|спросить|спрошу|вопрос~|проверит|operator|human|decides?|decided|ask|approval|agreed (?:first|in advance|beforehand)|заранее|только",
);
const OF_LEAD = /(?<![\p{L}])(?:вы|you|you've|you have)(?: (?:уже|already|just|ведь))?\s*$/iu;
const DONE_BY_LEAD =
  /(?<![\p{L}])вы(?: уже)? (?:отправ|оплат|получ|перев|присл|подтверд)\p{L}*л[аи]?$|(?<![\p{L}])you(?:'ve| have)?(?: already| just)? (?:sent|paid|got|received|transferred)$/iu;
const ALWAYS = phrase("всегда|каждый|каждую|вручную|обычно|always|usually|every|normally|manually");
const NOT_YET =
  /^\s*[,:—–-]?\s*(?:пока\s)?(?:не\s|нет(?![\p{L}])|еще не|not yet|yet to|(?:only )?once(?![\p{L}])|один раз)/iu;
const NEAR = 34;

interface Span {
  start: number;
  end: number;
}

/** Does the folded sentence state what the span says, or deny, ask, promise or only suppose it? */
export function isClaimed(
  sentence: string,
  span: Span,
  promise: boolean,
  question: boolean,
): boolean {
  const clause = clauseAround(sentence, span.start, span.end);
  const last = sentence.slice(clause.end).replace(/[\s?!.)]+/gu, "") === "";
  if (question && last) return false;
  return promise ? isPromised(sentence, span, clause) : isStated(sentence, span, clause);
}

function isStated(sentence: string, span: Span, clause: Span & { text: string }): boolean {
  const lead = sentence.slice(clause.start, span.start).replace(IDIOM, "");
  const inside = sentence.slice(span.start, span.end).replace(IDIOM, "");
  if (says(sentence.slice(0, span.start), LEADS)) return false;
  if (says(inside, NEGATION) || says(lead.slice(-NEAR), NEGATION)) return false;
  if (OF_LEAD.test(lead) || DONE_BY_LEAD.test(inside) || says(sentence, ALWAYS)) return false;
  if (NOT_YET.test(sentence.slice(span.end))) return false;
  if (says(lead, CONDITION) || says(inside, CONDITION) || startsConditional(sentence, clause))
    return false;
  return !says(inside, FUTURE) && !says(lead.slice(-NEAR), FUTURE);
}

function isPromised(sentence: string, span: Span, clause: Span & { text: string }): boolean {
  const whole = sentence.replace(IDIOM, "");
  if (says(whole, STRONG_NEGATION)) return false;
  const before = sentence.slice(clause.start, span.start);
  if (says(before.slice(-12), phrase("не|нет|not|no|never"))) return false;
  const inside = sentence.slice(span.start, span.end);
  const gives =
    /верификац|проверк|kyc|паспорт|документ|passport|verification|\bid\b|курс|скидк|rate|discount/u;
  if (gives.test(inside)) return !says(whole, PERSON_DECIDES) || /пропус|skip|waive/u.test(inside);
  const thirdParty =
    /опер|менедж|коллег|operator|manager|team|colleague|human|agent|specialist|специалист|сотрудник/u;
  if (thirdParty.test(inside)) return !says(sentence.slice(0, span.end), OFFER);
  return !says(whole, PERSON_DECIDES);
}

/** "Как только сеть подтвердит, оплата получена ..." keeps its condition beyond the comma. */
function startsConditional(sentence: string, clause: Span): boolean {
  const head = sentence.slice(0, clause.start).trimStart();
  return /^(?:если|когда|как только|пока|if|when|once|as soon as|unless|until)(?![\p{L}])/iu.test(
    head,
  );
}
