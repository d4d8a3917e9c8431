import type { Json, JsonObject } from "../domain/json.ts";
import type { AnyTool } from "./contract.ts";
import { PLAIN_PHRASES, ROLE_LABELS, ROLE_TAGS, TOOL_CALLS } from "./injection-phrases.ts";
import type { ArgumentError } from "./parse-arguments.ts";

/** `words`: what people write to people, also queries; `data`: fields of tools that change something. */
export type TextUse = "words" | "data";
/**
 * What a text does to speak to a machine; a model is told it so that it writes plain facts instead.
 */
export type InjectionKind = "hidden_text" | "role_tag" | "tool_call" | "order_to_the_machine";

/** Texts among the arguments that speak to a model or to the backend instead of telling a fact. */
export function findInjections(
  tool: Pick<AnyTool, "risk" | "prose">,
  args: JsonObject,
): ArgumentError[] {
  const found: ArgumentError[] = [];
  for (const [name, value] of Object.entries(args)) {
    const isWords = tool.risk === "read_only" || tool.prose?.includes(name);
    collect(value, { path: name, use: isWords ? "words" : "data", found });
  }
  return found;
}

interface Place {
  path: string;
  use: TextUse;
  found: ArgumentError[];
}

function collect(value: Json, place: Place): void {
  if (typeof value === "string") {
    const kind = injectionIn(value, place.use);
    if (kind) place.found.push(asError(place.path, kind));
  }
  if (value === null || typeof value !== "object") return;
  for (const [key, part] of Object.entries(value)) {
    const inKey = injectionIn(key, "data");
    if (inKey) place.found.push(asError(place.path, inKey));
    collect(part, { ...place, path: `${place.path}.${key}` });
  }
}

function asError(path: string, kind: InjectionKind): ArgumentError {
  return { path: path.slice(0, 200), rule: "prompt_injection", message: MESSAGES[kind] };
}

const MESSAGES: Record<InjectionKind, string> = {
  hidden_text: "holds hidden characters; write it again in plain letters",
  role_tag: "holds marks of a conversation's roles; write only what the client said",
  tool_call: "holds a call of a tool; write only what the client said",
  order_to_the_machine: "gives orders to the system; write only facts of the client",
};

/** The first sign of a text that speaks to the machine; null when there is none. */
export function injectionIn(text: string, use: TextUse): InjectionKind | null {
  if (hidesText(text, use)) return "hidden_text";
  for (const shown of asRead(text)) {
    if (ROLE_TAGS.some((pattern) => pattern.test(shown))) return "role_tag";
    if (TOOL_CALLS.some((pattern) => pattern.test(shown))) return "tool_call";
    if (use === "data" && ROLE_LABELS.some((pattern) => pattern.test(shown))) return "role_tag";
    if (givesOrders(shown, use)) return "order_to_the_machine";
  }
  return null;
}

/**
 * Characters that change what is seen: overrides of direction, letters in tags, long runs of nothing.
 * Single marks come with copied phone numbers and with Thai, Arabic or emoji, and stay.
 */
function hidesText(text: string, use: TextUse): boolean {
  if (OVERRIDE.test(text) || INVISIBLE_RUN.test(text)) return true;
  if (TAG_LETTERS.test(text.replace(FLAGS, ""))) return true;
  return use === "data" && INSIDE_WORD.test(text);
}

const OVERRIDE = /[\u202d\u202e]/u;
const INVISIBLE_RUN =
  /[\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff]{6}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4}/u;
const TAG_LETTERS = /[\u{e0000}-\u{e007f}]/u;
/** England, Scotland, Wales: a black flag, letters in tags, an end. */
const FLAGS = /\u{1f3f4}[\u{e0061}-\u{e007a}]{2,6}\u{e007f}/gu;
const INSIDE_WORD =
  /[\p{sc=Latin}\p{sc=Cyrillic}][\u200b-\u200d\u2060-\u2064\ufeff]+[\p{sc=Latin}\p{sc=Cyrillic}]/u;

/** The text as a model reads it; words of mixed alphabets once in each. */
export function asRead(text: string): string[] {
  const shown = text.normalize("NFKC").replace(UNSEEN, "");
  const latin = shown.replace(WORD, (word) => inOneAlphabet(word, CYRILLIC_AS_LATIN));
  const cyrillic = shown.replace(WORD, (word) => inOneAlphabet(word, LATIN_AS_CYRILLIC));
  return [...new Set([shown, latin, cyrillic])];
}

const UNSEEN = /\p{Cf}|\p{Variation_Selector}|\u034f/gu;
const WORD = /[\p{L}\p{M}]+/gu;

function inOneAlphabet(word: string, alike: ReadonlyMap<string, string>): string {
  if (!/\p{sc=Latin}/u.test(word) || !/\p{sc=Cyrillic}/u.test(word)) return word;
  return [...word].map((letter) => alike.get(letter.toLowerCase()) ?? letter).join("");
}

const ALIKE: readonly (readonly [string, string])[] = [
  ["а", "a"],
  ["в", "b"],
  ["е", "e"],
  ["і", "i"],
  ["ј", "j"],
  ["к", "k"],
  ["м", "m"],
  ["н", "h"],
  ["о", "o"],
  ["р", "p"],
  ["с", "c"],
  ["ѕ", "s"],
  ["т", "t"],
  ["у", "y"],
  ["х", "x"],
];
const CYRILLIC_AS_LATIN = new Map(ALIKE);
const LATIN_AS_CYRILLIC = new Map(ALIKE.map(([cyrillic, latin]) => [latin, cyrillic]));

function givesOrders(shown: string, use: TextUse): boolean {
  const words = shown.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");
  const says = (phrases: readonly RegExp[]) => phrases.some((phrase) => phrase.test(words));
  if (says(PLAIN_PHRASES.always) || spellsOrders(words)) return true;
  return use === "data" && says(PLAIN_PHRASES.data);
}

/** Letters one by one, as in "i g n o r e": nobody writes a sentence so. */
function spellsOrders(words: string): boolean {
  if (!/(?:(?:^| )\p{L}(?= )){8}/u.test(words)) return false;
  return /(?:ignore|disregard|forget)(?:all)?(?:the|your)?(?:previous|prior|above|system)?(?:instructions|rules|prompt)|(?:игнорируй|забудь)(?:те)?(?:все)?(?:твои|свои|ваши)?(?:предыдущие|прошлые|системные)?(?:инструкции|указания|правила|промпт)/u.test(
    words.replaceAll(" ", ""),
  );
}
