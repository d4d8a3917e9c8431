import { unitOf } from "./lexicon.ts";
import { normalise } from "./phrase.ts";

/** Words of an address, as they begin; a place may be told in any mix of them, names and numbers. */
const ADDRESS_WORD =
  /^(?:hotel|hostel|resort|condo|villa|house|apt|apartment|suite|room|rm|floor|unit|building|bldg|tower|block|road|rd|street|st|soi|moo|avenue|ave|lane|alley|beach|lobby|reception|near|no|отел|гостиниц|хостел|вилл|кондо|апарт|комнат|номер|кварт|кв|этаж|корп|дом|д|ул|улиц|сой|переул|пер|проспект|пр|лобби|ресепш|подъезд|район|пляж|рядом)/;
/** Capital letters that begin something else. */
const OTHER_WORD =
  /^(?:please|thanks?|yes|ok|okay|i|we|my|and|but|am|pm|да|спасибо|пожалуйста|я|мы|и|а|но|оформля|давай|как|когда|где|вместо)$/;
const START_WORD =
  /(?<!\p{L})(?:[Hh]otel|[Hh]ostel|[Rr]esort|[Cc]ondo|[Vv]illa|[Оо]тел\p{L}{1,2}|[Гг]остиниц\p{L}|[Хх]остел\p{L}?|[Вв]илл\p{L}|[Кк]ондо)\s+["«]?[\p{Lu}\d]/u;
const AFTER_ADDRESS = /(?<!\p{L})(?:[Aa]ddress(?: is)?|[Аа]дрес\p{L}?)[\s:–—-]+/u;
const TO_PLACE =
  /(?<!\p{L})(?:[Tt]o|[Aa]t|[Вв]|[Нн]а)\s+(?:the\s+)?(?=\d+\p{L}?\s+\p{Lu}|\p{Lu})/gu;
const TOKEN = /[\p{L}\d][\p{L}\p{M}\d'’&/-]*|[^\s]/gu;

/** The client's own words of a place, whole: "hotel Sunrise, 12 Palm Road, room 5". */
export function placeIn(original: string): string | undefined {
  const named = START_WORD.exec(original);
  const address = AFTER_ADDRESS.exec(original);
  const behind = [...original.matchAll(TO_PLACE)]
    .map((match) => wordsFrom(original, match.index + match[0].length))
    .filter((place) => place?.split(/[\s,.]+/).some(isAddressWord));
  const told = [
    named && wordsFrom(original, named.index),
    address && wordsFrom(original, address.index + address[0].length),
    ...behind,
  ].filter((place) => typeof place === "string");
  return told.sort((one, other) => other.length - one.length)[0];
}

interface Token {
  text: string;
  start: number;
  end: number;
}

function wordsFrom(original: string, start: number): string | undefined {
  const tokens = [...original.slice(start).matchAll(TOKEN)].map(
    (match): Token => ({
      text: match[0],
      start: start + match.index,
      end: start + match.index + match[0].length,
    }),
  );
  let end = start;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (before && original.slice(before.end, token.start).includes("\n")) break;
    if (/^[\p{L}\d]/u.test(token.text)) {
      if (!isPartOfPlace(tokens, index)) break;
      end = token.end;
    } else if (!isJoining(token.text, before)) break;
    else if (/["»)]/.test(token.text)) end = token.end;
  }
  const place = original.slice(start, end).trim();
  return place === "" || isAddressWord(place) ? undefined : place;
}

function isPartOfPlace(tokens: readonly Token[], index: number): boolean {
  const { text } = tokens[index] as Token; // asked of its own tokens
  const next = wordAfter(tokens, index);
  if (!/^\d/.test(text)) return isAddressWord(text) || isName(text);
  if (next && unitOf(normalise(next))) return false;
  const before = tokens[index - 1]?.text ?? "";
  const isHouse = /^\d{1,3}(?:[/-]\d+)*\p{L}?$/u.test(text) && isName(before);
  const word = tokens.slice(0, index).findLast((one) => /^[\p{L}\d]/u.test(one.text))?.text;
  return (
    isHouse || isAddressWord(word) || isAddressWord(next) || (next !== undefined && isName(next))
  );
}

function wordAfter(tokens: readonly Token[], index: number): string | undefined {
  const after = tokens[index + 1]?.text;
  return after && /^[\p{L}\d]/u.test(after) ? after : undefined;
}

function isName(word: string): boolean {
  const plain = normalise(word);
  return /^\p{Lu}/u.test(word) && !OTHER_WORD.test(plain) && unitOf(plain) === undefined;
}

function isAddressWord(word: string | undefined): boolean {
  return word !== undefined && !/\s/.test(word) && ADDRESS_WORD.test(normalise(word));
}

/** A full stop goes on only behind a short word: "ул. Ленина", "Rd. 5". */
function isJoining(mark: string, before: Token | undefined): boolean {
  if (/[,#№"«»()]/.test(mark)) return true;
  return (
    mark === "." && before !== undefined && before.text.length <= 4 && isAddressWord(before.text)
  );
}
