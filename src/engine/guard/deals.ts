import { canonicalDecimal, isDecimal } from "../../domain/money.ts";
import type { GuardFacts, GuardToolResult } from "./guard-facts.ts";

/** What was offered or agreed: the only source of a rate and of a sum to pay or to get. */
export interface Deal {
  from: { value: string; currency: string } | null;
  to: { value: string; currency: string } | null;
  rate: string | null;
  /** A later quote was made: these figures may stand only beside their own terms. */
  older: boolean;
  /** Cancelled or expired: its figures may only be told as such. */
  dead: boolean;
}

type Fields = Record<string, unknown>;

const DEAL_TOOL = /^(?:compute_exchange_quote|create_exchange_order|fetch_exchange_requisites)$/u;
const PAYOUT_TOOL = /^issue_exchange_payout$/u;
const CHECK_TOOL = /^verify_exchange_payment$/u;
const DEAD = /^(?:cancelled|canceled|expired|superseded|void|voided)$/iu;

/** Quotes and orders of the facts; a later quote of the same terms replaces the earlier one. */
export function dealsOf(facts: GuardFacts): Deal[] {
  const completed = facts.tool_results.filter((one) => one.status === "completed");
  const quotes = completed.filter((one) => one.tool === "compute_exchange_quote" && isOk(one));
  const newest = quotes.at(-1);
  const live = quotes.filter((one) => one === newest || !isReplaced(one, quotes));
  const orders = completed.filter(
    (one) => DEAL_TOOL.test(one.tool) && one.tool !== "compute_exchange_quote" && isOk(one),
  );
  const checks = completed.filter((one) => CHECK_TOOL.test(one.tool));
  const payouts = completed.filter((one) => PAYOUT_TOOL.test(one.tool) && isOk(one));
  return [
    ...live.map((one) => dealFrom(fields(one.data), one !== newest)),
    ...orders.map((one) => dealFrom(fields(one.data), false)),
    ...checks.flatMap((one) => receivedFrom(fields(one.data))),
    ...payouts.flatMap((one) => paidFrom(fields(one.data))),
    ...(facts.order === null ? [] : [dealFrom(facts.order, false)]),
  ];
}

function isReplaced(quote: GuardToolResult, quotes: GuardToolResult[]): boolean {
  const later = quotes.slice(quotes.indexOf(quote) + 1);
  return later.some((one) => terms(one) === terms(quote));
}

function terms(quote: GuardToolResult): string {
  const data = fields(quote.data);
  const asked = data.amountMode === "target_amount" ? data.amountTo : data.amountFrom;
  return [data.asset, data.network, data.amountMode, asked].join(" ");
}

function dealFrom(data: Fields, older: boolean): Deal {
  const from = decimal(data.amountFrom ?? data.amount);
  const to = decimal(data.amountTo);
  return {
    from: from === null ? null : { value: from, currency: word(data.asset) },
    to: to === null ? null : { value: to, currency: word(data.quoteAsset) },
    rate: decimal(data.rate),
    older,
    dead: DEAD.test(word(data.status)) || data.superseded === true || data.expired === true,
  };
}

/** Sums a payment check saw: they may be told, whatever its verdict. */
function receivedFrom(data: Fields): Deal[] {
  return [data.amount, data.amountReceived, data.receiptAmount]
    .map(decimal)
    .filter((value) => value !== null)
    .map((value) => ({
      from: { value, currency: word(data.asset) },
      to: null,
      rate: null,
      older: false,
      dead: false,
    }));
}

/** What was paid out, and what is owed on: an operator may have lowered the payout. */
function paidFrom(data: Fields): Deal[] {
  return [data.amount, data.stillOwed]
    .map(decimal)
    .filter((value) => value !== null)
    .map((value) => ({
      from: null,
      to: { value, currency: word(data.currency) },
      rate: null,
      older: false,
      dead: false,
    }));
}

function isOk(result: GuardToolResult): boolean {
  return fields(result.data).ok !== false;
}

function fields(data: unknown): Fields {
  return typeof data === "object" && data !== null ? { ...data } : {};
}

function decimal(value: unknown): string | null {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isDecimal(text) ? canonicalDecimal(text) : null;
}

function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}
