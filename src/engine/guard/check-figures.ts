import { isEcho } from "./attribution.ts";
import { addressSpans } from "./check-addresses.ts";
import type { Deal } from "./deals.ts";
import { isUnitOfRate, saysDue, saysGets, saysRate } from "./figure-role.ts";
import type { Check, GuardContext } from "./guard-context.ts";
import type { Finding } from "./guard-facts.ts";
import { MASK, maskSpan } from "./identifiers.ts";
import { findNumbers, type NumberPiece } from "./numbers.ts";
import { phrase, says } from "./phrase.ts";
import { sentenceAt } from "./reply-text.ts";
import type { FactIndex } from "./sources.ts";

/** Counts up to this size stand in any prose ("two steps") and are facts only beside their noun. */
const SMALL = 12;
const ENDED = phrase(
  "отмен~|истек~|просроч~|закрыт~|был~|cancel~|expired?|was|were|closed|old|lapsed",
);

/** Sums, rates, percentages, lengths of time and other numbers, each against its own sources. */
export const checkFigures: Check = (context) => {
  const bare = addressSpans(context.text).reduce(maskSpan, context.rest);
  const numbers = findNumbers(bare);
  const findings = numbers.flatMap((piece) => {
    const verdict = judge(context, piece);
    return verdict === null ? [] : [finding(context, piece, verdict)];
  });
  return findings.length > 0 ? findings : mixedDeals(context, numbers);
};

function judge(context: GuardContext, piece: NumberPiece): string | null {
  switch (piece.unit.kind) {
    case "percent":
      return percentBacked(context, piece) ? null : "unbacked_percent";
    case "duration":
      return durationBacked(context, piece) ? null : "unbacked_duration";
    case "money":
      return judgeMoney(context, piece);
    case "none":
      return judgePlain(context, piece);
    default:
      return piece.unit satisfies never;
  }
}

function judgeMoney(context: GuardContext, piece: NumberPiece): string | null {
  if (isUnitOfRate(context.text, piece)) return null;
  if (saysRate(context.text, piece)) return judgeRate(context, piece);
  if (matchesDeal(context, piece)) return null;
  const strict =
    saysGets(context.text, piece) || (context.sources.exchange && saysDue(context.text, piece));
  if (isLeadsNumber(context, piece) && isEcho(context, piece, "wanted")) return null;
  if (strict || isOtherCurrency(context, piece)) return "unbacked_quote";
  const { tools, requisites, evidence } = context.sources;
  const backed = [tools, requisites, evidence].some((index) => holdsMoney(index, piece));
  return backed ? null : "unbacked_sum";
}

function judgeRate(context: GuardContext, piece: NumberPiece): string | null {
  const rates = context.sources.deals.filter((deal) => !deal.dead && has(piece, deal.rate));
  const current = rates.some((deal) => !deal.older || besideTerms(context, piece, deal));
  if (current || (matchesDeal(context, piece) && piece.unit.kind === "money")) return null;
  const told = isLeadsNumber(context, piece) && isEcho(context, piece, "reported");
  return told ? null : "unbacked_rate";
}

function judgePlain(context: GuardContext, piece: NumberPiece): string | null {
  if (isPartOfDate(context, piece)) return null;
  if (saysRate(context.text, piece) && !isSmall(piece)) return judgeRate(context, piece);
  const { tools, requisites, evidence } = context.sources;
  const sources = [tools, requisites, evidence];
  if (isSmall(piece)) return contradicts(sources, piece) ? "unbacked_figure" : null;
  if (matchesDeal(context, piece) || sources.some((index) => holdsNumber(index, piece)))
    return null;
  const own = isLeadsNumber(context, piece) && isEcho(context, piece, "wanted");
  return own ? null : "unbacked_figure";
}

/** A live deal's figure in the right currency; an older quote's only beside its own terms. */
function matchesDeal(context: GuardContext, piece: NumberPiece): boolean {
  return context.sources.deals.some((deal) => {
    const sum = sides(deal).some((side) => has(piece, side.value) && suits(piece, side.currency));
    const rate = piece.readings.length === 1 && has(piece, deal.rate);
    if (!sum && !rate) return false;
    if (deal.dead) return has(piece, deal.from?.value) || says(around(context, piece), ENDED);
    return !deal.older || besideTerms(context, piece, deal);
  });
}

function isOtherCurrency(context: GuardContext, piece: NumberPiece): boolean {
  return context.sources.deals.some((deal) =>
    sides(deal).some((side) => has(piece, side.value) && !suits(piece, side.currency)),
  );
}

function besideTerms(context: GuardContext, piece: NumberPiece, deal: Deal): boolean {
  const others = findNumbers(around(context, piece)).filter((one) => one.text !== piece.text);
  return others.some((one) => sides(deal).some((side) => has(one, side.value)));
}

/** What is paid and what is got in one sentence must be of one deal. */
function mixedDeals(context: GuardContext, numbers: NumberPiece[]): Finding[] {
  const { deals } = context.sources;
  return context.sentences.flatMap((sentence) => {
    const inside = numbers.filter((one) => one.start >= sentence.start && one.end <= sentence.end);
    const money = inside.filter((one) => one.unit.kind === "money");
    const paid = money.filter((one) => deals.some((deal) => isSide(one, deal.from)));
    const got = money.filter((one) => deals.some((deal) => isSide(one, deal.to)));
    const alone = got.filter(
      (sum) => !deals.some((deal) => isSide(sum, deal.to) && paired(deal, paid)),
    );
    return paid.length === 0 ? [] : alone.map((one) => finding(context, one, "unbacked_quote"));
  });
}

