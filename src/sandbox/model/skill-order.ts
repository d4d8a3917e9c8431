import type { ModelAnswer } from "./completion.ts";
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
import type { Quote } from "./deal.ts";
import { INFO_TOOL, infoSentences, wantsInfo } from "./info.ts";
import { intentsIn } from "./intents.ts";
import type { ToolResult } from "./reading.ts";
import { refusalAnswer } from "./refusal.ts";
import { methodText, orderText, quoteText, requisitesText } from "./speak-deal.ts";
import { readTerms, type Terms } from "./terms.ts";

const QUOTE_TOOL = "compute_exchange_quote";
const CHECK_TOOL = "check_exchange_verification";
const ORDER_TOOL = "create_exchange_order";
const REQUISITES_TOOL = "fetch_exchange_requisites";

/** New or changed terms: a new quote, never the old figures. */
export const quoteTerms: Skill = (context) => {
  if (!context.asksQuote || !offered(context, QUOTE_TOOL)) return alreadyQuoted(context);
  const { asset, amount, amountMode, network } = context.terms;
  const calls = [call(QUOTE_TOOL, { asset, amount, amountMode, network })];
  if (wantsInfo(context)) calls.push(call(INFO_TOOL));
  return ask(context, ...calls) ?? quotedAnswer(context);
};

/** In a repair no tool is offered: what this turn computed already may still be said. */
function alreadyQuoted(context: Context): ModelAnswer | undefined {
  const result = context.asksQuote ? resultOf(context, QUOTE_TOOL) : undefined;
  return result && quotedAnswer(context);
}

function quotedAnswer(context: Context): ModelAnswer {
  const result = resultOf(context, QUOTE_TOOL);
  if (!result) return { content: "" };
  const info = resultOf(context, INFO_TOOL);
  const about = info?.ok ? infoSentences(context, info).join(" ") : "";
  if (!result.ok) return refusalAnswer(context, result, about);
  return { content: `${about} ${quoteText(context, result)}`.trim() };
}

/** A yes: the order; where to pay follows only when the lead wants to pay now. */
export const closeDeal: Skill = (context) => {
  if (!agrees(context) || !canOrder(context)) return undefined;
  const { phase } = context.deal;
  if (!hasTerms(context) || ["proof", "paid", "payout"].includes(phase)) return undefined;
  const asksWhere = has(context, "pay", "whichAddress");
  if (phase === "requisites" && !asksWhere && !requisitesGivenNow(context)) return undefined;
  const isOrdered = phase === "ordered" || phase === "requisites";
  const order = resultOf(context, ORDER_TOOL);
  if (!isOrdered) return order ? afterRefusedOrder(context, order) : proposeOrder(context);
  const goesOn = order === undefined && has(context, "accept", "whichAddress");
  return goesOn || wantsToPay(context)
    ? giveRequisites(context)
    : { content: orderText(context, order) };
};

/** In a repair no tool is offered: what this turn did already may still be said. */
function canOrder(context: Context): boolean {
  if (offered(context, ORDER_TOOL)) return true;
  return [ORDER_TOOL, REQUISITES_TOOL].some((name) => resultOf(context, name) !== undefined);
}

/** The place that an order to a courier still lacks is added to it by the same call. */
export const fillPlace: Skill = (context) => {
  const { phase, order } = context.deal;
  if (readTerms(context.reading.text).terms.payoutLocation === undefined) return undefined;
  const result = resultOf(context, ORDER_TOOL);
  if (result?.ok)
    return result.data.idempotent === true ? { content: orderText(context, result) } : undefined;
  if (phase !== "ordered" || order.payoutMethod !== "courier_cash" || order.payoutLocation)
    return undefined;
  if (result) return refusalAnswer(context, result);
  return ask(context, call(ORDER_TOOL, orderArguments(context)));
};

/** A way to receive the money named for the quote at hand. */
export const noteMethod: Skill = (context) => {
  if (context.deal.phase !== "quoted" || !context.namesMethod) return undefined;
  const asked = wantsInfo(context) ? ask(context, call(INFO_TOOL)) : undefined;
  if (asked) return asked;
  const info = resultOf(context, INFO_TOOL);
  const about = info?.ok ? infoSentences(context, info) : [];
  return { content: [...about, methodText(context)].join(" ") };
};

