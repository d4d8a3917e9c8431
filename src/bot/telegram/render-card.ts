import type { Card, CardButton } from "../../domain/messenger.ts";
import { plainLine, QUOTE_LIMIT } from "../plain-line.ts";
import { splitText } from "../split-text.ts";
import type { InlineKeyboardMarkup } from "./api-types.ts";

/** Code points after the entities are parsed. */
export const MESSAGE_LIMIT = 4096;
const CALLBACK_BYTES = 64;

/** Each within Telegram's length of a message. */
export interface CardPart {
  html: string;
  /** The same without markup, should Telegram refuse the markup. */
  plain: string;
}

/** `keyboard` is empty on a decided card, which takes the buttons off. */
export interface RenderedCard {
  /** More than one only when the facts do not fit; the buttons stand below the last. */
  parts: CardPart[];
  keyboard: InlineKeyboardMarkup;
}

/** Throws RangeError when a button's data is longer than Telegram takes. */
export function renderCard(card: Card): RenderedCard {
  return { parts: pack(linesOf(card)), keyboard: keyboardOf(card) };
}

/** Enough for text between tags; attributes are never made of others' words. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function linesOf(card: Card): CardPart[] {
  const blank = { html: "", plain: "" };
  const lines = [tagged("b", plainLine(card.title)), blank];
  for (const fact of card.facts) lines.push(...factLines(fact));
  if (card.clientSays) {
    const label = plainLine(card.clientSays.label);
    // inside <code> Telegram makes no links, mentions or hashtags
    const quote = tagged("code", plainLine(card.clientSays.text, QUOTE_LIMIT));
    lines.push(blank, {
      html: `<b>${escapeHtml(label)}:</b> ${quote.html}`,
      plain: `${label}: ${quote.plain}`,
    });
  }
  if (card.footer.length > 0)
    lines.push(blank, tagged("i", card.footer.map((line) => plainLine(line)).join(" · ")));
  if (card.outcome) lines.push(blank, tagged("b", plainLine(card.outcome)));
  return lines;
}

function factLines(fact: Card["facts"][number]): CardPart[] {
  const label = plainLine(fact.label);
  const pieces = splitText(plainLine(fact.value), MESSAGE_LIMIT - label.length - 100);
  return (pieces.length > 0 ? pieces : ["—"]).map((piece, index) => {
    const value = valueHtml(piece);
    if (index > 0) return { html: value, plain: piece };
    return { html: `<b>${escapeHtml(label)}:</b> ${value}`, plain: `${label}: ${piece}` };
  });
}

/** A value that Telegram could turn into a link or a mention stays plain, and is copied by a tap. */
function valueHtml(value: string): string {
  const linkable = /[@#/$]|\p{L}\.\p{L}/u.test(value);
  return linkable ? `<code>${escapeHtml(value)}</code>` : escapeHtml(value);
}

function tagged(tag: "b" | "i" | "code", text: string): CardPart {
  return text === ""
    ? { html: "", plain: "" }
    : { html: `<${tag}>${escapeHtml(text)}</${tag}>`, plain: text };
}

/** Whole lines into as few messages as possible; a line is never longer than a message. */
function pack(lines: CardPart[]): CardPart[] {
  const parts: CardPart[][] = [[]];
  let length = 0;
  for (const line of lines) {
    const size = Array.from(line.plain).length + 1;
    if (length + size > MESSAGE_LIMIT) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(line);
    length += size;
  }
  return parts.map((part) => ({
    html: part
      .map((line) => line.html)
      .join("\n")
      .trim(),
    plain: part
      .map((line) => line.plain)
      .join("\n")
      .trim(),
  }));
}

function keyboardOf(card: Card): InlineKeyboardMarkup {
  return inlineKeyboard(card.outcome === undefined ? card.buttons : [], card.columns);
}

/** Throws RangeError like `renderCard`. */
export function inlineKeyboard(buttons: readonly CardButton[], columns = 2): InlineKeyboardMarkup {
  const rows: CardButton[][] = [];
  for (let at = 0; at < buttons.length; at += columns) rows.push(buttons.slice(at, at + columns));
  return { inline_keyboard: rows.map((row) => row.map(buttonOf)) };
}

function buttonOf({ label, action, value, style }: CardButton) {
  const data = `${action}:${value}`;
  if (Buffer.byteLength(data) > CALLBACK_BYTES)
    throw new RangeError(`the button ${action} carries more than ${CALLBACK_BYTES} bytes`);
  return { text: plainLine(label), callback_data: data, ...(style ? { style } : {}) };
}
