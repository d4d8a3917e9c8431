/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element with properties, `on` listeners and `data` attributes. Texts become text nodes: what
 * people wrote is never read as markup.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(node, name, value);
  node.append(...children.flat().filter(isShown));
  return node;
}

function isShown(child) {
  return child !== null && child !== undefined && child !== false;
}

function setProp(node, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name === "on") {
    for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
  } else if (name === "data") Object.assign(node.dataset, value);
  else if (name === "class") node.className = value;
  else if (name in node && typeof value !== "string") node[name] = value;
  else node.setAttribute(name, value === true ? "" : String(value));
}

/** An icon of the sprite in the page. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** The element that the page was rendered with. @returns {any} */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no #${id}`);
  return node;
}

/** @type {WeakMap<Node, { key: string, sign: string }>} */
const shown = new WeakMap();

/**
 * Makes the children of a node show a list: equal entries keep their element, with focus and
 * scrolling; changed ones are replaced, others come and go.
 * @template T
 * @param {HTMLElement} container
 * @param {T[]} entries
 * @param {{ key(entry: T): string, sign?(entry: T): string, render(entry: T): HTMLElement }} how
 */
export function showList(container, entries, { key, sign = JSON.stringify, render }) {
  const old = new Map([...container.children].map((node) => [shown.get(node)?.key, node]));
  const wanted = entries.map((entry) => {
    const mark = { key: key(entry), sign: sign(entry) };
    const kept = old.get(mark.key);
    if (kept && shown.get(kept)?.sign === mark.sign) return kept;
    const made = render(entry);
    shown.set(made, mark);
    return made;
  });
  for (const node of old.values()) if (!wanted.includes(node)) node.remove();
  for (const [index, node] of wanted.entries()) {
    const there = container.children[index];
    if (there !== node) container.insertBefore(node, there ?? null);
  }
}
