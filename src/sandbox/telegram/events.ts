import type { WorldEvent } from "../journal.ts";
import type { TelegramChat, TelegramUser } from "./identity.ts";

/** Offsets in UTF-16 units, as Telegram counts them. */
export interface MessageEntity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
  user?: { id: number };
  custom_emoji_id?: string;
}

export interface InlineButton {
  text: string;
  callback_data?: string;
  url?: string;
  [field: string]: unknown;
}

export interface InlineKeyboard {
  inline_keyboard: InlineButton[][];
}

/** A Message as the Bot API shows it; fields of rare kinds are kept as they came. */
export interface TelegramMessage {
  message_id: number;
  date: number;
  chat: TelegramChat;
  from?: TelegramUser;
  text?: string;
  caption?: string;
  entities?: MessageEntity[];
  caption_entities?: MessageEntity[];
  reply_markup?: InlineKeyboard;
  message_thread_id?: number;
  is_topic_message?: true;
  edit_date?: number;
  [field: string]: unknown;
}

/** The one other field names its kind. */
export interface Update {
  update_id: number;
  [kind: string]: unknown;
}

/** Waits for the bot to confirm it, by offset or by an answered delivery. */
export interface QueuedUpdate {
  update: Update;
  /** Played time, milliseconds; dropped unseen after it. */
  expiresAt: number;
  /** Injected or delivered again: no offset of the bot may skip it before it was tried. */
  outOfOrder?: true;
}

/** A `fileId` is the bot's own name of it; `uniqueId` is the same for everybody. */
export interface StoredFile {
  fileId: string;
  uniqueId: string;
  size: number;
  /** The `file_path` of getFile. */
  path: string;
  /** Name inside the world's folder of files; nothing is stored for a file that is too big. */
  stored: string;
  mimeType: string;
  fileName?: string;
  kind: "photo" | "document" | "video_note" | "video" | "voice";
  width?: number;
  height?: number;
}

export interface BotCommand {
  command: string;
  description: string;
}

/** null in the state: the bot polls. */
export interface Webhook {
  url: string;
  secretToken?: string;
  maxConnections: number;
}

/** What an event may carry besides its own: an update for the bot, in the same line of the file. */
interface WithUpdates {
  updates?: QueuedUpdate[];
}

/** Data of each kind of journal event: all that can change the played Telegram. */
export interface TelegramEvents {
  /** Somebody is seen for the first time or under a new name. */
  user: { user: TelegramUser };
  chat: { chat: TelegramChat; members?: number[] };
  message: WithUpdates & {
    message: TelegramMessage;
    /** The sender's keyboard is a reply keyboard: the message can't be edited. */
    replyMarkup?: Record<string, unknown>;
  };
  message_edited: WithUpdates & { message: TelegramMessage };
  message_deleted: { chatId: number; messageId: number };
  updates: WithUpdates;
  delivered: { updateIds: number[] };
  /** Tried, but the answer never reached the bot. */
  delivery_lost: { updateId: number };
  confirmed: { updateIds: number[] };
  expired: { updateIds: number[] };
  allowed_updates: { types: string[] };
  webhook: { webhook: Webhook | null };
  /** A delivery to the webhook was not taken. `date` in seconds. */
  webhook_failed: { updateId: number; error: string; date: number };
  callback: WithUpdates & { id: string; chatId: number; messageId: number; realAt: number };
  callback_answered: { id: string; text: string; showAlert: boolean; url?: string };
  reactions: WithUpdates & {
    chatId: number;
    messageId: number;
    actorId: number;
    emoji: string[];
  };
  bot_status: WithUpdates & { chatId: number; status: BotStatus };
  migrated: WithUpdates & { fromChatId: number; chat: TelegramChat; messages: TelegramMessage[] };
  topic: { chatId: number; threadId: number; name: string; state: "open" | "closed" | "deleted" };
  file: { file: StoredFile };
  commands: { key: string; commands: BotCommand[] | null };
  action: { chatId: number; action: string };
}

/** `left` and `kicked`: the bot hears nothing and may say nothing. */
export type BotStatus = "administrator" | "member" | "left" | "kicked";
export type TelegramEventKind = keyof TelegramEvents;

const PREFIX = "telegram.";

export type TelegramEvent = {
  [K in TelegramEventKind]: { kind: K; data: TelegramEvents[K] };
}[TelegramEventKind];

export function toJournalKind(kind: TelegramEventKind): string {
  return PREFIX + kind;
}

/** Undefined for an event of another service. */
export function readTelegramEvent(event: WorldEvent): TelegramEvent | undefined {
  if (!event.kind.startsWith(PREFIX)) return undefined;
  // the journal holds what this emulator appended through its typed `emit`
  return { kind: event.kind.slice(PREFIX.length), data: event.data } as TelegramEvent;
}
