import { byId, el } from "./dom.js";

const SHOWN_MS = 6000;

/** A short line above the page, read out; `kind` colours it. */
export function toast(text, kind = "info") {
  if (!text) return;
  const node = el("div", { class: `toast ${kind}` }, text);
  byId("toasts").append(node);
  setTimeout(() => node.remove(), SHOWN_MS);
}

/** Runs it; what goes wrong is said, not thrown. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "bad");
    return undefined;
  }
}
