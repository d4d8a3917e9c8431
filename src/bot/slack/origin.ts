import type { Person } from "../../domain/inbound.ts";

/** `now`: product time, milliseconds, for payloads that carry no time of their own. */
export interface SlackContext {
  channelId: string;
  botUserId: string;
  now: number;
}

/**
 * By the id's first letter, as payloads of buttons tell no more; a DM of several people is a group.
 */
export function chatKindOf(chatId: string): "private" | "group" {
  return chatId.startsWith("D") ? "private" : "group";
}

/** Without a name the id stands in its place, so that staff can still tell people apart. */
export function personOf(id: string, teamId: string, name: string | undefined): Person {
  return { id, teamId, name: name || id, isBot: false };
}

/** A ts is an id, never a number; only its time is read here. */
export function msOf(ts: string | undefined): number | null {
  const ms = ts === undefined ? Number.NaN : Number(ts) * 1000;
  return Number.isFinite(ms) ? Math.round(ms) : null;
}
