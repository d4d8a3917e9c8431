/**
 * Controls, bidi marks and characters that nobody sees: with them a name can look like a row of
 * the card, or a text like another one.
 */
const UNSEEN =
  /\u{034F}|\u{17B4}|\u{17B5}|\u{180B}|\u{180C}|\u{180D}|\u{180F}|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}]/gu;

/** One line of plain text for a card; cut with … after `limit` characters when that is given. */
export function plainLine(text: string, limit = Number.POSITIVE_INFINITY): string {
  const line = text
    .replace(/[\r\n\t\u2028\u2029]+/g, " ")
    .replace(UNSEEN, "")
    .replace(/\s+/g, " ")
    .trim();
  const chars = Array.from(line);
  return chars.length > limit ? `${chars.slice(0, limit - 1).join("")}…` : line;
}

/** The same for a text of several lines. */
export function plainText(text: string): string {
  return text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replace(/\t/g, " ").replace(UNSEEN, "").trimEnd())
    .join("\n");
}

/** False when a person would see nothing. */
export function isVisible(text: string): boolean {
  return text.replace(UNSEEN, "").trim() !== "";
}

/** "Client says" is a quotation: enough to recognise it, not enough to push the facts away. */
export const QUOTE_LIMIT = 500;
