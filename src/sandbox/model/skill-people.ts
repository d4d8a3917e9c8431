import { ask, call, has, inLanguage, resultOf, type Skill } from "./context.ts";
import { refusalAnswer } from "./refusal.ts";
import { clipped, withPerson } from "./with-person.ts";

const CANCEL_TOOL = "cancel_exchange_order";

/** What a person must decide: someone else's money, the terms, or a wish to talk to a person. */
export const handOver: Skill = (context) => {
  if (context.hash) return undefined;
  if (has(context, "operator", "thirdParty", "forget"))
    return withPerson(context, { reason: "operator_request" });
  // with new terms to work out the quote comes first, it says that the sum is fixed
  return has(context, "haggle") && !context.asksQuote
    ? withPerson(context, { reason: "operator_request" })
    : undefined;
};

/** A refusal closes what is open, without a word of persuasion. */
export const cancelDeal: Skill = (context) => {
  if (!has(context, "cancel") || context.asksQuote) return undefined;
  const asked = ask(context, call(CANCEL_TOOL, { reason: clipped(context.reading.text) }));
  if (asked) return asked;
  const result = resultOf(context, CANCEL_TOOL);
  if (result?.data.blockedByPayment === true) return refusalAnswer(context, result);
  const nothingOpen = /no_|not_found/.test(result?.code ?? "");
  if (result && !result.ok && !nothingOpen) return refusalAnswer(context, result);
  return {
    content: inLanguage(
      context,
      "Хорошо, закрываем. Если понадобится снова, просто напишите.",
      "All right, this is closed. If you need us again, just write.",
    ),
  };
};
