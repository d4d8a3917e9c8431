import type { MessageEntity } from "./events.ts";

/** A message as Telegram stores it: text without markup, and what it looks like beside. */
export interface FormattedText {
  text: string;
  /** Offsets and lengths in UTF-16 units. */
  entities: MessageEntity[];
}

/**
 * The platform stores another text than was sent: control characters become spaces, CR, bidi
 * marks and a few combining marks vanish, the ends are trimmed. Entities move along.
 */
export function cleanText({ text, entities }: FormattedText): FormattedText {
  const { kept, positions } = dropCharacters(text);
  const start = kept.length - kept.trimStart().length;
  const trimmed = kept.trim();
  const move = (offset: number) => {
    const moved = (positions[Math.min(offset, text.length)] ?? kept.length) - start;
    return Math.min(Math.max(moved, 0), trimmed.length);
  };
  const moved = entities.flatMap((entity) => {
    const offset = move(entity.offset);
    const length = move(entity.offset + entity.length) - offset;
    return length > 0 ? [{ ...entity, offset, length }] : [];
  });
  return { text: trimmed, entities: moved };
}

/** True when a reader would see nothing at all. */
export function isInvisible(text: string): boolean {
  return text.replace(/[\s\p{Default_Ignorable_Code_Point}\u2800]/gu, "") === "";
}

/** Telegram counts code points where JavaScript counts UTF-16 units. */
export function countCodePoints(text: string): number {
  return [...text].length;
}

/** `positions[i]` is where the unit that was at `i` went. */
function dropCharacters(text: string): { kept: string; positions: number[] } {
  const positions: number[] = [];
  let kept = "";
  for (let at = 0; at < text.length; at += 1) {
    positions.push(kept.length);
    kept += replaceUnit(text.charCodeAt(at));
  }
  positions.push(kept.length);
  return { kept, positions };
}

function replaceUnit(unit: number): string {
  if (unit === 0x0d) return "";
  if (unit < 0x20 && unit !== 0x0a) return " ";
  if (unit >= 0x2028 && unit <= 0x202e) return "";
  if (unit === 0x0333 || unit === 0x033f || unit === 0x030a) return "";
  return String.fromCharCode(unit);
}
