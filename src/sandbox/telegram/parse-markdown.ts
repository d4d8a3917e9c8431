import type { FormattedText } from "./clean-text.ts";
import { badRequest } from "./errors.ts";
import type { MessageEntity } from "./events.ts";
import { byteOffset, toLink } from "./parse-html.ts";

/** The old Markdown mode: no nesting, few marks. Throws TelegramError 400. */
export function parseMarkdown(source: string): FormattedText {
  const parse: Parse = { source, at: 0, text: "", entities: [] };
  while (parse.at < source.length) {
    const char = source.charAt(parse.at);
    const escapes = char === "\\" && /[_*`[]/.test(source.charAt(parse.at + 1));
    if (escapes) parse.at += 1;
    else if (/[_*`[]/.test(char)) {
      readEntity(parse);
      continue;
    }
    parse.text += source.charAt(parse.at);
    parse.at += 1;
  }
  return { text: parse.text, entities: parse.entities };
}

interface Parse {
  source: string;
  at: number;
  text: string;
  entities: MessageEntity[];
}

function readEntity(parse: Parse): void {
  const { source, at: begin } = parse;
  FENCE.lastIndex = begin;
  const fence = FENCE.exec(source)?.[0];
  const mark = fence ?? source.charAt(begin);
  const ending = fence ? "```" : mark === "[" ? "]" : mark;
  const end = source.indexOf(ending, begin + mark.length);
  if (end < 0) {
    const at = byteOffset(source, begin);
    throw badRequest(
      `can't parse entities: Can't find end of the entity starting at byte offset ${at}`,
    );
  }
  const inner = source.slice(begin + mark.length, end);
  const place = { offset: parse.text.length, length: inner.length };
  parse.text += inner;
  parse.at = end + ending.length;
  const address = mark === "[" ? readAddress(parse) : undefined;
  const entity = makeEntity(mark, place, address ?? inner);
  if (entity && inner !== "") parse.entities.push(entity);
}

const FENCE = /```(?:[^\s`]+(?=\s))?(?:\r\n|\n\r|\n|\r)?/y;

function makeEntity(
  mark: string,
  place: Pick<MessageEntity, "offset" | "length">,
  address: string,
): MessageEntity | undefined {
  if (mark === "[") return toLink(place, address);
  if (mark === "_") return { type: "italic", ...place };
  if (mark === "*") return { type: "bold", ...place };
  if (mark === "`") return { type: "code", ...place };
  const language = mark.slice(3).trim();
  return language === "" ? { type: "pre", ...place } : { type: "pre", ...place, language };
}

function readAddress(parse: Parse): string | undefined {
  if (parse.source.charAt(parse.at) !== "(") return undefined;
  const end = parse.source.indexOf(")", parse.at);
  const close = end < 0 ? parse.source.length : end;
  const address = parse.source.slice(parse.at + 1, close);
  parse.at = close + 1;
  return address;
}
