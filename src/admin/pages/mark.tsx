/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { EntryKind } from "./timeline-entry.ts";

/** Line icons on a 24 grid, of one family with the playground's. */
const SHAPES: Record<EntryKind, string> = {
  lead: '<path d="M4 5h16v11H9l-5 4z"/>',
  reply: '<path d="M4 12 20 4l-5 16-3-7z"/><path d="m12 13 8-9"/>',
  staff: '<circle cx="12" cy="8" r="3.5"/><path d="M5 20c0-4 3-6.5 7-6.5s7 2.5 7 6.5"/>',
  event: '<circle cx="12" cy="12" r="8.5"/><path d="M12 11v5M12 7.6v.2"/>',
  delivery: '<path d="M4 6h16v12H4zM4 7l8 6 8-6"/>',
  feedback: '<path d="m12 4 2.4 5 5.6.7-4.1 3.8 1 5.5-4.9-2.7L7.1 19l1-5.5L4 9.7 9.6 9z"/>',
  run: '<path d="M8 5v14l10-7z"/>',
  model: '<path d="M13 3 5 14h6l-1 7 8-11h-6z"/>',
  candidate: '<path d="M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.3v.2"/>',
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  gate: '<path d="M12 3 5 6v5c0 5 3 8 7 10c4-2 7-5 7-10V6z"/>',
  approval: '<path d="M12 3 5 6v5c0 5 3 8 7 10c4-2 7-5 7-10V6z"/><path d="M12 8v4M12 15.5v.2"/>',
  vote: '<path d="M12 3 5 6v5c0 5 3 8 7 10c4-2 7-5 7-10V6z"/><path d="m9 12 2 2 4-4.5"/>',
  execution: '<circle cx="12" cy="12" r="3.5"/><path d="M12 4v3M12 17v3M4 12h3M17 12h3"/>',
  retry: '<path d="M19 12a7 7 0 1 1-2-5M17 3v4h-4"/>',
  outside: '<path d="M5 9h13l-3-3M19 15H6l3 3"/>',
  result: '<path d="M6 3h8l4 4v14H6z"/><path d="M14 3v4h4M9 12h6M9 16h6"/>',
  error: '<path d="m7 7 10 10M17 7 7 17"/>',
  deal: '<circle cx="12" cy="12" r="8.5"/><path d="M9 8h6M9 12h6M12 8v9"/>',
  handoff: '<path d="M4 12h15M13 6l6 6-6 6"/>',
  audit: '<path d="M5 4h14v16H5zM8 8h8M8 12h8M8 16h5"/>',
};

/** The sign of a kind; the words beside it say the same. */
export function Mark({ kind }: { kind: EntryKind }) {
  return (
    <span class={`mark of-${kind}`}>
      {raw(`<svg viewBox="0 0 24 24" aria-hidden="true">${SHAPES[kind]}</svg>`)}
    </span>
  );
}
