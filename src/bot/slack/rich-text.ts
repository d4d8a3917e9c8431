import type { types } from "@slack/bolt";

type Element = types.RichTextElement;

/** A line of a block: in none of these does Slack read markup, mentions or codes of emoji. */
export type Line = types.RichTextSection;

/** Words as they were written, also several lines of them. */
export function words(text: string): types.RichTextText {
  return { type: "text", text };
}

export function boldWords(text: string): types.RichTextText {
  return { ...words(text), style: { bold: true } };
}

export function line(...elements: Element[]): Line {
  return { type: "rich_text_section", elements };
}

export function richText(lines: Line[]): types.RichTextBlock {
  return { type: "rich_text", elements: lines };
}

/** A whole message; web addresses in it can be clicked, unless somebody else's words must not be. */
export function wordsBlock(text: string, { links }: { links: boolean }): types.RichTextBlock {
  return richText([line(...(links ? linked(text) : [words(text)]))]);
}

const ADDRESS = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'»”])/u;

function linked(text: string): Element[] {
  return text
    .split(ADDRESS)
    .map((part, index): Element => (index % 2 === 0 ? words(part) : { type: "link", url: part }))
    .filter((element) => element.type !== "text" || element.text !== "");
}
