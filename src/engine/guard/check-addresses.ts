import type { Check, GuardContext } from "./guard-context.ts";
import type { Finding } from "./guard-facts.ts";
import { foldCase } from "./reply-text.ts";

interface AddressPiece {
  text: string;
  street: string;
  number: string;
  start: number;
  end: number;
}

const KIND = "(?:Road|Rd|Street|St|Avenue|Ave|Lane|Soi|Boulevard|Blvd|Highway|Alley|Moo|Роуд|роуд)";
const NAME = "((?:\\p{Lu}[\\p{L}'’-]*\\s){1,3})";
const NUMBER = "(\\d{1,4}(?:[/-]\\d{1,4})*\\p{L}?)";
const FORMS: { find: RegExp; street: number; number: number }[] = [
  { find: new RegExp(`${NUMBER}[, ]{1,2}${NAME}${KIND}(?![\\p{L}])`, "gu"), street: 2, number: 1 },
  {
    find: new RegExp(
      `${NAME}${KIND}\\.?,?\\s(?:#|no\\.?\\s|д\\.?\\s?|дом\\s)?${NUMBER}(?![\\p{L}\\p{N}:])`,
      "gu",
    ),
    street: 1,
    number: 2,
  },
  { find: new RegExp(`(?<![\\p{L}])(Soi|сой|Сой|Moo)\\s${NUMBER}`, "gu"), street: 1, number: 2 },
  {
    find: new RegExp(
      `(?<![\\p{L}])(?:ул\\.?|улиц[аеуы]|пр\\.|проспект[еа]?|пер\\.|переулок|переулке|шоссе|наб\\.|набережная)\\s((?:\\p{Lu}[\\p{L}'’-]*[\\s,]{1,2}){1,3})(?:д\\.?\\s?|дом\\s)?${NUMBER}(?![\\p{L}\\p{N}:])`,
      "gu",
    ),
    street: 1,
    number: 2,
  },
];
const FLOOR =
  /(?<![\p{L}\p{N}])(?:(\d{1,2})(?:st|nd|rd|th|-?й|-?м|-?ом)?\s(?:этаж\p{L}*|floor)|(?:этаж|floor|офис|office|unit|кабинет|room)\s(?:#|no\.?\s)?(\d{1,4}))(?![\p{L}\p{N}])/giu;

/** Where the office is: street and number must stand together in one source. */
export const checkAddresses: Check = (context) => [
  ...findAddresses(context.text)
    .filter((piece) => !isBacked(context, piece))
    .map((piece) => finding(piece.text)),
  ...[...context.text.matchAll(FLOOR)]
    .filter((match) => !floorBacked(context, match[1] ?? match[2] ?? ""))
    .map((match) => finding(match[0])),
];

export function addressSpans(text: string): { start: number; end: number }[] {
  const floors = [...text.matchAll(FLOOR)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  return [...findAddresses(text), ...floors];
}

function findAddresses(text: string): AddressPiece[] {
  return FORMS.flatMap(({ find, street, number }) =>
    [...text.matchAll(find)].map((match) => ({
      text: match[0],
      street: foldCase((match[street] ?? "").replace(/[\s,]+$/u, "")),
      number: (match[number] ?? "").toLowerCase(),
      start: match.index,
      end: match.index + match[0].length,
    })),
  );
}

function isBacked(context: GuardContext, piece: AddressPiece): boolean {
  const streets = piece.street.split(" ").filter((word) => word !== "");
  return trusted(context).some((text) => {
    const folded = foldCase(text);
    const lastWord = streets.at(-1) ?? "";
    const foreign = !/[a-z]/u.test(folded) !== !/[a-z]/u.test(lastWord);
    return (foreign || folded.includes(lastWord)) && numbersOf(folded).includes(piece.number);
  });
}

function floorBacked(context: GuardContext, number: string): boolean {
  return trusted(context).some(
    (text) =>
      /этаж|floor|офис|office|unit|room|кабинет/iu.test(text) && numbersOf(text).includes(number),
  );
}

function trusted(context: GuardContext): string[] {
  const { tools, requisites, evidence } = context.sources;
  return [...tools.texts, ...requisites.texts, ...evidence.texts];
}

function numbersOf(text: string): string[] {
  return (
    text
      .match(/\d+(?:[/-]\d+)*\p{L}?/gu)
      ?.map((one) => one.toLowerCase().replace(/(?:st|nd|rd|th|[snrtйм])$/u, "")) ?? []
  );
}

function finding(text: string): Finding {
  return {
    kind: "address",
    text: text.trim(),
    rule: "unbacked_address",
    hint: "Give the address exactly as the tool or the passage has it.",
  };
}
