import type { types } from "@slack/bolt";
import type { FormRequest } from "../../domain/desk.ts";
import type { Card, CardButton } from "../../domain/messenger.ts";
import { plainLine, QUOTE_LIMIT } from "../plain-line.ts";
import { splitText } from "../split-text.ts";
import { escapedCost, escapeSlack } from "./escape.ts";
import type { ModalOrigin } from "./payloads.ts";

type Block = types.KnownBlock;

/** Slack's limits count the escaped text. */
const HEADER_LIMIT = 150;
const SECTION_LIMIT = 3000;
const FIELD_LIMIT = 300;
const FIELDS = 10;
const CONTEXT_LIMIT = 2000;
const BUTTONS = 25;
const BUTTON_TEXT_LIMIT = 75;
/** chat.update refuses more; the rest of a long text fallback stands in the blocks. */
export const TEXT_LIMIT = 3900;

/** Blocks stay within Slack's limits by being cut, facts by being split over several. */
export interface RenderedCard {
  blocks: Block[];
  /** For notifications, and for clients without blocks. */
  text: string;
}

/**
 * All words of others are escaped: none becomes a link, a mention or markup. A decided card has no
 * buttons.
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

/** Short facts side by side in rows, long ones in sections of their own; the order is kept. */
function factBlocks(facts: Card["facts"]): Block[] {
  const blocks: Block[] = [];
  let row: types.MrkdwnElement[] = [];
  const flush = () => {
    if (row.length > 0) blocks.push({ type: "section", fields: row });
    row = [];
  };
  for (const fact of facts) {
    const label = escapeSlack(plainLine(fact.label, 100));
    const value = plainLine(fact.value) || "—";
    const field = `*${label}*\n${escapeSlack(value)}`;
    if (field.length <= FIELD_LIMIT) {
      if (row.length === FIELDS) flush();
      row.push(markup(field));
      continue;
    }
    flush();
    const pieces = splitText(value, SECTION_LIMIT - label.length - 10, escapedCost);
    for (const [index, piece] of pieces.entries())
      blocks.push({
        type: "section",
        text: markup((index === 0 ? `*${label}*\n` : "") + escapeSlack(piece)),
      });
  }
  flush();
  return blocks;
}

/** Plain text: no links, no mentions, no formatting. */
function quoteBlocks(quote: Card["clientSays"]): Block[] {
  if (!quote) return [];
  const text = `${plainLine(quote.label, 100)}: ${plainLine(quote.text, QUOTE_LIMIT)}`;
  return [{ type: "section", text: { type: "plain_text", text, emoji: false } }];
}

function outcomeBlocks(outcome: string | undefined): Block[] {
  if (outcome === undefined) return [];
  const text = escapeSlack(plainLine(outcome, 500));
  return [{ type: "section", text: markup(`*${text}*`) }];
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
  return { type: "plain_text", text: text || "—", emoji: true };
}

/** `verbatim`: Slack makes no links of names and addresses by itself. */
function markup(text: string): types.MrkdwnElement {
  return { type: "mrkdwn", text, verbatim: true };
}
