import type { NumberPiece } from "./numbers.ts";
import { phrase, says } from "./phrase.ts";

const RATE_BEFORE = phrase(
  "курс~|котировк~|rate|rates|exchange rate|обмен по|меняем по|посчита~ по|sell at|buy at",
);
const ONE_UNIT =
  /^[^\p{L}\p{N}]{0,2}\p{L}*[^\p{L}\p{N}]{0,2}\s?(?:за|per|for|на|\/|к)\s?(?:1|один|одного|one|each|каждый)?\s?(?:usdt|usdc|usd|\$|btc|eth|ton|trx|ltc|thb|baht|бат\p{L}*|руб\p{L}*|rub|доллар\p{L}*|dollar|юсдт|eur|евро)(?![\p{L}\p{N}])/iu;
const ONE_EQUALS =
  /(?:^|[^\p{L}\p{N}.,])(?:1|один|one)\s?(?:usdt|usdc|usd|\$|btc|eth|ton|trx|ltc|thb|baht|бат\p{L}*|руб\p{L}*|rub|доллар\p{L}*|dollar|юсдт|eur|евро)\s*(?:=|[–—-]|это|is|equals|по|at|→|стоит|costs)\s*$/iu;
const GETS = phrase(
  "получит~|получа~|на руки|выдад~|выдач~|выплат~|к получению|отдад~|забер~|you(?:'ll| will| would| can)? (?:get|receive|have|collect)|payout|pay you|in hand|hand you|we give|получение|итого|выйдет|выходит|comes (?:out )?to|total",
);
const DUE = phrase(
  "к оплате|оплатит~|заплатит~|переведите|перевести|перевед~|отправьте|отправить|внесите|с вас|сумм~|send|pay|transfer|amount|due|deposit",
);
const BOUND = phrase(
  "минимальн~ сумм~|максимальн~ сумм~|минимум|максимум|не меньше|не менее|не больше|не более|minimum|maximum|at least|at most|smallest amount|largest amount",
);
const BECOMES =
  /\d[\s.,]*(?:\p{L}{1,8}|[$₽฿])?\s*(?:=|→|->|⇒|≈|[–—-]\s?(?:это)?|\bis|\bequals|\bmakes|это|would be|will be)\s*[~≈]?\s*$/iu;
const SPAN = 44;

/** A price of one unit: "курс 31,3", "31.3 THB per USDT", "1 USDT = 31.3 THB". */
export function saysRate(text: string, piece: NumberPiece): boolean {
  if (ONE_UNIT.test(text.slice(piece.end, piece.end + 40))) return true;
  const before = text.slice(Math.max(0, piece.start - SPAN), piece.start);
  if (ONE_EQUALS.test(before)) return true;
  const near = before.split(/\d|[.!?;\n]/u).at(-1) ?? "";
  return says(near, RATE_BEFORE);
}

/** The "1" of "31.3 THB за 1 USDT" or of "1 USDT = ...". */
export function isUnitOfRate(text: string, piece: NumberPiece): boolean {
  if (piece.readings[0] !== "1") return false;
  const before = text.slice(Math.max(0, piece.start - 8), piece.start);
  const after = text.slice(piece.end, piece.end + 24);
  return (
    /(?:за|per|for|\/|на|к)\s?$/iu.test(before) ||
    /^\s?[\p{L}$₽฿]+\s*(?:=|[–—-]|это|is|→|стоит|costs|equals|по|at)/iu.test(after)
  );
}

/** What the lead gets in the deal. */
export function saysGets(text: string, piece: NumberPiece): boolean {
  const before = text.slice(Math.max(0, piece.start - SPAN), piece.start);
  const near = before.split(/[.!?;\n](?:\s|$)/u).at(-1) ?? "";
  return says(near, GETS) || BECOMES.test(near);
}

/** What the lead has to pay; the smallest or largest sum that the business takes is none of it. */
export function saysDue(text: string, piece: NumberPiece): boolean {
  const before = text.slice(Math.max(0, piece.start - SPAN), piece.start);
  const near = before.split(/[.!?;\n](?:\s|$)/u).at(-1) ?? "";
  return says(near, DUE) && !says(near, BOUND);
}