function paired(deal: Deal, paid: NumberPiece[]): boolean {
  return deal.from === null || paid.some((one) => isSide(one, deal.from));
}

function isSide(piece: NumberPiece, side: Deal["from"]): boolean {
  return side !== null && has(piece, side.value) && suits(piece, side.currency);
}

function percentBacked(context: GuardContext, piece: NumberPiece): boolean {
  const { tools, evidence } = context.sources;
  const named = [tools, evidence].some((index) =>
    index.numbers.some((one) => one.unit.kind === "percent" && shares(one, piece)),
  );
  return named || (isLeadsNumber(context, piece) && isEcho(context, piece, "reported"));
}

function durationBacked(context: GuardContext, piece: NumberPiece): boolean {
  if (has(piece, "1") && minutesOf(piece)[0] === 1) return true;
  const { tools, requisites, evidence, lead } = context.sources;
  const known = [tools, requisites, evidence].some((index) => holdsDuration(index, piece));
  return known || (holdsDuration(lead, piece) && isEcho(context, piece, "wanted"));
}

function holdsDuration(index: FactIndex, piece: NumberPiece): boolean {
  const wanted = minutesOf(piece);
  return index.numbers.some((one) => minutesOf(one).some((minutes) => wanted.includes(minutes)));
}

function minutesOf(piece: NumberPiece): number[] {
  const unit = piece.unit;
  return unit.kind === "duration" ? piece.readings.map((one) => Number(one) * unit.minutes) : [];
}

function holdsMoney(index: FactIndex, piece: NumberPiece): boolean {
  return index.numbers.some((one) => {
    const other = one.unit.kind === "money" && !suits(piece, one.unit.currency);
    return shares(one, piece) && !other && one.unit.kind !== "percent";
  });
}

function holdsNumber(index: FactIndex, piece: NumberPiece): boolean {
  const hour = index.moments.some(
    (one) =>
      one.kind === "time" &&
      one.values.some((value) => has(piece, String(Number(value.slice(0, 2))))),
  );
  return hour || index.numbers.some((one) => shares(one, piece)) || holdsToken(index, piece);
}

/** Numbers inside names and marks: "DEMO CARD 0000", the last digits of a card. */
function holdsToken(index: FactIndex, piece: NumberPiece): boolean {
  const cards = index.identifiers.filter((one) => one.kind === "card");
  const ending = /^\d{4}$/.test(piece.text) && cards.some((one) => one.value.endsWith(piece.text));
  return ending || index.folded.split(/[^\p{L}\p{N}]+/u).includes(piece.text);
}

/** The sources count the same thing with other numbers only. */
function contradicts(sources: FactIndex[], piece: NumberPiece): boolean {
  if (piece.counted === "") return false;
  const same = sources.flatMap((index) =>
    index.numbers.filter((one) => one.counted.slice(0, 4) === piece.counted.slice(0, 4)),
  );
  return same.length > 0 && !same.some((one) => shares(one, piece));
}

function isSmall(piece: NumberPiece): boolean {
  return /^\d+$/.test(piece.readings[0] ?? "") && Number(piece.readings[0]) <= SMALL;
}

/** A year that stands after a date. */
function isPartOfDate(context: GuardContext, piece: NumberPiece): boolean {
  const before = context.rest.slice(0, piece.start).trimEnd().at(-1);
  return /^20[2-4]\d$/.test(piece.text) && before === MASK;
}

function isLeadsNumber(context: GuardContext, piece: NumberPiece): boolean {
  return context.sources.lead.numbers.some((one) => shares(one, piece));
}

function around(context: GuardContext, piece: NumberPiece): string {
  return sentenceAt(context.sentences, piece.start).text;
}

function sides(deal: Deal): { value: string; currency: string }[] {
  return [deal.from, deal.to].filter((side) => side !== null);
}

function suits(piece: NumberPiece, currency: string): boolean {
  if (piece.unit.kind !== "money" || currency === "") return true;
  const dollar = (code: string) => (/^USD[TC]?$/u.test(code) ? "USD" : code);
  return dollar(piece.unit.currency) === dollar(currency.toUpperCase());
}

function has(piece: NumberPiece, value: string | null | undefined): boolean {
  return value !== null && value !== undefined && piece.readings.includes(value);
}

function shares(left: NumberPiece, right: NumberPiece): boolean {
  return left.readings.some((one) => right.readings.includes(one));
}

function finding(context: GuardContext, piece: NumberPiece, rule: string): Finding {
  const internal = context.sources.internal.some((value) => has(piece, String(Number(value))));
  const unit = piece.unit.kind === "none" ? "figure" : piece.unit.kind;
  return {
    kind: rule === "unbacked_rate" ? "rate" : unit,
    text: piece.text,
    rule: internal ? "internal_figure" : rule,
    hint: "No source backs this figure. Use figures exactly as the quote, the order or a passage has them; compute none.",
  };
}
