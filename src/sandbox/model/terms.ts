import { findNumbers, type NumberSpan } from "./amounts.ts";
import {
  networkIn,
  paymentMethodIn,
  payoutBankIn,
  payoutMethodIn,
  railIn,
  sourceBankIn,
  type Unit,
  unitOf,
} from "./lexicon.ts";
import { normalise, phrases } from "./phrase.ts";
import { placeIn } from "./place.ts";

/** As the tools name it. */
export type AmountMode = "source_amount" | "target_amount";

/** What the lead said about the exchange, as tool arguments name it. Amounts are decimal strings. */
export interface Terms {
  asset?: string;
  amount?: string;
  amountMode?: AmountMode;
  network?: string;
  payoutMethod?: string;
  payoutLocation?: string;
  payoutBank?: string;
  payoutAccount?: string;
  payoutHolder?: string;
  paymentMethod?: string;
  paymentRail?: string;
  sourceBank?: string;
}

/** Terms of one message; a number without a currency is kept apart, it may mean anything. */
export interface Mentioned {
  terms: Terms;
  bareNumber?: string;
  /** The only sum is zero or below. */
  isNotPositive: boolean;
}

/** Characters around a number in which its currency and verb are looked for. */
const NEAR = 25;
const NEEDS = phrases("нуж*", "надо", "получить", "хочу", "need", "want", "get", "receive");
const NOT_MONEY =
  /^\s*(?:%|процент|час|минут|дн[яей]|день|человек|раз[а\s]|am\b|pm\b|hours?|minutes?|days?|people)/u;
/** Currency words in the middle of "курс доллара" say nothing about what the lead pays with. */
const PLAIN_USD = phrases("usd", "доллар*", "dollars?");

/** What one text names of an exchange; what it leaves open stays undefined. */
export function readTerms(original: string): Mentioned {
  const account = accountIn(original);
  const place = placeIn(original);
  const numbered = place ? original.replace(place, place.replace(/\d/g, " ")) : original;
  const whole = withoutReferences(numbered.replace(account ?? "", " "));
  const text = whole.replace(BELOW_ZERO, (sum) => ` ${sum.replace(/[^$€₽฿]/g, "")} `);
  const amounts = withoutReplaced(text, findNumbers(text))
    .filter((span) => isMoney(text, span))
    .map((span) => ({ ...span, unit: unitBeside(text, span) }));
  const assets = assetsIn(text);
  const main = chooseAmount(text, amounts);
  const paysRoubles = sourceBankIn(text) !== undefined || paymentMethodIn(text) === "sbp_qr";
  const asset = assetOf(main?.unit, assets) ?? (paysRoubles ? "RUB" : undefined);
  return {
    terms: defined({
      asset,
      amount: main?.value,
      amountMode: main && (main.unit?.kind === "quote" ? "target_amount" : "source_amount"),
      network: asset === "RUB" ? undefined : networkIn(text),
      payoutMethod: payoutMethodIn(text),
      payoutLocation: place,
      payoutBank: payoutBankIn(text),
      payoutAccount: account,
      payoutHolder: account && holderIn(original, account),
      paymentMethod: paymentMethodIn(text),
      paymentRail: railIn(text),
      sourceBank: sourceBankIn(text),
    }),
    bareNumber: amounts.find((amount) => amount.unit === undefined)?.value,
    isNotPositive: amounts.length === 0 && (text !== whole || ZERO.test(text)),
  };
}

/** Later words win; another asset leaves the old one's network and payment behind. */
export function mergeTerms(earlier: Terms, later: Terms): Terms {
  const changed = later.asset !== undefined && later.asset !== earlier.asset;
  const kept = changed
    ? { ...earlier, network: undefined, paymentMethod: undefined, paymentRail: undefined }
    : { ...earlier };
  const isOtherWay =
    later.payoutMethod !== undefined && later.payoutMethod !== earlier.payoutMethod;
  if (isOtherWay) kept.payoutLocation = undefined;
  const orphaned = changed && earlier.asset && kept.amountMode === "source_amount";
  const base = orphaned ? { ...kept, amount: undefined, amountMode: undefined } : kept;
  return defined({ ...base, ...later });
}

/** Hashes, addresses, links, times, phone numbers and network names hold digits that are no sums. */
function withoutReferences(text: string): string {
  return normalise(text)
    .replace(/\[[a-z_]+(?:[:,][^\]]*)?\]/g, " ")
    .replace(/https?:\/\/\S+|[^\s@]{1,64}@\S+/g, " ")
    .replace(/(trc|erc|bep|трс|трц|ерс)[\s-]*20/g, "$1 ")
    .replace(/[0-9a-z]{24,}/g, (word) => (/\d/.test(word) ? " " : word))
    .replace(/\d{1,2}:\d{2}/g, " ")
    .replace(/\+\d[\d\s()-]{7,}/g, " ")
    .replace(/\d{4}(?:[\s-]\d{4}){2,3}|(?<![\d.,])\d{10,}(?![\d.,])/g, " ")
    .replace(/\d{1,2}\.\d{1,2}\.\d{2,4}/g, " ");
}

