import type { FormattedText } from "./clean-text.ts";
import { badRequest } from "./errors.ts";
import type { MessageEntity } from "./events.ts";
import { byteOffset, toLink } from "./parse-html.ts";

/** MarkdownV2 as the Bot API takes it. Throws TelegramError 400 with the platform's own text. */
export function parseMarkdownV2(source: string): FormattedText {
  const parse: Parse = { source, at: 0, text: "", open: [], entities: [] };
  while (parse.at < source.length) step(parse);
  // a quote may end with the text itself
  if (parse.open.at(-1)?.kind === "BlockQuote") closeEntity(parse, "");
  const unclosed = parse.open.at(-1);
  if (unclosed) {
    const at = byteOffset(source, unclosed.begin);
    throw fail(`Can't find end of ${unclosed.kind} entity at byte offset ${at}`);
  }
  return { text: parse.text, entities: parse.entities };
}

type Kind = keyof typeof TYPES;

interface OpenEntity {
  kind: Kind;
  argument: string;
  offset: number;
  begin: number;
}

interface Parse {
  source: string;
  at: number;
  text: string;
  open: OpenEntity[];
  entities: MessageEntity[];
}

/** The kinds as the platform names them in its errors. */
const TYPES = {
  Bold: "bold",
  Italic: "italic",
  Underline: "underline",
  Strikethrough: "strikethrough",
  Spoiler: "spoiler",
  Code: "code",
  Pre: "pre",
  PreCode: "pre",
  TextUrl: "text_link",
  CustomEmoji: "custom_emoji",
  BlockQuote: "blockquote",
} as const;

const RESERVED = "_*[]()~`>#+-=|{}.!\n";

const ENDINGS: Record<Kind, RegExp> = {
  Bold: /\*/y,
  Italic: /_(?!_)/y,
  Underline: /__/y,
  Strikethrough: /~/y,
  Spoiler: /\|\|/y,
  Code: /`/y,
  Pre: /```/y,
  PreCode: /```/y,
  TextUrl: /\]/y,
  CustomEmoji: /\]/y,
  BlockQuote: /\n(?!>)/y,
};

const STARTS: readonly (readonly [string, Kind])[] = [
  ["__", "Underline"],
  ["_", "Italic"],
  ["*", "Bold"],
  ["~", "Strikethrough"],
  ["||", "Spoiler"],
  ["![", "CustomEmoji"],
  ["[", "TextUrl"],
  ["`", "Code"],
];

function step(parse: Parse): void {
  const { source } = parse;
  const char = source.charAt(parse.at);
  const escaped = source.charCodeAt(parse.at + 1);
  if (char === "\\" && escaped > 0 && escaped <= 126) {
    parse.text += source.charAt(parse.at + 1);
    parse.at += 2;
    return;
  }
  const innermost = parse.open.at(-1);
  const inCode = innermost !== undefined && /^(Code|Pre|PreCode)$/.test(innermost.kind);
  const isReserved = (inCode ? "`" : RESERVED).includes(char);
  const ending = innermost && matchAt(source, parse.at, ENDINGS[innermost.kind]);
  if (isReserved && ending) closeEntity(parse, ending);
  else if (!isReserved || inCode || char === "\n") pushCharacter(parse, char);
  else openEntity(parse, char);
}

function pushCharacter(parse: Parse, char: string): void {
  parse.text += char;
  parse.at += 1;
}

function openEntity(parse: Parse, char: string): void {
  const { source, at: begin } = parse;
  const fence = matchAt(source, begin, FENCE);
  const startsLine = begin === 0 || source.charAt(begin - 1) === "\n";
  if (fence) openPre(parse, fence);
  else if (char === ">" && startsLine) openQuote(parse);
  else openSimple(parse, char);
}

function openSimple(parse: Parse, char: string): void {
  const { source, at: begin } = parse;
  const start = STARTS.find(([mark]) => source.startsWith(mark, begin));
  if (!start)
    throw fail(`Character '${char}' is reserved and must be escaped with the preceding '\\'`);
  const [mark, kind] = start;
  parse.at += mark.length;
  parse.open.push({ kind, argument: "", offset: parse.text.length, begin });
}

const FENCE = /```(?:[^\s`]+(?=\s))?(?:\r\n|\n\r|\n|\r)?/y;

function openPre(parse: Parse, fence: string): void {
  const language = fence.slice(3).trim();
  const kind = language === "" ? "Pre" : "PreCode";
  const begin = parse.at;
  parse.at += fence.length;
  parse.open.push({ kind, argument: language, offset: parse.text.length, begin });
}

/** Further lines of one quote repeat the mark. */
function openQuote(parse: Parse): void {
  const begin = parse.at;
  parse.at += 1;
  if (parse.open.some(({ kind }) => kind === "BlockQuote")) return;
  parse.open.push({ kind: "BlockQuote", argument: "", offset: parse.text.length, begin });
}

function closeEntity(parse: Parse, ending: string): void {
  const entity = parse.open.pop();
  if (!entity) return;
  const { kind, offset } = entity;
  const place = { offset, length: parse.text.length - offset };
  // the line's end belongs to the text after the quote
  if (kind === "BlockQuote") parse.text += ending;
  parse.at += ending.length;
  const address = kind === "TextUrl" || kind === "CustomEmoji" ? readAddress(parse) : undefined;
  if (place.length === 0) return;
  const made = makeEntity(entity, place, address ?? parse.text.slice(offset));
  if (made) parse.entities.push(made);
}

function makeEntity(
  { kind, argument }: OpenEntity,
  place: Pick<MessageEntity, "offset" | "length">,
  address: string,
): MessageEntity | undefined {
  if (kind === "TextUrl") return toLink(place, address);
  const plain = { type: TYPES[kind], ...place };
  if (kind === "PreCode") return { ...plain, language: argument };
  if (kind !== "CustomEmoji") return plain;
  const emoji = /^tg:\/\/emoji\?id=(\d+)$/.exec(address)?.[1];
  return emoji ? { ...plain, custom_emoji_id: emoji } : undefined;
}

/** The `(…)` after `[…]`; without one the text is the address. */
function readAddress(parse: Parse): string | undefined {
  const { source } = parse;
  if (source.charAt(parse.at) !== "(") return undefined;
  const begin = parse.at + 1;
  const match = matchAt(source, begin, /(?:\\[ -~]|[^)\\]|\\(?![ -~]))*\)/y);
  if (match === undefined) {
    throw fail(`Can't find end of a URL at byte offset ${byteOffset(source, begin)}`);
  }
  parse.at = begin + match.length;
  return match.slice(0, -1).replace(/\\([ -~])/g, "$1");
}

function matchAt(source: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function fail(message: string) {
  return badRequest(`can't parse entities: ${message}`);
}
