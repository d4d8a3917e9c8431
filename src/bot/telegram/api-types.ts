import type { Context } from "grammy";

/** The Bot API's shapes that we read, by way of the framework's own context. */
export type Update = Context["update"];
/** Taken from the library's update type, so that there is one source of what Telegram sends. */
export type Message = NonNullable<Update["message"]>;
export type CallbackQuery = NonNullable<Update["callback_query"]>;
export type MessageReactionUpdated = NonNullable<Update["message_reaction"]>;
export type ReactionType = MessageReactionUpdated["new_reaction"][number];
export type MessageOrigin = NonNullable<Message["forward_origin"]>;
export type ChatMemberUpdated = NonNullable<Update["my_chat_member"]>;
export type Chat = ChatMemberUpdated["chat"];
export type User = NonNullable<Message["from"]>;
export type InlineKeyboardMarkup = NonNullable<Message["reply_markup"]>;
