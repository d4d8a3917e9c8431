import type { types } from "@slack/bolt";
import type { FormRequest } from "../../domain/desk.ts";
import type { Card, CardButton } from "../../domain/messenger.ts";
import { plainLine, QUOTE_LIMIT } from "../plain-line.ts";
import { splitText } from "../split-text.ts";
import { escapedCost, escapeSlack } from "./escape.ts";
import type { ModalOrigin } from "./payloads.ts";
import { boldWords, type Line, line, richText, words } from "./rich-text.ts";

type Block = types.KnownBlock;

const HEADER_LIMIT = 150;
/** Slack's own for a section; for these blocks it names none. */
const BLOCK_LIMIT = 3000;
const CONTEXT_LIMIT = 2000;
const BUTTONS = 25;
const BUTTON_TEXT_LIMIT = 75;
/** Of the escaped text: chat.update refuses more; the rest of a long text fallback stands in the blocks. */
export const TEXT_LIMIT = 3900;

/** Blocks stay within Slack's limits by being cut, facts by being split over several. */
export interface RenderedCard {
  blocks: Block[];
  /** For notifications, and for clients without blocks. */
  text: string;
}

/**
 * Values and words of others stand as they are: none becomes a link, a mention, markup or an emoji. A
 * decided card has no buttons.
 */
export function renderCard(card: Card): RenderedCard {
  const blocks = [
    headerOf(card.title),
    ...factBlocks(card.facts),
    ...quoteBlocks(card.clientSays),
    ...outcomeBlocks(card.outcome),
    ...footerBlocks(card.footer),
    ...(card.outcome === undefined ? buttonBlocks(card.buttons) : []),
  ];
  return { blocks, text: fallbackOf(card) };
}

/** The modal for a form; what it was opened for travels with it. */
export function renderModal(form: FormRequest, origin: ModalOrigin): types.ModalView {
  return {
    type: "modal",
    callback_id: form.form,
    private_metadata: JSON.stringify(origin),
    title: plain(plainLine(form.title, 24)),
    submit: plain(plainLine(form.submitLabel, 24)),
    blocks: form.fields.map((field) => ({
      type: "input",
      block_id: field.name,
      optional: field.optional,
      label: plain(plainLine(field.label, 2000)),
      element: {
        type: "plain_text_input",
        action_id: "value",
        multiline: field.multiline,
        max_length: Math.min(field.maxLength, 3000),
        ...(field.initial ? { initial_value: field.initial } : {}),
      },
    })),
  };
}

function headerOf(title: string): Block {
  return { type: "header", text: plain(plainLine(title, HEADER_LIMIT)) };
}

/** Each on a line of its own, its label in bold; a block is filled up to Slack's length of a text. */
function factBlocks(facts: Card["facts"]): Block[] {
  const blocks: Block[] = [];
  let lines: Line[] = [];
  let length = 0;
  const flush = () => {
    if (lines.length > 0) blocks.push(richText(lines));
    lines = [];
    length = 0;
  };
  for (const fact of facts) {
    const label = `${plainLine(fact.label, 100)}: `;
    const value = plainLine(fact.value) || "—";
    const pieces = splitText(value, BLOCK_LIMIT - label.length, (char) => char.length);
    for (const [index, piece] of pieces.entries()) {
      if (length + label.length + piece.length > BLOCK_LIMIT) flush();
      lines.push(index === 0 ? line(boldWords(label), words(piece)) : line(words(piece)));
      length += label.length + piece.length;
    }
  }
  flush();
  return blocks;
}

function quoteBlocks(quote: Card["clientSays"]): Block[] {
  if (!quote) return [];
  const label = boldWords(`${plainLine(quote.label, 100)}: `);
  const said = plainLine(quote.text, QUOTE_LIMIT);
  return [richText([said === "" ? line(label) : line(label, words(said))])];
}

function outcomeBlocks(outcome: string | undefined): Block[] {
  if (outcome === undefined) return [];
  return [richText([line(boldWords(plainLine(outcome, 500) || "—"))])];
}

function footerBlocks(footer: string[]): Block[] {
  const text = plainLine(footer.map((line) => plainLine(line)).join(" · "), CONTEXT_LIMIT);
  if (text === "") return [];
  return [{ type: "context", elements: [{ type: "plain_text", text, emoji: false }] }];
}

/**
 * The same action several times in a card gets a `#n`, which the reader of clicks takes off again.
 */
export function buttonBlocks(buttons: readonly CardButton[]): Block[] {
  const seen = new Map<string, number>();
  const elements = buttons.map((button): types.Button => {
    const times = (seen.get(button.action) ?? 0) + 1;
    seen.set(button.action, times);
    return {
      type: "button",
      // unique in its block
      action_id: times === 1 ? button.action : `${button.action}#${times}`,
      value: button.value,
      text: plain(plainLine(button.label, BUTTON_TEXT_LIMIT)),
      ...(button.style ? { style: button.style } : {}),
    };
  });
  const blocks: Block[] = [];
  for (let at = 0; at < elements.length; at += BUTTONS)
    blocks.push({ type: "actions", elements: elements.slice(at, at + BUTTONS) });
  return blocks;
}

function fallbackOf(card: Card): string {
  const lines = [
    plainLine(card.title),
    ...(card.outcome === undefined ? [] : [plainLine(card.outcome)]),
    ...card.facts.map((fact) => `${plainLine(fact.label)}: ${plainLine(fact.value)}`),
  ];
  const [first = ""] = splitText(lines.join("\n"), TEXT_LIMIT, escapedCost);
  return escapeSlack(first);
}

function plain(text: string): types.PlainTextElement {
  return { type: "plain_text", text: text || "—", emoji: false };
}