/** "-500", "минус 500", "-$5"; a dash with a space behind it only separates, "-5 %" is no sum. */
const BELOW_ZERO =
  /(?<![^\s(])(?:[-−–](?=[$€₽฿]?\d)|(?:минус|minus|negative)\s+)[$€₽฿]?\d[\d.,]*(?:\s\d{3}(?!\d))*(?![\d.,]*\s*%)/g;
const ZERO =
  /(?<![\d.,:])0+(?:[.,]0+)?(?![\d.,:]*\d|\s*%)|(?<![a-zа-я])(?:ноль|нуль|zero)(?![a-zа-я])/;

/** A bank account: in the groups of a passbook, named as one, or a long run of digits. */
function accountIn(original: string): string | undefined {
  const own = original.replace(/(?:phone|whatsapp|telegram|тел\p{L}*)[\s:.]*\+?[\d\s()-]+/giu, " ");
  const named =
    /(?:account|acct?|a\/c|сч[её]т\p{L}{0,2})[^\d\n]{0,20}(\d(?:[ -]?\d){7,17})(?!\d|[.,]\d)/iu;
  return (
    /(?<![\d+-])\d{3}-\d-\d{5,6}-\d(?!\d)/.exec(own)?.[0] ??
    named.exec(own)?.[1] ??
    /(?<![\d+.,a-z-])\d{10,12}(?![\d.,a-z-])/i.exec(own)?.[0]
  );
}

/** Named as such, or two to four names right behind the account or in a part of their own before it. */
function holderIn(original: string, account: string): string | undefined {
  const name =
    /(?:[Hh]older|[Nn]ame|[Пп]олучател\p{L}|[Нн]а имя|[Ии]мя)(?: is)?[\s:]+(\p{Lu}[\p{L}'-]*(?:\s+\p{Lu}[\p{L}'-]*){0,3})/u;
  const labelled = name.exec(original)?.[1];
  if (labelled) return labelled;
  const [before = "", after = ""] = original.split(account, 2);
  const names = /^\p{Lu}[\p{L}'’.-]*(?:\s+\p{Lu}[\p{L}'’.-]*){1,3}$/u;
  const parts = [...after.split(/[,;\n]|\.\s/), ...before.split(/[,;:\n]/).reverse()];
  return parts
    .map((part) => part.replace(/^[\s(–—-]+|[\s.!)]+$/g, ""))
    .find((part) => names.test(part) && !isBank(part));
}

function isBank(part: string): boolean {
  return (
    payoutBankIn(normalise(part)) !== undefined ||
    /\b(?:bank|thai|account)\b|банк|сч[её]т/i.test(part)
  );
}

function isMoney(text: string, span: NumberSpan): boolean {
  const before = text.slice(Math.max(0, span.start - 2), span.start);
  return !NOT_MONEY.test(text.slice(span.end, span.end + NEAR)) && !/[№#]\s?$/.test(before);
}

/** "не 1000, а 2500", "from 1000 to 2500", "1000 вместо 2000": the old sum counts no more. */
function withoutReplaced(text: string, spans: NumberSpan[]): NumberSpan[] {
  const kept = spans.filter((span) => {
    const before = text.slice(Math.max(0, span.start - NEAR), span.start);
    return !/(?:^|[\s,.!])(?:не|вместо|not|instead of|rather than|from|с)\s*$/.test(before);
  });
  return kept.length > 0 ? kept : spans;
}

interface Sum extends NumberSpan {
  unit: Unit | undefined;
}

/** "2000 USDT", "$500", "USDT: 300", "5000р". A unit behind the number is nearer than one before. */
function unitBeside(text: string, span: NumberSpan): Unit | undefined {
  const rest = text.slice(span.end, span.end + NEAR);
  const behind = /^\s*(?:в\s+)?(?:of\s+)?([a-zа-я-]+|[$€₽฿₱])/.exec(rest)?.[1];
  const start = text.slice(Math.max(0, span.start - NEAR), span.start);
  const before = /([a-zа-я-]+|[$€₽฿₱])[\s:=]*$/.exec(start)?.[1];
  return unitOf(behind ?? "") ?? unitOf(before ?? "");
}

/** Of two sums the one that the lead asks for counts: "у меня 3000 USDT, нужно 20000 бат". */
function chooseAmount(text: string, sums: Sum[]): Sum | undefined {
  const target = sums.find((sum) => sum.unit?.kind === "quote");
  const source = sums.find((sum) => sum.unit?.kind === "asset");
  if (!target || !source) return target ?? source;
  const before = text.slice(Math.max(0, target.start - NEAR), target.start);
  return NEEDS.test(before.split(/[,.;]/).at(-1) ?? "") ? target : source;
}

function assetOf(unit: Unit | undefined, assets: string[]): string | undefined {
  return unit?.kind === "asset" ? unit.asset : assets[0];
}

/** Assets in the order of the text; a dollar word beside a stable coin's name is not one more. */
function assetsIn(text: string): string[] {
  const found: string[] = [];
  const own = text.replace(PAYS_OUT_IN, " ").replace(NETWORK_NAMES, " ");
  for (const [word] of own.matchAll(/[a-zа-я]+(?:-t)?|[$€₽]/g)) {
    const unit = unitOf(word);
    if (unit?.kind === "asset" && word !== "р") found.push(unit.asset);
  }
  return found.length > 1 && PLAIN_USD.test(text) ? found.filter((each) => each !== "USD") : found;
}

const PAYS_OUT_IN = /(?:курс|rate of)\s+[a-zа-я]+/g;
/** "в сети TON", "on ethereum": the word names the way, not what is paid with. */
const NETWORK_NAMES = /(?:сет[а-я]*|network|on)\s+[a-zа-я]+/g;

function defined<T extends object>(value: T): T {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries) as T; // the same keys, without the empty ones
}
