import type { Person } from "../../domain/inbound.ts";

export interface SlackContext {
  channelId: string;
  botUserId: string;
  now: number;
}

export function chatKindOf(chatId: string): "private" | "group" {
  return chatId.startsWith("D") ? "private" : "group";
}

export function personOf(id: string, teamId: string, name: string | undefined): Person {
  return { id, teamId, name: name || id, isBot: false };
}

/** A ts is an id, never a number; only its time is read here. */
export function msOf(ts: string | undefined): number | null {
  const ms = ts === undefined ? Number.NaN : Number(ts) * 1000;
  return Number.isFinite(ms) ? Math.round(ms) : null;
}
