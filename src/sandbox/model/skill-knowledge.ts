import {
  ask,
  type Context,
  call,
  has,
  inLanguage,
  offered,
  resultOf,
  type Skill,
} from "./context.ts";
import { answerFrom, foundPassages } from "./evidence.ts";
import { INFO_TOOL, infoSentences, wantsInfo } from "./info.ts";

const SEARCH_TOOL = "search_knowledge_base";
const QUERY_LIMIT = 500;
const QUESTION =
  /\?|^(?:а\s+)?(?:как|что|где|когда|кто|какой|какая|какие|сколько|почему|зачем|есть ли|можно|расскаж|how|what|where|when|who|which|why|do|does|is|are|can|could|tell)(?![\p{L}])/iu;
const MANY_WORDS = 4;

/** Hours, place, ways and rules of the business, with what the documents say beside it. */
export const answerInfo: Skill = (context) => {
  if (!wantsInfo(context) || !offered(context, INFO_TOOL)) return undefined;
  const asked = ask(context, call(INFO_TOOL));
  if (asked) return asked;
  const result = resultOf(context, INFO_TOOL);
  const facts = result?.ok ? infoSentences(context, result) : [];
  const steps = has(context, "how") ? [howText(context)] : [];
  const cited = evidenceText(context);
  if (facts.length === 0 && steps.length === 0) return cited ? { content: cited } : undefined;
  // figures of a document stay out: beside the facts of the business they may be older
  const beside = cited && !/\d/.test(cited.replace(/\[[^\]]*\]/g, "")) ? [cited] : [];
  return { content: [...steps, ...facts, ...beside].join(" ") };
};

/** Everything else that is asked: the passages at hand, else a search, else an honest no. */
export const answerQuestion: Skill = (context) => {
  if (!isQuestion(context)) return undefined;
  const { text } = context.reading;
  const known = evidenceText(context);
  if (known) return { content: known };
  const asked = ask(context, call(SEARCH_TOOL, { query: text.slice(0, QUERY_LIMIT), top_k: 5 }));
  if (asked && text.length >= 3) return asked;
  const result = resultOf(context, SEARCH_TOOL);
  const found = result && answerFrom(foundPassages(result), text);
  if (found) return { content: found };
  return {
    content: inLanguage(
      context,
      "Ответа на это я в материалах не нашёл, поэтому придумывать не буду. Могу позвать оператора, если скажете.",
      "I found no answer to this in our materials, and I will not guess. I can call an operator if you say so.",
    ),
  };
};

function evidenceText(context: Context): string | undefined {
  return answerFrom(context.reading.evidence, context.reading.text);
}

function isQuestion(context: Context): boolean {
  const { text } = context.reading;
  if (QUESTION.test(text.trim())) return true;
  const isCourtesy = has(context, "greet", "thanks", "accept");
  return !isCourtesy && (text.match(/\p{L}+/gu) ?? []).length >= MANY_WORDS;
}

function howText(context: Context): string {
  return inLanguage(
    context,
    "Вы называете, что отдаёте и сколько, я считаю сумму к получению и оформляю заявку, вы платите, после проверки оплаты выдаём деньги.",
    "You say what you pay with and how much, I work out the sum you receive and set up the order, you pay, and after the payment is checked you get the money.",
  );
}
