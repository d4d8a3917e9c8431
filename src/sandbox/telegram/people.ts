import { isDeepStrictEqual } from "node:util";
import { ControlError } from "../control-body.ts";
import type { TelegramCore } from "./core.ts";
import { BOT_USER, type TelegramChat, type TelegramUser } from "./identity.ts";
import { describeBot } from "./methods-chat.ts";
import { type ChatState, findMessage, type StoredMessage } from "./state.ts";
import { makeUpdates } from "./update-queue.ts";

/** What a control call may say of somebody who acts for the first time. */
export interface PersonNames {
  first_name?: string | undefined;
  last_name?: string | undefined;
  username?: string | undefined;
  language_code?: string | undefined;
}

/** The person, made on first sight and renamed when other names are given. */
export function meetUser(
  core: TelegramCore,
  userId: number,
  names: PersonNames = {},
): TelegramUser {
  const known = core.state.users.get(userId);
  const user: TelegramUser = {
    ...(known ?? { id: userId, is_bot: false, first_name: `User ${userId}` }),
    ...(names.first_name === undefined ? {} : { first_name: names.first_name }),
    ...(names.last_name === undefined ? {} : { last_name: names.last_name }),
    ...(names.username === undefined ? {} : { username: names.username }),
    ...(names.language_code === undefined ? {} : { language_code: names.language_code }),
  };
  if (!known || !isDeepStrictEqual(known, user)) core.emit("user", { user });
  return user;
}

/** The chat that a person writes in; a private chat or group is made on first sight. */
export function meetChat(core: TelegramCore, chatId: number, user: TelegramUser): ChatState {
  if (chatId > 0 && chatId !== user.id) {
    throw new ControlError({
      status: 400,
      code: "wrong_chat",
      message: "A private chat has the id of its user.",
      path: "chat_id",
    });
  }
  const known = core.state.chats.get(chatId);
  if (known?.migratedTo !== undefined) {
    throw new ControlError({
      status: 409,
      code: "migrated",
      message: `The group became the supergroup ${known.migratedTo}.`,
      path: "chat_id",
    });
  }
  if (!known) core.emit("chat", { chat: newChat(chatId, user), members: [user.id] });
  return requireKnownChat(core, chatId);
}

/** Throws ControlError 404. */
export function requireKnownChat(core: TelegramCore, chatId: number): ChatState {
  const chat = core.state.chats.get(chatId);
  if (chat) return chat;
  throw new ControlError({
    status: 404,
    code: "chat_not_found",
    message: `No chat ${chatId}.`,
    path: "chat_id",
  });
}

/** Throws ControlError 404. */
export function requireMessage(
  core: TelegramCore,
  chatId: number,
  messageId: number,
): StoredMessage {
  requireKnownChat(core, chatId);
  const stored = findMessage(core.state, chatId, messageId);
  if (stored) return stored;
  throw new ControlError({
    status: 404,
    code: "message_not_found",
    message: `No message ${messageId} in chat ${chatId}.`,
    path: "message_id",
  });
}

/** The bot hears of a chat as long as it is in it. */
export function isBotInside({ botStatus }: ChatState): boolean {
  return botStatus === "member" || botStatus === "administrator";
}

/** Changes what the bot is in a chat; it is told by `my_chat_member`. Null when nothing changed. */
export function changeBotStatus(
  core: TelegramCore,
  chat: ChatState,
  change: { by: TelegramUser; status: ChatState["botStatus"] },
): number | null {
  if (chat.botStatus === change.status) return null;
  const updates = makeUpdates(core, [
    [
      "my_chat_member",
      {
        chat: chat.chat,
        from: change.by,
        date: core.date(),
        old_chat_member: describeBot(chat.botStatus),
        new_chat_member: describeBot(change.status),
      },
    ],
  ]);
  core.emit("bot_status", { chatId: chat.chat.id, status: change.status, updates });
  return updates[0]?.update.update_id ?? null;
}

function newChat(chatId: number, user: TelegramUser): TelegramChat {
  if (chatId > 0) {
    const { is_bot: _, language_code, ...names } = user;
    return { ...names, type: "private" };
  }
  const isSupergroup = String(chatId).startsWith("-100");
  return {
    id: chatId,
    type: isSupergroup ? "supergroup" : "group",
    title: `${BOT_USER.first_name} ${isSupergroup ? "supergroup" : "group"}`,
  };
}
