import { el, icon } from "./dom.js";
import { t } from "./texts.js";

/** A short word in a coloured frame; `look` is a step's state or another known kind. */
export function chip(look, text) {
  return el("span", { class: `tag ${look}` }, text);
}

export function stateIcon(state) {
  return el("span", { class: `state ${state}`, title: t(`state_${state}`) }, icon(state));
}

/** Anything as readable lines, closed until somebody wants it. */
export function dataView(label, value) {
  if (value === null || value === undefined) return null;
  const isEmpty = typeof value === "object" && Object.keys(value).length === 0;
  if (isEmpty) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return el(
    "details",
    { class: "data" },
    el("summary", {}, label),
    el("pre", { tabindex: "0" }, text),
  );
}

/** The main values of a call's arguments in one line. */
export function briefOf(value) {
  if (typeof value !== "object" || value === null) return "";
  const parts = Object.entries(value)
    .filter(([, one]) => ["string", "number", "boolean"].includes(typeof one))
    .map(([name, one]) => `${name}: ${shorten(String(one))}`);
  return parts.join(" · ");
}

function shorten(text) {
  return text.length > 22 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text;
}
