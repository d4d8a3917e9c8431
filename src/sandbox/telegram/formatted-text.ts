import { z } from "zod";
import { cleanText, countCodePoints, type FormattedText, isInvisible } from "./clean-text.ts";
import { badRequest } from "./errors.ts";
import { findEntities, mergeEntities } from "./find-entities.ts";
import type { Params } from "./params.ts";
import { parseHtml } from "./parse-html.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { parseMarkdownV2 } from "./parse-markdown-v2.ts";

const MAX_RAW_BYTES = 32_768;
const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;

/** The text of a message as the platform would store it. Throws TelegramError 400. */
export function readMessageText(params: Params): FormattedText {
  const raw = params.text("text") ?? "";
  if (raw === "") throw badRequest("message text is empty");
  const formatted = readFormatted(params, raw, "entities");
  if (isInvisible(formatted.text)) throw badRequest("text must be non-empty");
  if (countCodePoints(formatted.text) > MAX_TEXT) throw badRequest("message is too long");
  return formatted;
}

/** The caption of a photo or file; undefined when there is none. Throws TelegramError 400. */
export function readCaption(params: Params): FormattedText | undefined {
  const raw = params.text("caption") ?? "";
  if (raw === "") return undefined;
  const formatted = readFormatted(params, raw, "caption_entities");
  if (countCodePoints(formatted.text) > MAX_CAPTION) {
    throw badRequest("message caption is too long");
  }
  return isInvisible(formatted.text) ? undefined : formatted;
}

function readFormatted(params: Params, raw: string, entitiesField: string): FormattedText {
  if (Buffer.byteLength(raw) > MAX_RAW_BYTES) throw badRequest("text is too long");
  const parsed = parseMode(params, raw, entitiesField);
  const clean = cleanText(parsed);
  return { text: clean.text, entities: mergeEntities(clean.entities, findEntities(clean.text)) };
}

function parseMode(params: Params, raw: string, entitiesField: string): FormattedText {
  const mode = (params.text("parse_mode") ?? "").toLowerCase();
  switch (mode) {
    case "":
    case "none":
      return { text: raw, entities: readEntities(params, entitiesField) };
    case "html":
      return parseHtml(raw);
    case "markdown":
      return parseMarkdown(raw);
    case "markdownv2":
      return parseMarkdownV2(raw);
    default:
      throw badRequest("unsupported parse_mode");
  }
}

const entitiesSchema = z.array(
  z.object({
    type: z.string(),
    offset: z.int().min(0),
    length: z.int(),
    url: z.string().optional(),
    language: z.string().optional(),
    custom_emoji_id: z.string().optional(),
    user: z.object({ id: z.int() }).optional(),
  }),
);

function readEntities(params: Params, field: string): FormattedText["entities"] {
  const value = params.json(field);
  if (value === undefined) return [];
  const result = entitiesSchema.safeParse(value);
  if (!result.success) throw badRequest("can't parse entities JSON object");
  return result.data.filter(({ length }) => length > 0);
}
