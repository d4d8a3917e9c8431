import { badRequest } from "./errors.ts";
import type { InlineButton, InlineKeyboard } from "./events.ts";
import { isRecord, type Params } from "./params.ts";

/** At most one of the two. */
export interface ReplyMarkup {
  /** The only markup that a Message shows and that can be edited. */
  inline?: InlineKeyboard;
  /** A reply keyboard, its removal, or a forced reply. */
  other?: Record<string, unknown>;
}

/** Checks `reply_markup` as the platform does. Throws TelegramError 400. */
export function readReplyMarkup(params: Params): ReplyMarkup {
  const value = params.json("reply_markup");
  if (value === undefined) return {};
  if (!isRecord(value)) throw badRequest("Object expected as reply markup");
  if (value.inline_keyboard !== undefined) return readInline(value.inline_keyboard);
  if (value.keyboard !== undefined) checkKeyboard(value.keyboard);
  const isOther = value.keyboard !== undefined || value.force_reply === true;
  if (isOther) checkPlaceholder(value);
  return isOther || value.remove_keyboard === true ? { other: value } : {};
}

/** Edits take inline keyboards alone. Throws TelegramError 400. */
export function readInlineKeyboard(params: Params): InlineKeyboard | undefined {
  const markup = readReplyMarkup(params);
  if (markup.other) throw badRequest("inline keyboard expected");
  return markup.inline;
}

/** Not documented; about what the platform took when it was tried. */
const MAX_BUTTONS = 100;
const MAX_CALLBACK_BYTES = 64;
const MAX_PLACEHOLDER = 64;

const ACTIONS = [
  "callback_data",
  "url",
  "web_app",
  "login_url",
  "switch_inline_query",
  "switch_inline_query_current_chat",
  "switch_inline_query_chosen_chat",
  "copy_text",
  "callback_game",
  "pay",
];

function readRows(value: unknown, field: string, type: string): unknown[][] {
  const rule = `Field "${field}" of the ${type} must be an Array`;
  if (!Array.isArray(value)) throw badRequest(rule);
  return value.map((row) => {
    if (!Array.isArray(row)) throw badRequest(`${rule} of Arrays`);
    return row;
  });
}

function checkInlineButton(value: unknown): InlineButton {
  const prefix = "can't parse inline keyboard button";
  if (!isRecord(value)) throw badRequest(`${prefix}: InlineKeyboardButton must be an Object`);
  const text = readButtonText(value, prefix);
  const actions = ACTIONS.filter((name) => value[name] !== undefined && value[name] !== "");
  if (actions.length === 0) {
    throw badRequest(`${prefix}: Text buttons are unallowed in the inline keyboard`);
  }
  const data = value.callback_data;
  if (data !== undefined && typeof data !== "string") {
    throw badRequest(`${prefix}: Field "callback_data" must be of type String`);
  }
  if (typeof data === "string" && Buffer.byteLength(data) > MAX_CALLBACK_BYTES) {
    throw badRequest("BUTTON_DATA_INVALID");
  }
  if (value.url !== undefined) checkButtonUrl(value.url, prefix);
  return { ...value, text };
}

function readButtonText(button: Record<string, unknown>, prefix: string): string {
  const { text } = button;
  if (text === undefined) throw badRequest(`${prefix}: Can't find field "text"`);
  if (typeof text !== "string") throw badRequest(`${prefix}: Field "text" must be of type String`);
  if (text.trim() === "") throw badRequest("REPLY_MARKUP_INVALID");
  return text;
}

function checkButtonUrl(url: unknown, prefix: string): void {
  if (typeof url !== "string") throw badRequest(`${prefix}: Field "url" must be of type String`);
  const invalid = (reason: string) =>
    badRequest(`inline keyboard button URL '${url}' is invalid: ${reason}`);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === "tg" || scheme === "ton") return;
  if (scheme !== undefined && !/^https?$/.test(scheme)) throw invalid("Unsupported URL protocol");
  const address = scheme === undefined ? `http://${url}` : url;
  // a host without a dot is no host of the public web
  if (!URL.canParse(address) || !/[.:]/.test(new URL(address).hostname)) {
    throw invalid("Wrong HTTP URL");
  }
}

function readInline(keyboard: unknown): ReplyMarkup {
  const rows = readRows(keyboard, "inline_keyboard", "InlineKeyboardMarkup");
  const inline = rows.map((row) => row.map(checkInlineButton)).filter((row) => row.length > 0);
  if (inline.flat().length > MAX_BUTTONS) throw badRequest("reply markup is too long");
  return inline.length === 0 ? {} : { inline: { inline_keyboard: inline } };
}

function checkKeyboard(keyboard: unknown): void {
  for (const row of readRows(keyboard, "keyboard", "ReplyKeyboardMarkup")) {
    for (const button of row) checkKeyboardButton(button);
  }
}

function checkKeyboardButton(value: unknown): void {
  if (typeof value === "string") return;
  const prefix = "can't parse keyboard button";
  if (!isRecord(value)) throw badRequest(`${prefix}: KeyboardButton must be an Object`);
  readButtonText(value, prefix);
}

function checkPlaceholder({ input_field_placeholder: placeholder }: Record<string, unknown>): void {
  if (placeholder === undefined) return;
  if (typeof placeholder !== "string" || [...placeholder].length > MAX_PLACEHOLDER) {
    throw badRequest("REPLY_MARKUP_INVALID");
  }
}
