import type {
  ClickEvent,
  CommandEvent,
  EditEvent,
  InboundEvent,
  MembershipEvent,
  MessageEvent,
  MovedEvent,
} from "../../domain/inbound.ts";
import type { CallbackQuery, Chat, ChatMemberUpdated, Message, Update, User } from "./api-types.ts";
import { isPrivate, originOf } from "./origin.ts";
import { isPassedOn, isServiceMessage, parseMedia } from "./parse-media.ts";
import { parseReaction } from "./parse-reaction.ts";
import type { PromptReference } from "./prompt.ts";

/** What parsing has to know beside the update; nothing here asks anybody. */
export interface UpdateContext {
  channelId: string;
  bot: { id: number; username: string };
  isCommand(name: string): boolean;
  readPrompt(text: string, chatId: string): PromptReference | null;
  /** A click carries no time of its own. */
  now: number;
}

/** The kinds of updates that are asked for; Telegram sends no others, and reactions only so. */
export const ALLOWED_UPDATES = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
  "message_reaction",
] as const;

/** null: nothing that concerns us, as a notice of the platform, or another bot's command. */
export function parseUpdate(update: Update, context: UpdateContext): InboundEvent | null {
  const { update_id: id } = update;
  if (update.callback_query) return parseClick(update.callback_query, context);
  if (update.my_chat_member) return parseMembership(update.my_chat_member, context);
  if (update.message_reaction) return parseReaction(update.message_reaction, id, context.channelId);
  if (update.edited_message) return parseEdit(update.edited_message, id, context);
  if (update.message) return parseMessage(update.message, context);
  return null;
}

/** What an update without an event is logged as. */
export function whyIgnored(update: Update): string {
  if (update.message_reaction_count || update.message_reaction?.actor_chat)
    return "a reaction that names no person is not counted";
  return "an update is ignored";
}

function parseMessage(message: Message, context: UpdateContext): InboundEvent | null {
  const { chat, from } = message;
  const moved = parseMoved(message, context);
  if (moved) return moved;
  if (!chat || !from || isServiceMessage(message)) return null; // a post of a channel has no person
  const origin = {
    ...originOf(chat, from, context.channelId),
    eventKey: keyOf(message),
    threadId: threadOf(message),
    sentAt: message.date * 1000,
  };
  const text = textOf(message, from);
  const command = readCommand(text, context.bot.username);
  if (command === "other_bot") return null;
  const passedOn = isPassedOn(message);
  if (command && !passedOn && isForStaff(command, chat, context))
    return { ...origin, kind: "command", name: command.name, args: command.args };
  const prompt = passedOn ? null : promptOf(message, context);
  if (prompt && text.trim() !== "")
    return {
      ...origin,
      kind: "submission",
      form: prompt.form,
      subject: prompt.subject,
      values: { [prompt.field]: text.trim() },
      messageId: String(message.message_id),
    };
  return {
    ...origin,
    kind: "message",
    externalId: String(message.message_id),
    text: command?.name === "start" && isPrivate(chat) ? startText(command.args) : text,
    media: parseMedia(message),
    replyToId: message.reply_to_message ? String(message.reply_to_message.message_id) : null,
    ...slashOf(command, { isOwn: !passedOn, isPrivate: isPrivate(chat) }),
  };
}

function keyOf({ chat, message_id: id }: Message): string {
  return `message:${chat.id}:${id}`;
}

function slashOf(
  command: Command | null,
  said: { isOwn: boolean; isPrivate: boolean },
): Pick<MessageEvent, "slashWord" | "isPassedOn"> {
  if (!command || command.name === "start" || !said.isPrivate) return {};
  if (!said.isOwn) return { isPassedOn: true };
  return { slashWord: { name: command.name, args: command.args } };
}

/** Commands and answers to prompts are not done again because their text was changed. */
function parseEdit(
  message: Message,
  updateId: number,
  context: UpdateContext,
): EditEvent | CommandEvent | null {
  const { chat, from } = message;
  if (!chat || !from || from.is_bot || isServiceMessage(message)) return null;
  const text = textOf(message, from);
  const command = readCommand(text, context.bot.username);
  if (command === "other_bot" || promptOf(message, context)) return null;
  const origin = {
    ...originOf(chat, from, context.channelId),
    // an edit carries seconds only, and two may fall into one
    eventKey: `edit:${chat.id}:${message.message_id}:${updateId}`,
    threadId: threadOf(message),
    sentAt: (message.edit_date ?? message.date) * 1000,
  };
  if (command && isForStaff(command, chat, context)) {
    if (isPassedOn(message)) return null;
    const editOf = keyOf(message);
    return { ...origin, kind: "command", name: command.name, args: command.args, editOf };
  }
  return {
    ...origin,
    kind: "edit",
    writtenAt: message.date * 1000,
    externalId: String(message.message_id),
    text: command?.name === "start" && isPrivate(chat) ? startText(command.args) : text,
    media: parseMedia(message),
  };
}

