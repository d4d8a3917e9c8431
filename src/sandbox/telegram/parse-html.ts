import type { FormattedText } from "./clean-text.ts";
import { badRequest } from "./errors.ts";
import type { MessageEntity } from "./events.ts";

/** HTML as the Bot API takes it. Throws TelegramError 400 with the platform's own text. */
export function parseHtml(source: string): FormattedText {
  const parse: Parse = { source, at: 0, text: "", open: [], entities: [] };
  while (parse.at < source.length) {
    const char = source.charAt(parse.at);
    if (char === "<") readTag(parse);
    else if (char === "&") parse.text += readCharacterReference(parse);
    else {
      parse.text += char;
      parse.at += 1;
    }
  }
  const unclosed = parse.open.at(-1);
  if (unclosed) throw fail(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  return { text: parse.text, entities: parse.entities };
}

interface OpenTag {
  name: string;
  argument: string;
  offset: number;
}

interface Parse {
  source: string;
  at: number;
  text: string;
  open: OpenTag[];
  entities: MessageEntity[];
}

const ENTITY_TYPES: Record<string, string> = {
  a: "text_link",
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  u: "underline",
  ins: "underline",
  "tg-spoiler": "spoiler",
  span: "spoiler",
  "tg-emoji": "custom_emoji",
  "tg-time": "date_time",
  pre: "pre",
  code: "code",
  blockquote: "blockquote",
};

const NAMED_REFERENCES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

function readTag(parse: Parse): void {
  if (parse.source.charAt(parse.at + 1) === "/") readEndTag(parse);
  else readStartTag(parse);
}

function readStartTag(parse: Parse): void {
  const { source } = parse;
  const begin = parse.at;
  const where = `at byte offset ${byteOffset(source, begin)}`;
  const name = takeMatch(parse, 1, /[^\s>]*/y).toLowerCase();
  if (parse.at >= source.length) throw fail(`Unclosed start tag ${where}`);
  if (!Object.hasOwn(ENTITY_TYPES, name)) throw fail(`Unsupported start tag "${name}" ${where}`);
  let argument = "";
  for (;;) {
    takeMatch(parse, 0, /\s*/y);
    if (parse.at >= source.length) throw fail(`Unclosed start tag "${name}" ${where}`);
    if (source.charAt(parse.at) === ">") break;
    const attribute = readAttribute(parse, { name, where });
    argument = readArgument(name, attribute) ?? argument;
  }
  parse.at += 1;
  if (name === "span" && argument !== "spoiler") {
    throw fail(`Tag "span" must have class "tg-spoiler" ${where}`);
  }
  parse.open.push({ name, argument, offset: parse.text.length });
}

interface Attribute {
  name: string;
  value: string;
}

function readAttribute(parse: Parse, tag: { name: string; where: string }): Attribute {
  const { source } = parse;
  const name = takeMatch(parse, 0, /[^\s=>/"']*/y);
  if (name === "") throw fail(`Empty attribute name in the tag "${tag.name}" ${tag.where}`);
  takeMatch(parse, 0, /\s*/y);
  if (source.charAt(parse.at) !== "=") return { name, value: "" };
  takeMatch(parse, 1, /\s*/y);
  const quote = source.charAt(parse.at);
  if (quote !== '"' && quote !== "'") {
    const tokenAt = parse.at;
    const value = takeMatch(parse, 0, /[A-Za-z0-9.-]*/y).toLowerCase();
    if (!/[\s>]/.test(source.charAt(parse.at))) {
      throw fail(`Unexpected end of name token at byte offset ${byteOffset(source, tokenAt)}`);
    }
    return { name, value };
  }
  parse.at += 1;
  let value = "";
  while (parse.at < source.length && source.charAt(parse.at) !== quote) {
    value += readCharacterReference(parse);
  }
  if (parse.at >= source.length) throw fail(`Unclosed start tag ${tag.where}`);
  parse.at += 1;
  return { name, value };
}

function readArgument(tag: string, { name, value }: Attribute): string | undefined {
  if (tag === "a" && name === "href") return value;
  if (tag === "code" && name === "class" && value.startsWith("language-")) return value.slice(9);
  if (tag === "span" && name === "class" && value.startsWith("tg-")) return value.slice(3);
  if (tag === "tg-emoji" && name === "emoji-id") return value;
  if (tag === "blockquote" && name === "expandable") return "expandable";
  return undefined;
}

function readEndTag(parse: Parse): void {
  const { source } = parse;
  const where = `at byte offset ${byteOffset(source, parse.at)}`;
  const tag = parse.open.at(-1);
  if (!tag) throw fail(`Unexpected end tag ${where}`);
  const name = takeMatch(parse, 2, /[^\s>]*/y);
  takeMatch(parse, 0, /\s*/y);
  if (source.charAt(parse.at) !== ">") throw fail(`Unclosed end tag ${where}`);
  parse.at += 1;
  if (name !== "" && name.toLowerCase() !== tag.name) {
    throw fail(`Unmatched end tag ${where}, expected "</${tag.name}>", found "</${name}>"`);
  }
  parse.open.pop();
  const entity = toEntity(tag, parse.text);
  if (entity) addEntity(parse, tag, entity);
}

/** `<pre><code class="language-x">` is one entity of type pre with a language. */
function addEntity(parse: Parse, tag: OpenTag, entity: MessageEntity): void {
  const inner = parse.entities.at(-1);
  const same = inner?.offset === entity.offset && inner.length === entity.length;
  if (tag.name === "pre" && same && inner.type === "code") {
    parse.entities.pop();
    const language = inner.language;
    parse.entities.push(language ? { ...entity, language } : entity);
    return;
  }
  parse.entities.push(entity);
}

function toEntity(tag: OpenTag, text: string): MessageEntity | undefined {
  const { name, argument, offset } = tag;
  const length = text.length - offset;
  const type = ENTITY_TYPES[name];
  if (length === 0 || type === undefined) return undefined;
  const plain = { type, offset, length };
  if (name === "a") return toLink(plain, argument === "" ? text.slice(offset) : argument);
  if (name === "code" && argument !== "") return { ...plain, language: argument };
  if (name === "tg-emoji") return { ...plain, custom_emoji_id: argument };
  if (name === "blockquote" && argument !== "") return { ...plain, type: "expandable_blockquote" };
  return plain;
}

/** A link that is none is dropped in silence; `tg://user?id=` mentions a person. */
export function toLink(
  place: Pick<MessageEntity, "offset" | "length">,
  url: string,
): MessageEntity | undefined {
  const { offset, length } = place;
  const user = /^tg:\/\/user\?id=(\d+)$/.exec(url)?.[1];
  if (user) return { type: "text_mention", offset, length, user: { id: Number(user) } };
  const address = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`;
  if (!/^(https?|tg|ton|tonsite):/i.test(address) || !URL.canParse(address)) return undefined;
  if (/^http/i.test(address) && !/[.:]|localhost/.test(new URL(address).hostname)) return undefined;
  return { type: "text_link", offset, length, url: new URL(address).href };
}

/** Reads `&lt;`, `&#39;` and the like; anything else is the plain character. */
function readCharacterReference(parse: Parse): string {
  const rest = parse.source.slice(parse.at, parse.at + 12);
  const match = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot));?/i.exec(rest);
  const character = match && decodeReference(match);
  if (!match || !character) {
    parse.at += 1;
    return rest.charAt(0);
  }
  parse.at += match[0].length;
  return character;
}

function decodeReference(match: RegExpExecArray): string | undefined {
  if (match[3]) return NAMED_REFERENCES[match[3]];
  const code = match[1] ? Number(match[1]) : Number.parseInt(match[2] ?? "0", 16);
  return code === 0 || code >= 0x10ffff ? undefined : String.fromCodePoint(code);
}

/** Skips `skip` characters, then takes what the sticky pattern matches there. */
function takeMatch(parse: Parse, skip: number, pattern: RegExp): string {
  parse.at += skip;
  pattern.lastIndex = parse.at;
  const taken = pattern.exec(parse.source)?.[0] ?? "";
  parse.at += taken.length;
  return taken;
}

/** The platform counts bytes of UTF-8. */
export function byteOffset(source: string, at: number): number {
  return Buffer.byteLength(source.slice(0, at));
}

function fail(message: string) {
  return badRequest(`can't parse entities: ${message}`);
}
