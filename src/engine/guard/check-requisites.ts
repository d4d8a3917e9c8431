import { isEcho } from "./attribution.ts";
import type { Check, GuardContext } from "./guard-context.ts";
import type { Finding } from "./guard-facts.ts";
import { digits, type Identifier } from "./identifiers.ts";
import { phrase, says } from "./phrase.ts";
import { foldCase, sentenceAt } from "./reply-text.ts";
import { fieldsOf } from "./sources.ts";

const HINT =
  "Give only the requisites of the open order, character by character as the tool returned them, or none.";
const PAYS = phrase(
  "отправ(?:ь|ьте|ляйте|ить|лять)|перевед~|переводит~|перевест~|оплат(?:ите|ить|а на)|платит~|реквизит~|кошел~|send|transfer|pay|deposit|wallet|requisites",
);
const LABELLED: { kind: string; find: RegExp }[] = [
  {
    kind: "memo",
    find: /(?<![\p{L}])(?:memo|мемо|destination tag|dest\.? tag|tag|тег)[\s:#=–—-]*(?:(?:is|это)\s)?([A-Za-z]{0,4}\d[A-Za-z0-9-]*)/giu,
  },
  {
    kind: "exchange id",
    find: /(?<![\p{L}])(?:uid|binance(?:\s(?:pay|id|uid))*|bybit(?:\s(?:id|uid))*|htx(?:\s(?:id|uid))*)[\s:#=–—-]*(\d{5,})/giu,
  },
  {
    kind: "account",
    find: /(?<![\p{L}])(?:account(?:\s(?:no|number))?|acc\.?|iban|счет|счёт|счета|р\/с|бик|swift|bic)[\s.:#=–—-]*([A-Z]{0,4}\d[\d -]{4,}\d)/giu,
  },
];
const PAYEE =
  /(?<![\p{L}])(?:получател[ья]|recipient|payee|beneficiary|account holder|владелец карты|на имя|in the name of)(?:\s*[:–—-]\s*|\s+)((?:\p{Lu}[\p{L}'’-]*\.?)(?:\s\p{Lu}[\p{L}'’-]*\.?){0,3})/gu;
const NAME_WITH_INITIAL = /(?<![\p{L}])\p{Lu}\p{Ll}{1,20}\s(?:\p{Lu}\.){1,2}(?=[\s,.;!?)]|$)/gu;
const BANK =
  /(?<![\p{L}])(?:\p{Lu}[\p{L}&-]+\s)?(?:\p{Lu}[\p{L}-]+\s[Bb]ank)(?![\p{L}])|(?<![\p{L}])(?:банк\s(?:получателя\s)?[:«"]?\s?)(\p{Lu}[\p{L}-]+)/gu;
const NETWORKS =
  /(?<![\p{L}\p{N}])(trc-?20|erc-?20|bep-?20|solana|polygon|arbitrum)(?![\p{L}\p{N}])/giu;

/** Wallets, memos, cards, payees: only from the requisites of the open order. */
export const checkRequisites: Check = (context) => [
  ...context.identifiers.flatMap((piece) => checkIdentifier(context, piece)),
  ...checkLabelled(context),
  ...checkPayee(context),
  ...checkNetwork(context),
];

function checkIdentifier(context: GuardContext, piece: Identifier): Finding[] {
  const backed = backing[piece.kind];
  if (backed === undefined || backed(context, piece)) return [];
  return [finding(piece.kind.replace("_", " "), piece.text)];
}

const backing: { [K in Identifier["kind"]]?: (c: GuardContext, p: Identifier) => boolean } = {
  wallet: (context, piece) =>
    hasValue(context, "wallet", piece.value) ||
    context.sources.requisites.texts.some((text) => text === piece.value) ||
    isOrdersOwn(context, piece) ||
    isLeadsOwn(context, piece),
  wallet_part: (context, piece) => isPartOf(context, piece),
  hash: (context, piece) =>
    [context.sources.tools, context.sources.requisites].some((index) =>
      index.identifiers.some((one) => one.kind === "hash" && one.value === piece.value),
    ) || context.sources.lead.folded.includes(piece.value),
  card: (context, piece) =>
    digitsOf(context.sources.requisites.texts).includes(piece.value) || isOrdersOwn(context, piece),
  card_part: (context, piece) =>
    [...context.sources.requisites.texts, ...context.sources.tools.texts].some((text) =>
      digits(text).endsWith(piece.value),
    ),
};

/** A destination the lead gave and the order holds may be repeated, not offered as a place to pay. */
function isOrdersOwn(context: GuardContext, piece: Identifier): boolean {
  const sentence = sentenceAt(context.sentences, piece.start).text;
  const destinations = fieldsOf(context.facts.order)
    .filter((field) => /destination|payout|sender|hash|proof/iu.test(field.key))
    .map((field) => field.value);
  return destinations.some((value) => value.includes(piece.value)) && !says(sentence, PAYS);
}

function isLeadsOwn(context: GuardContext, piece: Identifier): boolean {
  if (!context.facts.lead_texts.some((text) => text.includes(piece.value))) return false;
  const sentence = sentenceAt(context.sentences, piece.start).text;
  return isEcho(context, piece, "addressed") && !says(sentence, PAYS);
}

function hasValue(context: GuardContext, kind: Identifier["kind"], value: string): boolean {
  const own = context.sources.requisites.identifiers;
  return own.some((one) => one.kind === kind && one.value === value);
}

function isPartOf(context: GuardContext, piece: Identifier): boolean {
  const [head = "", tail = ""] = piece.value.split(/…|\.{2,3}|\*{2,}/u);
  const { requisites, tools, lead } = context.sources;
  return [requisites, tools, lead].some((index) =>
    index.identifiers.some(
      (one) =>
        (one.kind === "hash" || (one.kind === "wallet" && index === requisites)) &&
        one.text.startsWith(head) &&
        one.text.endsWith(tail),
    ),
  );
}

function checkLabelled(context: GuardContext): Finding[] {
  const known = context.sources.requisites.texts.map((text) => text.replace(/[\s-]/g, ""));
  const own = context.sources.tools.texts.map((text) => text.replace(/[\s-]/g, ""));
  return LABELLED.flatMap(({ kind, find }) =>
    [...context.text.matchAll(find)].flatMap((match) => {
      const value = (match[1] ?? "").trimEnd().replace(/[\s-]/g, "");
      const holds = (text: string) => text.split(/[^A-Za-z0-9]+/).includes(value);
      const orders = kind === "account" && own.some(holds);
      return known.some(holds) || orders ? [] : [finding(kind, match[0])];
    }),
  );
}

function checkPayee(context: GuardContext): Finding[] {
  const { requisites, tools, evidence } = context.sources;
  const named = [...context.text.matchAll(PAYEE)].map((match) => match[1] ?? "");
  const signed = [...context.text.matchAll(NAME_WITH_INITIAL)].map((match) => match[0]);
  const shown = context.identifiers.some((one) => one.kind === "card" || one.kind === "phone");
  const banks = shown && requisites.texts.length > 0 ? bankNames(context.text) : [];
  const wrong = [...named, ...banks].filter((name) => !requisites.folded.includes(fold(name)));
  const unknown = signed.filter(
    (name) => ![requisites, tools, evidence].some((index) => index.folded.includes(fold(name))),
  );
  return [...new Set([...wrong, ...unknown])].map((name) => finding("payee", name));
}

function bankNames(text: string): string[] {
  return [...text.matchAll(BANK)].map((match) => match[1] ?? match[0]);
}

function fold(name: string): string {
  return foldCase(name).replace(/[.\s]+$/u, "");
}

/** Beside a wallet stands its own network: money sent over another one is lost. */
function checkNetwork(context: GuardContext): Finding[] {
  const wallets = context.identifiers.filter((one) => one.kind === "wallet");
  const own = context.facts.tool_results
    .flatMap((one) => (one.tool === "fetch_exchange_requisites" ? fieldsOf(one.data) : []))
    .findLast((field) => field.key === "network")?.value;
  if (wallets.length === 0 || own === undefined) return [];
  return [...context.text.matchAll(NETWORKS)]
    .filter((match) => plain(match[0]) !== plain(own))
    .filter((match) => !says(context.text.slice(Math.max(0, match.index - 24), match.index), NOT))
    .map((match) => finding("network", match[0]));
}

const NOT = phrase("не|нет|кроме|никак~|not|no|never|isn't|don't|except|другие|other");

function plain(network: string): string {
  return network.toLowerCase().replace(/-/g, "");
}

function digitsOf(texts: string[]): string[] {
  return texts.flatMap((text) => (text.match(/\d[\d -]{10,}\d/g) ?? []).map(digits));
}

function finding(kind: string, text: string): Finding {
  return { kind, text: text.trim(), rule: "unbacked_requisites", hint: HINT };
}
