/** Pieces that have to be right to the letter. A `_part` is a cut or masked one. */
export type IdentifierKind =
  | "link"
  | "email"
  | "handle"
  | "wallet"
  | "wallet_part"
  | "hash"
  | "reference"
  | "card"
  | "card_part"
  | "phone";

/** Positions count in the normalised text. */
export interface Identifier {
  kind: IdentifierKind;
  text: string;
  /** The form that is compared: digits of a phone, lower-case host of a link. */
  value: string;
  start: number;
  end: number;
}

/** What stands for a masked piece: no pattern of this folder matches it or reaches across it. */
export const MASK = "\u0000";

interface Pattern {
  kind: IdentifierKind;
  find: RegExp;
  value: (text: string) => string | null;
}

const HOST = "(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}";
const TOP_LEVEL = "(?:com|net|org|io|me|ru|th|info|biz|shop|app|dev|site|online|link|ly|co|test)";
const SPACED_WALLET =
  /(?<![\p{L}\p{N}])(?:[A-Za-z0-9]{3,8}[ \n-]){4,}[A-Za-z0-9]{2,8}(?![\p{L}\p{N}])/gu;

const PATTERNS: Pattern[] = [
  {
    kind: "email",
    find: new RegExp(`[\\p{L}\\p{N}._%+-]+@${HOST}(?![\\p{L}\\p{N}])`, "giu"),
    value: (text) => text.toLowerCase(),
  },
  { kind: "link", find: /(?:https?|tg|tonkeeper|tron):\/\/[^\s<>"'«»]+/giu, value: linkValue },
  {
    kind: "link",
    find: new RegExp(
      `(?<![\\p{L}\\p{N}@._-])(?:[a-z0-9-]+\\.)+${TOP_LEVEL}(?:/[^\\s<>"'«»]*)?(?![\\p{L}\\p{N}-])`,
      "giu",
    ),
    value: linkValue,
  },
  {
    kind: "handle",
    find: /(?<![\p{L}\p{N}@.])@[A-Za-z][A-Za-z0-9_.]{2,}[A-Za-z0-9_]/gu,
    value: (text) => text.toLowerCase(),
  },
  {
    kind: "wallet_part",
    find: /(?<![\p{L}\p{N}])[A-Za-z0-9]{3,}(?:…|\.{2,3}|\*{2,})[A-Za-z0-9]{3,}(?![\p{L}\p{N}])/gu,
    value: (text) => (/\d/.test(text) || /[a-z][A-Z]/.test(text) ? text : null),
  },
  {
    kind: "hash",
    find: /(?<![\p{L}\p{N}])(?:0x)?[0-9a-f]{64}(?![\p{L}\p{N}])/giu,
    value: (text) => text.toLowerCase().replace(/^0x/, ""),
  },
  {
    kind: "wallet",
    find: /(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]{20,}(?![\p{L}\p{N}_])/gu,
    value: (text) => (/\d/.test(text) && /\p{L}/u.test(text) ? text : null),
  },
  {
    kind: "wallet",
    find: SPACED_WALLET,
    value: (text) => {
      const mixed = text.split(/[ \n-]/).filter((part) => /\d/.test(part) && /[a-z]/i.test(part));
      return mixed.length >= 3 ? text.replace(/[ \n-]/g, "") : null;
    },
  },
  {
    kind: "reference",
    find: /(?<![\p{L}\p{N}-])[A-Z]{1,6}(?:-[A-Z]{1,4})?-\d{1,12}(?![\p{L}\p{N}])/gu,
    value: (text) => (/^(?:TRC|ERC|BEP|COVID)-/.test(text) ? null : text),
  },
  {
    kind: "phone",
    find: /(?<![\p{L}\p{N}])\+\s?\d[\d\s().-]{6,18}\d(?!\d)/gu,
    value: phoneValue,
  },
  {
    kind: "card",
    find: /(?<![\p{L}\p{N}.,])\d{4}(?:[ -]?\d{4}){2,3}(?:[ -]?\d{1,3})?(?![\p{L}\p{N}])/gu,
    value: digits,
  },
  {
    kind: "card_part",
    // each run of marks is followed by something else: no two ways to read the same text
    find: /(?<![*•xX·])[*•xX·]{2,}(?:[ -][*•xX·]{2,}){0,8}[ -]?\d{4}(?!\d)/gu,
    value: (text) => digits(text),
  },
  {
    kind: "phone",
    find: /(?<![\p{L}\p{N}+.,/])(?:\(\d{2,4}\)|\d{1,4})(?:[ ().-]{1,2}\d{2,4}){2,5}(?![\p{L}\p{N}]|[.,]\d)/gu,
    value: (text) => {
      const number = digits(text);
      const sum = /^\d{1,3}(?: \d{3})+$/.test(text) && !number.startsWith("0");
      const date = /^\d{1,4}[.-]\d{1,2}[.-]\d{1,4}$/.test(text);
      return number.length < 7 || number.length > 15 || sum || date ? null : phoneValue(text);
    },
  },
  { kind: "phone", find: /(?<![\p{L}\p{N}.,])[078]\d{8,10}(?!\d)/gu, value: phoneValue },
];

/** Links, wallets, cards, phones and the like, and the text with them masked out. */
export function findIdentifiers(text: string): { found: Identifier[]; rest: string } {
  const found: Identifier[] = [];
  let rest = text;
  for (const pattern of PATTERNS) {
    for (const match of rest.matchAll(pattern.find)) {
      const piece = trimmed(pattern.kind, match[0]);
      const value = pattern.value(piece);
      if (value === null) continue;
      const end = match.index + piece.length;
      found.push({ kind: pattern.kind, text: piece, value, start: match.index, end });
    }
    rest = maskAll(rest, found);
  }
  return { found, rest };
}

export function maskSpan(text: string, span: { start: number; end: number }): string {
  return text.slice(0, span.start) + MASK.repeat(span.end - span.start) + text.slice(span.end);
}

export function digits(text: string): string {
  return text.replace(/\D/g, "");
}

function maskAll(text: string, spans: { start: number; end: number }[]): string {
  return spans.reduce(maskSpan, text);
}

function trimmed(kind: IdentifierKind, text: string): string {
  if (kind !== "link") return text.trimEnd();
  const bare = text.replace(/[.,;:!?'"\]}>]+$/u, "");
  const unopened = bare.endsWith(")") && !bare.includes("(");
  return unopened ? bare.replace(/[).,;:!?]+$/u, "") : bare;
}

/** Host in lower case; scheme and a closing slash do not matter, http is not https. */
function linkValue(text: string): string {
  const scheme = /^([a-z]+):\/\//iu.exec(text)?.[1]?.toLowerCase() ?? "https";
  const bare = text.replace(/^[a-z]+:\/\//iu, "").replace(/\/$/u, "");
  const slash = bare.search(/[/?#]/u);
  const host = (slash < 0 ? bare : bare.slice(0, slash)).toLowerCase().replace(/^www\./u, "");
  return `${scheme === "https" ? "" : `${scheme}://`}${host}${slash < 0 ? "" : bare.slice(slash)}`;
}

/** Digits alone; the Russian trunk 8 and a leading 00 are the same as their country code. */
function phoneValue(text: string): string {
  const number = digits(text);
  return number.length === 11 && number.startsWith("8") ? `7${number.slice(1)}` : number;
}