/** Told in both chats, the old and the new one: the same event. */
function parseMoved(message: Message, context: UpdateContext): MovedEvent | null {
  const { chat, from, migrate_to_chat_id: to, migrate_from_chat_id: old } = message;
  if (!chat || isPrivate(chat) || (to === undefined && old === undefined)) return null;
  const [oldId, newId] = to === undefined ? [old, chat.id] : [chat.id, to];
  const platform = { id: chat.id, is_bot: true, first_name: "Telegram" };
  return {
    ...originOf(chat, from ?? platform, context.channelId),
    kind: "moved",
    chatId: String(oldId),
    eventKey: `moved:${oldId}:${newId}`,
    threadId: null,
    sentAt: message.date * 1000,
    toChatId: String(newId),
  };
}

/** A contact counts as the sender's number only when it is the sender's own. */
function textOf(message: Message, from: User): string {
  const { contact, text, caption } = message;
  const said = contact?.user_id === from.id ? contact.phone_number : (text ?? caption);
  return typeof said === "string" ? said : ""; // the types only hope so
}

interface Command {
  name: string;
  args: string;
  /** `/name@ourbot` */
  named: boolean;
}

function readCommand(text: string, username: string): Command | "other_bot" | null {
  const match = /^\/([a-z0-9_]{1,32})(?:@(\w+))?(?:\s+([\s\S]*))?$/i.exec(text);
  if (!match?.[1]) return null;
  const [, name, bot, args] = match;
  if (bot && bot.toLowerCase() !== username.toLowerCase()) return "other_bot";
  return { name: name.toLowerCase(), args: (args ?? "").trim(), named: bot !== undefined };
}

/** In a private chat anybody may type a slash; in a group a command that names us is meant for us. */
function isForStaff(command: Command, chat: Chat, context: UpdateContext): boolean {
  if (isPrivate(chat) && command.name === "start") return false;
  return context.isCommand(command.name) || (command.named && !isPrivate(chat));
}

/** The payload of a deep link is 1-64 of A-Z, a-z, 0-9, _ and -; anything else was typed. */
function startText(args: string): string {
  return /^[\w-]{1,64}$/.test(args) ? `/start ${args}` : "/start";
}

function promptOf(message: Message, context: UpdateContext): PromptReference | null {
  const asked = message.reply_to_message;
  if (asked?.from?.id !== context.bot.id || typeof asked.text !== "string") return null;
  return context.readPrompt(asked.text, String(message.chat.id));
}

function parseClick(query: CallbackQuery, context: UpdateContext): ClickEvent | null {
  if (!query.from || typeof query.data !== "string") return null;
  const [action = "", ...rest] = query.data.split(":");
  const message = query.message; // may be inaccessible: only chat and id are sure
  const chat = message?.chat ?? { id: query.from.id, type: "private", first_name: "" };
  return {
    ...originOf(chat, query.from, context.channelId),
    kind: "click",
    eventKey: `click:${query.id}`,
    threadId: message && "is_topic_message" in message ? threadOf(message) : null,
    sentAt: context.now,
    messageId: message ? String(message.message_id) : null,
    action,
    value: rest.join(":"),
  };
}

function parseMembership(
  change: ChatMemberUpdated,
  context: UpdateContext,
): MembershipEvent | null {
  const { chat, from, date, old_chat_member: before, new_chat_member: after } = change;
  if (!chat || !from || !after) return null;
  const isIn = (status: string | undefined) =>
    ["member", "administrator", "creator", "restricted"].includes(status ?? "");
  if (isIn(before?.status) === isIn(after.status)) return null;
  const arrived = isIn(after.status);
  const inPrivate = arrived ? ("unblocked" as const) : ("blocked" as const);
  const inGroup = arrived ? ("added" as const) : ("removed" as const);
  return {
    ...originOf(chat, from, context.channelId),
    kind: "membership",
    eventKey: `member:${chat.id}:${date}:${before?.status}:${after.status}`,
    threadId: null,
    sentAt: date * 1000,
    change: isPrivate(chat) ? inPrivate : inGroup,
  };
}

/** Outside forums a reply carries a thread id too, which must not be sent back. */
function threadOf(message: Pick<Message, "is_topic_message" | "message_thread_id">): string | null {
  const { is_topic_message: isTopic, message_thread_id: thread } = message;
  return isTopic && thread !== undefined ? String(thread) : null;
}
