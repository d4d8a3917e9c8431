import type { Person } from "../../domain/inbound.ts";
import type { Chat, User } from "./api-types.ts";

/** Who did it, and where. */
export function originOf(chat: Pick<Chat, "id" | "type">, from: User, channelId: string) {
  return {
    messenger: "telegram" as const,
    channelId,
    chatId: String(chat.id),
    chatKind: isPrivate(chat) ? ("private" as const) : ("group" as const),
    person: personOf(from),
  };
}

/** A chat with one person; channels and groups are none. */
export function isPrivate(chat: Pick<Chat, "type">): boolean {
  return chat.type === "private";
}

/** Telegram's ids are the same everywhere, so that there is no team. */
export function personOf(user: User): Person {
  return {
    id: String(user.id),
    teamId: "",
    name: [user.first_name, user.last_name].filter(Boolean).join(" "),
    languageCode: user.language_code ?? null,
    isBot: user.is_bot,
  };
}
