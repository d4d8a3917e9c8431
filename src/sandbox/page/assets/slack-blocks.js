import { el } from "./dom.js";
import { link, slackText } from "./marked-text.js";

/**
 * Slack's blocks as elements; a kind that is not known here shows what text it has.
 * @param {any[]} blocks
 * @param {(button: { label: string, action_id: string, value?: string, style?: string }) => Node} makeButton
 */
export function slackBlocks(blocks, makeButton) {
  return blocks.map((block) => blockOf(block, makeButton)).filter((node) => node !== null);
}

function blockOf(block, makeButton) {
  switch (block.type) {
    case "header":
      return el("div", { class: "block-header" }, withNames(block.text?.text ?? ""));
    case "section":
      return sectionOf(block, makeButton);
    case "context":
      return el("div", { class: "block-context" }, joined(block.elements ?? []));
    case "actions":
      return el(
        "div",
        { class: "buttons" },
        (block.elements ?? []).filter((one) => one.type === "button").map(buttonOf(makeButton)),
      );
    case "divider":
      return el("hr");
    case "rich_text":
      return el("div", { class: "block-text" }, richText(block.elements ?? []));
    case "image":
      return el("div", { class: "block-context" }, textOf(block.title) || block.alt_text);
    default:
      return block.text ? el("div", { class: "block-text" }, textOf(block.text)) : null;
  }
}

/** A number like A-17 stays on one line. */
function withNames(text) {
  return text
    .split(/\b((?:A|EX)-\d+)/)
    .map((part, index) => (index % 2 === 0 ? part : el("span", { class: "name" }, part)));
}

function sectionOf(block, makeButton) {
  const parts = [];
  if (block.text) parts.push(el("div", { class: "block-text" }, textOf(block.text)));
  if (block.fields) parts.push(el("dl", { class: "block-fields" }, block.fields.map(fieldOf)));
  if (block.accessory?.type === "button") {
    parts.push(el("div", { class: "buttons" }, buttonOf(makeButton)(block.accessory)));
  }
  return el("div", { class: "block-section" }, parts);
}

/** A field of a card is a bold label, a line break and the value. */
function fieldOf(field) {
  const [label = "", ...rest] = field.text.split("\n");
  if (rest.length === 0) return el("div", {}, el("dd", {}, textOf(field)));
  const value = { ...field, text: rest.join("\n") };
  return el("div", {}, el("dt", {}, label.replace(/^\*|\*$/g, "")), el("dd", {}, textOf(value)));
}

function joined(elements) {
  return elements.flatMap((one, index) => [index > 0 ? " · " : "", ...[textOf(one)].flat()]);
}

/** @returns {any} */
function textOf(text) {
  if (!text) return "";
  if (text.type === "mrkdwn" || text.type === "markdown") return slackText(text.text);
  return text.text ?? text.alt_text ?? "";
}

function richText(elements) {
  return elements.flatMap((one) => {
    if (one.elements) return [el("div", {}, richText(one.elements))];
    const text = one.text ?? one.url ?? (one.name ? `:${one.name}:` : "");
    if (one.type === "link") return [link(one.url, text)];
    return [one.style?.bold ? el("b", {}, withNames(text)) : text];
  });
}

function buttonOf(makeButton) {
  return ({ text, action_id, value, style }) =>
    makeButton({ label: text?.text ?? "", action_id, value, style });
}
