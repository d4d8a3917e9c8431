import { isRecord } from "./schema.ts";
import type { Json, Message, SlackState } from "./state.ts";

/** What a person can press, found by its label. */
export interface Button {
  label: string;
  action_id: string;
  value?: string;
  block_id: string;
  /** The element as the bot sent it. */
  element: Json;
}

/**
 * All a person can read of a message: the fallback text too, where the blocks do not say it. Beside
 * structured text it says nothing new, and which characters are marks is known there alone.
 */
export function readMessage(state: SlackState, message: Message): string {
  const text = readMarkup(state, message.text);
  const blocks = message.blocks ?? [];
  const shown = readBlocks(state, blocks);
  if (blocks.some(isStructured)) return shown;
  if (shown === "" || squeeze(text).includes(squeeze(shown))) return text;
  return squeeze(shown).includes(squeeze(text)) ? shown : `${text}\n${shown}`;
}

/** What a person reads, a line for each block; mentions stand as names. */
export function readBlocks(state: SlackState, blocks: readonly Json[]): string {
  return blocks
    .map((block) => readNode(state, block))
    .filter((line) => line !== "")
    .join("\n");
}

/** Everyone a message calls: `!channel`, `!here`, `!everyone` and people. */
export function pingsOf(message: Message): string[] {
  const blocks = message.blocks ?? [];
  const marked = blocks.filter((block) => !isStructured(block));
  const source = `${message.text}\n${JSON.stringify(marked)}`;
  const calls = source.matchAll(/<([!@][A-Za-z0-9^]+)(?:\|[^>]*)?>/g);
  const named = blocks.filter(isStructured).flatMap(namedIn);
  return [...new Set([...[...calls].map((call) => call[1] ?? ""), ...named])];
}

function isStructured({ type }: Json): boolean {
  return type === "rich_text";
}

/** In structured text only elements of their own call anybody. */
function namedIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(namedIn);
  if (!isRecord(node)) return [];
  if (node.type === "user") return [`@${String(node.user_id)}`];
  if (node.type === "broadcast") return [`!${String(node.range)}`];
  return namedIn(node.elements);
}

/** In the order in which they stand. */
export function buttonsOf(blocks: readonly Json[]): Button[] {
  return blocks.flatMap((block) => {
    const elements = Array.isArray(block.elements) ? block.elements : [block.accessory];
    return elements
      .filter((element) => isRecord(element) && element.type === "button")
      .map((element: Json) => ({
        label: isRecord(element.text) ? String(element.text.text) : "",
        action_id: String(element.action_id),
        value: element.value === undefined ? undefined : String(element.value),
        block_id: String(block.block_id),
        element,
      }));
  });
}

/** Text parts of a block or element; buttons are listed apart. */
function readNode(state: SlackState, node: unknown): string {
  if (!isRecord(node)) return "";
  switch (node.type) {
    case "plain_text":
      return unescapeText(String(node.text));
    case "mrkdwn":
    case "markdown":
      return readMarkup(state, String(node.text));
    case "rich_text":
    case "rich_text_list":
    case "table":
      return readAll(state, [node.elements ?? node.rows], "\n");
    case "rich_text_section":
    case "rich_text_quote":
    case "rich_text_preformatted":
      return readAll(state, [node.elements], "");
    case "text":
      return String(node.text);
    case "link":
      return String(node.text ?? node.url);
    case "user":
      return personName(state, String(node.user_id));
    case "emoji":
      return `:${String(node.name)}:`;
    case "image":
      return readAll(state, [node.title], "\n") || String(node.alt_text ?? "");
    case "button":
      return "";
    case "actions":
      return "";
    case "input":
      return readAll(state, [node.label, node.hint], "\n");
    default:
      return readAll(state, [node.text, node.fields, node.elements], "\n");
  }
}

function readAll(state: SlackState, parts: unknown[], separator: string): string {
  return parts
    .flat(2)
    .map((part) => readNode(state, part))
    .filter((part) => part !== "")
    .join(separator);
}

/** Slack's markup as it looks: names, link texts, no marks of bold and code. */
export function readMarkup(state: SlackState, source: string): string {
  const linked = source.replace(/<([^<>\s][^<>]*)>/g, (_all, inner: string) => {
    const [target = "", label] = inner.split("|");
    if (label !== undefined && label !== "") return target.startsWith("#") ? `#${label}` : label;
    if (target.startsWith("@")) return personName(state, target.slice(1));
    if (target.startsWith("#")) return `#${state.channels.get(target.slice(1))?.name ?? target}`;
    return target.startsWith("!") ? `@${target.slice(1)}` : target.replace(/^mailto:/, "");
  });
  const unmarked = linked
    .replace(/```\n?([\s\S]*?)\n?```/g, "$1")
    .replace(/`([^`\n]+)`/g, "$1")
    .replace(/(?<![\p{L}\p{N}*])\*([^*\s](?:[^*\n]*[^*\s])?)\*(?![\p{L}\p{N}*])/gu, "$1")
    .replace(/(?<![\p{L}\p{N}_])_([^_\s](?:[^_\n]*[^_\s])?)_(?![\p{L}\p{N}_])/gu, "$1")
    .replace(/(?<![\p{L}\p{N}~])~([^~\s](?:[^~\n]*[^~\s])?)~(?![\p{L}\p{N}~])/gu, "$1");
  return unescapeText(unmarked);
}

function personName(state: SlackState, id: string): string {
  return `@${state.users.get(id)?.realName ?? id}`;
}

/** What a person types, as Slack hands it on: escaped, addresses as links, mentions kept. */
export function typedText(source: string): string {
  return source
    .split(/(<[@#!][^<>\s]+>|https?:\/\/[^\s<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)/)
    .map((part, i) => (i % 2 === 0 ? escapeText(part) : typedLink(part)))
    .join("");
}

function typedLink(part: string): string {
  if (part.startsWith("<")) return part;
  const [address = "", tail = ""] = [
    part.replace(/[.,;:!?)]+$/, ""),
    /[.,;:!?)]+$/.exec(part)?.[0],
  ];
  const link = escapeText(address);
  return `${address.startsWith("http") ? `<${link}>` : `<mailto:${link}|${link}>`}${tail}`;
}

/** Slack's three; the order matters, the ampersand comes first. */
export function escapeText(source: string): string {
  return source.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The opposite order, so that an escaped entity stays one. */
export function unescapeText(source: string): string {
  return source.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function squeeze(source: string): string {
  return source.replace(/\s+/g, " ").trim();
}
