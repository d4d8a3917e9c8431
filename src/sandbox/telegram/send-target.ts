import type { TelegramCore } from "./core.ts";
import { badRequest, forbidden, TelegramError } from "./errors.ts";
import type { TelegramMessage } from "./events.ts";
import { BOT_USER } from "./identity.ts";
import { isRecord, type Params } from "./params.ts";
import { type ChatState, findMessage, nextMessageId } from "./state.ts";

/** The chat that the bot may write to. Throws TelegramError 400 or 403. */
export function requireChat(core: TelegramCore, params: Params): ChatState {
  const text = params.text("chat_id") ?? "";
  if (text === "") throw badRequest("chat_id is empty");
  const id = Number(text);
  const chat = core.state.chats.get(id);
  if (!chat && core.state.users.has(id)) {
    throw forbidden("bot can't initiate conversation with a user");
  }
  if (!chat) throw badRequest("chat not found");
  if (chat.migratedTo !== undefined) {
    throw new TelegramError(400, "Bad Request: group chat was upgraded to a supergroup chat", {
      migrate_to_chat_id: chat.migratedTo,
    });
  }
  checkMembership(chat);
  return chat;
}

/** The fields that every message of the bot has. Throws TelegramError 400. */
export function startMessage(core: TelegramCore, chat: ChatState, params: Params): TelegramMessage {
  const replied = readReply(core, chat, params);
  const threadId = readThread(chat, params) ?? topicOf(replied);
  return {
    message_id: nextMessageId(core.state, chat.chat),
    from: BOT_USER,
    chat: chat.chat,
    date: core.date(),
    ...(threadId === undefined ? {} : { message_thread_id: threadId, is_topic_message: true }),
    ...(replied ? { reply_to_message: withoutReply(replied) } : {}),
    ...(params.flag("protect_content") ? { has_protected_content: true } : {}),
  };
}

/** A message holds the one it answers, but not what that one answered. */
export function withoutReply(message: TelegramMessage): TelegramMessage {
  const { reply_to_message: _, ...rest } = message;
  return rest as TelegramMessage; // only an optional field was left out
}

function checkMembership({ chat, botStatus }: ChatState): void {
  if (botStatus === "kicked") {
    throw forbidden(
      chat.type === "private"
        ? "bot was blocked by the user"
        : `bot was kicked from the ${chat.type} chat`,
    );
  }
  if (botStatus === "left") throw forbidden(`bot is not a member of the ${chat.type} chat`);
}

function readReply(
  core: TelegramCore,
  chat: ChatState,
  params: Params,
): TelegramMessage | undefined {
  const parameters = params.json("reply_parameters");
  const given = isRecord(parameters) ? parameters : {};
  const messageId = Number(given.message_id ?? params.integer("reply_to_message_id") ?? 0);
  if (messageId === 0) return undefined;
  const chatId = Number(given.chat_id ?? chat.chat.id);
  const stored = findMessage(core.state, chatId, messageId);
  if (stored) return stored.message;
  const optional =
    given.allow_sending_without_reply === true || params.flag("allow_sending_without_reply");
  if (optional) return undefined;
  throw badRequest("message to be replied not found");
}

function readThread({ chat, topics, botStatus }: ChatState, params: Params): number | undefined {
  const threadId = params.integer("message_thread_id") ?? 0;
  if (threadId === 0) return undefined;
  const topic = chat.is_forum ? topics.get(threadId) : undefined;
  if (!topic || topic.state === "deleted") throw badRequest("message thread not found");
  if (topic.state === "closed" && botStatus !== "administrator") throw badRequest("TOPIC_CLOSED");
  return threadId;
}

function topicOf(message: TelegramMessage | undefined): number | undefined {
  return message?.is_topic_message ? message.message_thread_id : undefined;
}
