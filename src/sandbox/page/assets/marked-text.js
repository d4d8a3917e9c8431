import { el } from "./dom.js";
import { nameOf } from "./people.js";

/** Telegram: a text and the entities over it. @returns {(Node | string)[]} */
export function telegramText(text, entities = []) {
  const edges = new Set([0, text.length]);
  for (const { offset, length } of entities) {
    edges.add(offset);
    edges.add(offset + length);
  }
  const cuts = [...edges].filter((at) => at <= text.length).sort((a, b) => a - b);
  return cuts.slice(1).map((end, index) => {
    const start = cuts[index] ?? 0;
    const over = entities.filter((e) => e.offset <= start && e.offset + e.length >= end);
    return dress(text.slice(start, end), over);
  });
}

const TAGS = {
  bold: "b",
  italic: "i",
  code: "code",
  pre: "code",
  strikethrough: "s",
  underline: "u",
};

function dress(piece, entities) {
  return entities.reduce(
    (inner, { type, url }) => {
      if (type === "text_link") return link(url, inner);
      if (type === "url") return link(/^https?:/.test(piece) ? piece : `https://${piece}`, inner);
      if (type === "text_mention" || type === "mention") return el("b", {}, inner);
      return TAGS[type] ? el(TAGS[type], {}, inner) : inner;
    },
    /** @type {Node | string} */ (piece),
  );
}

/** Only web addresses become links; they open beside the playground. */
export function link(url, inner) {
  if (!/^https?:\/\//.test(url ?? "")) return el("b", {}, inner);
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, inner);
}

const MARKS =
  /<([^<>]+)>|`([^`\n]+)`|(?<![\p{L}\p{N}*])\*([^*\n]+)\*(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}_])_([^_\n]+)_(?![\p{L}\p{N}_])|(?<![\p{L}\p{N}~])~([^~\n]+)~(?![\p{L}\p{N}~])/gu;

/** Slack's own marks: bold, italic, code, links, people. @returns {(Node | string)[]} */
export function slackText(source) {
  const nodes = [];
  let from = 0;
  for (const match of source.matchAll(MARKS)) {
    if (match.index > from) nodes.push(unescaped(source.slice(from, match.index)));
    nodes.push(slackMark(match));
    from = match.index + match[0].length;
  }
  if (from < source.length) nodes.push(unescaped(source.slice(from)));
  return nodes;
}

function slackMark([, angle, code, bold, italic, strike]) {
  if (angle !== undefined) return slackAngle(angle);
  if (code !== undefined) return el("code", {}, unescaped(code));
  if (bold !== undefined) return el("b", {}, slackText(bold));
  if (italic !== undefined) return el("i", {}, slackText(italic));
  return el("s", {}, slackText(strike));
}

function slackAngle(inner) {
  const [target = "", label] = inner.split("|");
  const said = unescaped(label ?? target.replace(/^mailto:/, ""));
  if (target.startsWith("@")) return el("b", {}, `@${nameOf(target.slice(1))}`);
  if (target.startsWith("!")) return el("b", {}, `@${target.slice(1).split("^")[0]}`);
  if (target.startsWith("#")) return el("b", {}, `#${label ?? target.slice(1)}`);
  return link(unescaped(target), said);
}

function unescaped(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
