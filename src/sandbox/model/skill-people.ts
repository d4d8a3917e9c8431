import type { ModelAnswer } from "./completion.ts";
import { ask, type Context, call, has, inLanguage, resultOf, type Skill } from "./context.ts";
import { operatorText, refusalText } from "./speak-deal.ts";

const HANDOFF_TOOL = "handoff_to_operator";
const CANCEL_TOOL = "cancel_exchange_order";
const SUMMARY_LENGTH = 300;

/** What a person must decide: someone else's money, the terms, or a wish to talk to a person. */
export const handOver: Skill = (context) => {
  if (context.hash) return undefined;
  if (has(context, "operator", "thirdParty", "forget")) return toOperator(context);
  // with new terms to work out the quote comes first, it says that the sum is fixed
  return has(context, "haggle") && !context.asksQuote ? toOperator(context) : undefined;
};

/** A refusal closes what is open, without a word of persuasion. */
export const cancelDeal: Skill = (context) => {
  if (!has(context, "cancel") || context.asksQuote) return undefined;
  const asked = ask(context, call(CANCEL_TOOL, { reason: clipped(context.reading.text) }));
  if (asked) return asked;
  const result = resultOf(context, CANCEL_TOOL);
  if (result?.data.blockedByPayment === true) return { content: refusalText(context, result) };
  const nothingOpen = /no_|not_found/.test(result?.code ?? "");
  if (result && !result.ok && !nothingOpen) return { content: refusalText(context, result) };
  return {
    content: inLanguage(
      context,
      "Хорошо, закрываем. Если понадобится снова, просто напишите.",
      "All right, this is closed. If you need us again, just write.",
    ),
  };
};

export function toOperator(context: Context): ModelAnswer {
  const reason = "operator_request";
  const summary = clipped(context.reading.text) || "The client asks for a person";
  const asked = ask(context, call(HANDOFF_TOOL, { reason, summary }));
  if (asked) return asked;
  if (!resultOf(context, HANDOFF_TOOL)?.ok) return { content: operatorText(context) };
  return {
    content: inLanguage(
      context,
      "Передал вопрос оператору: решит человек и ответит вам здесь.",
      "I have passed your question to an operator: a person decides and answers you here.",
    ),
  };
}

function clipped(text: string): string {
  return text.slice(0, SUMMARY_LENGTH);
}
