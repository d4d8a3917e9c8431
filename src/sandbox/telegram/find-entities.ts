import type { MessageEntity } from "./events.ts";

/** What the platform itself marks in a text: commands, mentions, links, mail addresses. */
export function findEntities(text: string): MessageEntity[] {
  const found = PATTERNS.flatMap(([type, pattern]) =>
    [...text.matchAll(pattern)].map((match) => {
      const body = match[2] ?? "";
      return { type, offset: match.index + (match[1] ?? "").length, length: body.length };
    }),
  );
  return withoutOverlaps(found);
}

/** Marks of the sender win over found ones, earlier over later. */
export function mergeEntities(
  own: readonly MessageEntity[],
  found: readonly MessageEntity[],
): MessageEntity[] {
  const blocked = own.filter(({ type }) => type !== "blockquote");
  const added = found.filter((entity) => !blocked.some((other) => overlaps(entity, other)));
  return [...own, ...added].sort((a, b) => a.offset - b.offset || b.length - a.length);
}

// group 1 is what must stand before, group 2 the entity
const PATTERNS: readonly (readonly [string, RegExp])[] = [
  ["bot_command", /(^|[^\w/<>@])(\/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?)(?![\w/])/g],
  ["email", /(^|[^\w.+-])([\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})\b/g],
  ["url", /(^|[^\w@/])(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'])/gi],
  ["mention", /(^|[^\w/@.])(@[A-Za-z0-9_]{3,32})\b/g],
];

function withoutOverlaps(entities: readonly MessageEntity[]): MessageEntity[] {
  const kept: MessageEntity[] = [];
  for (const entity of entities) {
    if (!kept.some((other) => overlaps(entity, other))) kept.push(entity);
  }
  return kept.sort((a, b) => a.offset - b.offset);
}

function overlaps(a: MessageEntity, b: MessageEntity): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}
