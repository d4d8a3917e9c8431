import { isDeepStrictEqual } from "node:util";
import type { ModelAnswer, ProposedCall } from "./completion.ts";
import { type Deal, followDeal, isQuoted } from "./deal.ts";
import { type Intent, intentsIn } from "./intents.ts";
import { normalise } from "./phrase.ts";
import type { Reading, ToolResult } from "./reading.ts";
import { mergeTerms, readTerms, type Terms } from "./terms.ts";

/** What one request means to the rules; made once, read by every skill. */
export interface Context {
  reading: Reading;
  deal: Deal;
  /** Of this turn; `wants` also looks back. */
  intents: Set<Intent>;
  /** All that the lead said about the exchange so far. */
  terms: Terms;
  /** This turn names terms that the current quote does not cover. */
  asksQuote: boolean;
  /** This turn names an asset, a sum or a network. */
  mentionsMoney: boolean;
  /** This turn names a way to receive the money. */
  namesMethod: boolean;
  /** The only sum of this turn is zero or below. */
  namesNoSum: boolean;
  hash?: string;
  /** A number that the lead names as paid, or the sum of a receipt. */
  saidAmount?: string;
}

/** A skill's answer to a request; undefined leaves it to the next skill. */
export type Skill = (context: Context) => ModelAnswer | undefined;

const SHORT_ANSWER_WORDS = 4;

/** Pure: the same messages always mean the same. */
export function understand(reading: Reading): Context {
  const intents = intentsIn(reading.text);
  const deal = followDeal(reading.timeline);
  const before = reading.earlierTexts.reduce(addText, deal.quote?.terms ?? {});
  const current = usableTerms(reading.text, { ...before, ...deal.quote?.terms });
  const terms = mergeTerms({ ...before, ...deal.quote?.terms }, current);
  const named = readTerms(reading.text);
  const mentionsMoney = Boolean(current.asset || current.amount || current.network);
  return {
    reading,
    deal,
    intents,
    terms,
    mentionsMoney,
    namesMethod: (current.payoutMethod ?? current.payoutAccount) !== undefined,
    asksQuote: mentionsMoney && (isQuotedNow(reading) || needsQuote({ deal, terms, intents })),
    namesNoSum:
      named.isNotPositive && (mentionsMoney || isSumByContext(reading.text, current, terms)),
    hash: hashIn(reading.text),
    saidAmount: current.amount ?? named.bareNumber,
  };
}

/** In Russian or English, after the language of the lead. */
export function inLanguage(context: Context, russian: string, english: string): string {
  return context.reading.language === "ru" ? russian : english;
}

/** One of these intents, in this turn. */
export function has(context: Context, ...intents: Intent[]): boolean {
  return intents.some((intent) => context.intents.has(intent));
}

/** Rules use only what the request offers, as a model may. */
export function offered(context: Context, name: string): boolean {
  return context.reading.tools.has(name);
}

/** The result of a call of this turn: made since the lead's last word, or with the same arguments. */
export function resultOf(
  context: Context,
  name: string,
  args?: Record<string, unknown>,
): ToolResult | undefined {
  const { freshRuns, turnRuns } = context.reading;
  const fresh = freshRuns.findLast((run) => run.name === name);
  const wanted = args && fitArguments(args, context.reading.tools.get(name));
  const same = turnRuns.findLast(
    (run) => run.name === name && isDeepStrictEqual(run.args, wanted ?? {}),
  );
  return (fresh ?? same)?.result;
}

/** The calls that are offered and not made yet in this turn; undefined when none is left. */
export function ask(context: Context, ...calls: ProposedCall[]): ModelAnswer | undefined {
  const open = calls.flatMap((call) => {
    const args = call.arguments as Record<string, unknown>; // planned here, always objects
    if (!offered(context, call.name) || resultOf(context, call.name, args)) return [];
    return [
      { name: call.name, arguments: fitArguments(args, context.reading.tools.get(call.name)) },
    ];
  });
  return open.length > 0 ? { calls: open } : undefined;
}

/** Arguments as an object; they are written as JSON. */
export function call(name: string, args: Record<string, unknown> = {}): ProposedCall {
  return { name, arguments: args };
}

/** Only fields that the offered schema knows, and of a closed list only its values. */
function fitArguments(
  args: Record<string, unknown>,
  schema: Record<string, unknown> = {},
): Record<string, unknown> {
  const properties = schema.properties as Record<string, { enum?: unknown[] }> | undefined; // JSON Schema
  const entries = Object.entries(args).filter(([, value]) => value !== undefined);
  if (!properties) return Object.fromEntries(entries);
  return Object.fromEntries(
    entries.filter(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return property && (!property.enum || property.enum.includes(value));
    }),
  );
}

function addText(terms: Terms, text: string): Terms {
  return mergeTerms(terms, usableTerms(text, terms));
}

/** The terms of one message, with a bare number taken as a sum where that is what it must mean. */
function usableTerms(text: string, known: Terms): Terms {
  const { terms: named, bareNumber } = readTerms(text);
  const { payoutMethod, ...withoutMethod } = named;
  const terms: Terms = payoutMethod && asksOnly(text) ? withoutMethod : named;
  if (terms.amount || !bareNumber || !isSumByContext(text, terms, known)) return terms;
  const mode = terms.asset && terms.asset !== known.asset ? "source_amount" : known.amountMode;
  return { ...terms, amount: bareNumber, amountMode: mode ?? "source_amount" };
}

const WISH =
  /заб[ие]р|забер|получ|хочу|удобн|давай|можно|лучше|привез|want|pick|collect|receive|prefer|bring|deliver|take|please|can (?:i|you)|(?:^|[^a-z])(?:to|into) my/;
const FACTS =
  /(?:^|[^а-яa-z])(?:сколько|скольки|где|когда|почему|зачем|как|какой|какие|where|when|what|which|why|how)(?![а-яa-z])/;

/** "Where is your office?" asks about a way to receive the money and chooses none. */
function asksOnly(text: string): boolean {
  const plain = normalise(text);
  return FACTS.test(plain) && !WISH.test(plain) && !readTerms(text).terms.amount;
}

function isSumByContext(text: string, terms: Terms, known: Terms): boolean {
  const intents = intentsIn(text);
  if (intents.has("haggle") || intents.has("paid") || intents.has("receipt")) return false;
  if (terms.asset) return true;
  if (!known.asset && !known.amount) return false;
  const words = text.match(/\p{L}+/gu) ?? [];
  return intents.has("change") || words.length <= SHORT_ANSWER_WORDS;
}

/** A price of this turn: the lead has not heard it yet and can have agreed to nothing. */
function isQuotedNow({ turnRuns }: Reading): boolean {
  return turnRuns.some((run) => run.name === "compute_exchange_quote" && run.result.ok);
}

function needsQuote(known: { deal: Deal; terms: Terms; intents: Set<Intent> }): boolean {
  const { deal, terms, intents } = known;
  if (!terms.asset || !terms.amount) return false;
  const agrees = intents.has("accept") || intents.has("pay");
  return !(isQuoted(deal.quote, terms) && agrees);
}

/** 64 hex digits, alone or in a link, with or without 0x. */
function hashIn(text: string): string | undefined {
  return /(?<![0-9a-z])(?:0x)?([0-9a-f]{64})(?![0-9a-z])/i.exec(text)?.[1]?.toLowerCase();
}
