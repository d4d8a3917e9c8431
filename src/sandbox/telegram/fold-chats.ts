import type { BotStatus, TelegramEvents, TelegramMessage } from "./events.ts";
import type { TelegramChat } from "./identity.ts";
import { findMessage, hasOwnCounter, type TelegramState } from "./state.ts";

/** Known chats take the new fields and keep their messages and members. */
export function openChat(
  state: TelegramState,
  chat: TelegramChat,
  members: readonly number[],
): void {
  const known = state.chats.get(chat.id);
  for (const member of members) known?.members.add(member);
  if (known) {
    known.chat = chat;
    return;
  }
  state.chats.set(chat.id, {
    chat,
    botStatus: "member",
    members: new Set(members),
    messages: new Map(),
    topics: new Map(),
    migratedTo: undefined,
  });
}

export function setBotStatus(state: TelegramState, chatId: number, status: BotStatus): void {
  const chat = state.chats.get(chatId);
  if (chat) chat.botStatus = status;
}

export function storeMessage(state: TelegramState, data: TelegramEvents["message"]): void {
  const { message } = data;
  const chat = state.chats.get(message.chat.id);
  if (!chat) return;
  chat.messages.set(message.message_id, {
    message,
    deleted: false,
    buttonsEver: readButtons(message),
    reactions: new Map(),
    replyMarkup: data.replyMarkup,
  });
  if (message.from) chat.members.add(message.from.id);
  countMessage(state, message);
}

/** Buttons that it loses can still be pressed by whoever has the old screen. */
export function editMessage(state: TelegramState, message: TelegramMessage): void {
  const stored = findMessage(state, message.chat.id, message.message_id);
  if (!stored) return;
  stored.message = message;
  for (const [label, data] of readButtons(message)) stored.buttonsEver.set(label, data);
}

/** It stays in the state, for the list of what was there. */
export function deleteMessage(state: TelegramState, data: TelegramEvents["message_deleted"]): void {
  const stored = findMessage(state, data.chatId, data.messageId);
  if (stored) stored.deleted = true;
}

export function setReactions(state: TelegramState, data: TelegramEvents["reactions"]): void {
  const stored = findMessage(state, data.chatId, data.messageId);
  if (data.emoji.length > 0) stored?.reactions.set(data.actorId, data.emoji);
  else stored?.reactions.delete(data.actorId);
}

/** The group lives on under a new id; the old one only says where. */
export function migrateChat(state: TelegramState, data: TelegramEvents["migrated"]): void {
  const old = state.chats.get(data.fromChatId);
  if (!old) return;
  openChat(state, data.chat, [...old.members]);
  setBotStatus(state, data.chat.id, old.botStatus);
  for (const message of data.messages) storeMessage(state, { message });
  old.migratedTo = data.chat.id;
}

export function setTopic(state: TelegramState, data: TelegramEvents["topic"]): void {
  const { chatId, threadId, name, state: topicState } = data;
  state.chats.get(chatId)?.topics.set(threadId, { name, state: topicState });
}

function countMessage(state: TelegramState, { chat, message_id }: TelegramMessage): void {
  if (hasOwnCounter(chat)) {
    const last = state.lastMessageIds.get(chat.id) ?? 0;
    state.lastMessageIds.set(chat.id, Math.max(last, message_id));
    return;
  }
  state.last.sharedMessageId = Math.max(state.last.sharedMessageId, message_id);
}

function readButtons(message: TelegramMessage): Map<string, string> {
  const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
  return new Map(
    buttons.flatMap(({ text, callback_data }) =>
      callback_data === undefined ? [] : [[text, callback_data]],
    ),
  );
}
