/** The three characters that Slack reads as markup; escaped, no text can mention or link. */
export function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** What one character takes after escaping, for limits that count the escaped text. */
export function escapedCost(char: string): number {
  if (char === "&") return 5;
  return char === "<" || char === ">" ? 4 : char.length;
}

/** What a person typed, from what Slack delivers: links and mentions as they are read. */
export function unescapeSlack(text: string): string {
  return text
    .replace(/<([^<>]+)>/g, (_, inner: string) => readable(inner))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function readable(inner: string): string {
  const [target = "", label] = inner.split("|");
  if (target.startsWith("@")) return `@${label ?? target.slice(1)}`;
  if (target.startsWith("#")) return `#${label ?? target.slice(1)}`;
  if (target.startsWith("!")) return `@${label?.replace(/^@/, "") ?? target.slice(1)}`;
  const address = target.replace(/^mailto:|^tel:/, "");
  // "example.com" is delivered as <http://example.com|example.com>
  return label === undefined || target.endsWith(label)
    ? (label ?? address)
    : `${label} (${address})`;
}
