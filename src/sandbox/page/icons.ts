import { raw } from "hono/html";

/** Line icons on a 24 grid; elements use them by `#i-<name>`. */
const SHAPES: Record<string, string> = {
  send: '<path d="M4 12 20 4l-5 16-3-7z"/><path d="m12 13 8-9"/>',
  attach:
    '<path d="m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 4.8 4.8l-8.6 8.6a1.7 1.7 0 0 1-2.4-2.4L14.5 7"/>',
  play: '<path d="M7 4.5v15l12-7.5z" fill="currentColor"/>',
  pause: '<path d="M8 5v14M16 5v14" stroke-width="3"/>',
  next: '<path d="M6 5v14l9-7z" fill="currentColor"/><path d="M18 5v14" stroke-width="3"/>',
  stop: '<path d="M6 6h12v12H6z" fill="currentColor"/>',
  close: '<path d="m6 6 12 12M18 6 6 18"/>',
  clock: '<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3.5 2"/>',
  world:
    '<circle cx="12" cy="12" r="8.5"/><path d="M3.5 12h17M12 3.5c5 5 5 12 0 17c-5-5-5-12 0-17"/>',
  about: '<circle cx="12" cy="12" r="8.5"/><path d="M12 11v5M12 7.6v.2"/>',
  lead: '<circle cx="12" cy="8" r="3.5"/><path d="M5 20c0-4 3-6.5 7-6.5s7 2.5 7 6.5"/>',
  operators: '<path d="M12 3 5 6v5c0 5 3 8 7 10c4-2 7-5 7-10V6z"/><path d="m9 12 2 2 4-4.5"/>',
  staff: '<path d="M4 5h16v11H9l-5 4z"/><path d="M8 9h8M8 12h5"/>',
  trace:
    '<circle cx="6" cy="6" r="2"/><circle cx="6" cy="18" r="2"/><path d="M6 8v8M11 6h8M11 12h6M11 18h8"/>',
  photo: '<path d="M4 7h4l2-2h4l2 2h4v12H4z"/><circle cx="12" cy="13" r="3.5"/>',
  video: '<circle cx="12" cy="12" r="8.5"/><path d="M10 8.5v7l5.5-3.5z"/>',
  document: '<path d="M6 3h8l4 4v14H6z"/><path d="M14 3v4h4M9 12h6M9 16h6"/>',
  contact:
    '<path d="M4 5h16v14H4z"/><circle cx="9" cy="11" r="2"/><path d="M6 16c.5-2 5.5-2 6 0M14.5 10H18M14.5 14H18"/>',
  file: '<path d="M12 16V5M8 9l4-4 4 4M5 15v4h14v-4"/>',
  ok: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  no: '<path d="m7 7 10 10M17 7 7 17"/>',
  wait: '<path d="M7 4h10M7 20h10M8 4c0 5 8 6 8 16M16 4c0 5-8 6-8 16"/>',
  unknown: '<path d="M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.3v.2"/>',
  bolt: '<path d="M13 3 5 14h6l-1 7 8-11h-6z"/>',
  lock: '<path d="M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3"/>',
};

/** Put once into the page; invisible. */
export function iconSprite() {
  const symbols = Object.entries(SHAPES)
    .map(([name, shape]) => `<symbol id="i-${name}" viewBox="0 0 24 24">${shape}</symbol>`)
    .join("");
  return raw(`<svg class="sprite" width="0" height="0" aria-hidden="true">${symbols}</svg>`);
}

/** Points at a shape in the page's own sprite; nothing is fetched. */
export function icon(name: keyof typeof SHAPES) {
  return raw(`<svg class="icon" aria-hidden="true"><use href="#i-${name}"/></svg>`);
}