/** Asked for a card or an address before there is anything to pay. */
export const explainEarlyRequisites: Skill = (context) => {
  if (!has(context, "pay") || context.deal.phase !== "none") return undefined;
  return {
    content: inLanguage(
      context,
      "Сначала нужны направление и сумма: что отдаёте, сколько и как хотите получить. Посчитаю итог, оформим заявку, и тогда пришлю, куда платить.",
      "First I need the direction and the amount: what you pay with, how much, and how you want to receive it. Once that is worked out and the order exists, I can send the payment details.",
    ),
  };
};

function agrees(context: Context): boolean {
  // "ok, I'll send the documents in a minute" is no word about the order
  if (has(context, "notYetPaid") || has(context, "promises")) return false;
  if (has(context, "accept", "pay")) return true;
  const hasOrder = context.deal.phase === "ordered" || context.deal.phase === "requisites";
  if (hasOrder && has(context, "whichAddress") && !has(context, "address")) return true;
  return has(context, "formal") && context.deal.kyc === "needed";
}

/** Agreed is a quote; without tool results in the history the lead's own words must do. */
function hasTerms(context: Context): boolean {
  return context.deal.phase !== "none" || Boolean(context.terms.asset && context.terms.amount);
}

function requisitesGivenNow(context: Context): boolean {
  return resultOf(context, REQUISITES_TOOL) !== undefined;
}

/** No price was told before, e.g. the history begins behind it: the quote comes first. */
function quoteFirst(context: Context): ModelAnswer | undefined {
  const isTold = context.deal.quote && !resultOf(context, QUOTE_TOOL);
  if (isTold || !offered(context, QUOTE_TOOL)) return undefined;
  const { asset, amount, amountMode, network } = context.terms;
  return (
    ask(context, call(QUOTE_TOOL, { asset, amount, amountMode, network })) ?? quotedAnswer(context)
  );
}

function proposeOrder(context: Context): ModelAnswer | undefined {
  const first = quoteFirst(context);
  if (first) return first;
  const create = call(ORDER_TOOL, orderArguments(context));
  if (!has(context, "formal")) return ask(context, create);
  return ask(context, call(CHECK_TOOL), create);
}

function orderArguments(context: Context): Record<string, unknown> {
  const quote: Partial<Quote> = context.deal.quote ?? {};
  const { asset, amount, amountMode, network } = { ...context.terms, ...quote.terms };
  const { paymentMethod, paymentRail, sourceBank, payoutMethod } = context.terms;
  const isFiat = ["RUB", "EUR", "USD"].includes(asset ?? "");
  return {
    asset,
    amount,
    amountMode,
    network,
    paymentMethod: isFiat ? paymentMethod : "crypto_transfer",
    paymentRail: isFiat ? undefined : paymentRail,
    sourceBank: isFiat ? sourceBank : undefined,
    payoutMethod,
    ...payoutTarget(context.terms),
  };
}

/** A place for cash, an account for a bank: what an earlier wish left behind stays out. */
export function payoutTarget(terms: Terms): Record<string, unknown> {
  const { payoutMethod, payoutLocation, payoutBank, payoutAccount, payoutHolder } = terms;
  if (payoutMethod !== "thai_bank_transfer") return { payoutLocation };
  const named = { bank: payoutBank, account: payoutAccount, holder: payoutHolder };
  const fields = Object.entries(named).filter(([, value]) => value !== undefined);
  return payoutAccount ? { payoutDestination: Object.fromEntries(fields) } : {};
}

/** A quote that ran out is computed again and put to the lead; the rest is said. */
function afterRefusedOrder(context: Context, order: ToolResult): ModelAnswer {
  if (/quote|expired|stale/.test(order.code)) {
    const { asset, amount, amountMode, network } = context.terms;
    const again = ask(context, call(QUOTE_TOOL, { asset, amount, amountMode, network }));
    if (again) return again;
    const quote = resultOf(context, QUOTE_TOOL);
    if (quote?.ok) return { content: quoteText(context, quote) };
  }
  return refusalAnswer(context, order);
}

/** "Where do I pay" stays wanted while the identity check holds the order up. */
function wantsToPay(context: Context): boolean {
  if (has(context, "pay")) return true;
  if (!has(context, "formal")) return false;
  return context.reading.earlierTexts.slice(-6).some((text) => intentsIn(text).has("pay"));
}

function giveRequisites(context: Context): ModelAnswer {
  const asked = ask(context, call(REQUISITES_TOOL));
  if (asked) return asked;
  const result = resultOf(context, REQUISITES_TOOL);
  if (!result) return { content: orderText(context, resultOf(context, ORDER_TOOL)) };
  if (!result.ok) return refusalAnswer(context, result);
  return { content: requisitesText(context, result) };
}
