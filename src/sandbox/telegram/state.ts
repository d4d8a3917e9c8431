import type {
  BotCommand,
  BotStatus,
  QueuedUpdate,
  StoredFile,
  TelegramMessage,
  Webhook,
} from "./events.ts";
import type { TelegramChat, TelegramUser } from "./identity.ts";

/** Deleted ones stay, marked. */
export interface StoredMessage {
  message: TelegramMessage;
  deleted: boolean;
  /** Data by label of every button the message ever had. */
  buttonsEver: Map<string, string>;
  /** Emoji by user (or anonymous chat) id. */
  reactions: Map<number, string[]>;
  /** What the bot sent as markup when it is no inline keyboard. */
  replyMarkup: Record<string, unknown> | undefined;
}

export interface Topic {
  name: string;
  state: "open" | "closed" | "deleted";
}

/** `migratedTo`: the id of the group that it has become; undefined: it is itself still. */
export interface ChatState {
  chat: TelegramChat;
  botStatus: BotStatus;
  members: Set<number>;
  messages: Map<number, StoredMessage>;
  topics: Map<number, Topic>;
  migratedTo: number | undefined;
}

/** `attempts`: deliveries to a webhook so far. */
export interface PendingUpdate extends QueuedUpdate {
  attempts: number;
}

/** A press that waits for the bot's answer, or has it. */
export interface CallbackState {
  chatId: number;
  messageId: number;
  /** Real time, milliseconds: the platform's deadline does not follow played time. */
  realAt: number;
  answer: { text: string; showAlert: boolean } | undefined;
}

/** The whole of the played Telegram: a fold over the journal. */
export interface TelegramState {
  users: Map<number, TelegramUser>;
  chats: Map<number, ChatState>;
  files: Map<string, StoredFile>;
  queue: PendingUpdate[];
  /** Every update that was ever queued, for delivering one again. */
  pastUpdates: Map<number, QueuedUpdate>;
  callbacks: Map<string, CallbackState>;
  /** Set by the bot itself; a reset of the world leaves these alone. */
  allowedUpdates: string[];
  webhook: Webhook | null;
  /** The newest failed delivery to it. */
  webhookError: { error: string; date: number } | null;
  commands: Map<string, BotCommand[]>;
  /** Counters that survive a reset. */
  last: { updateId: number; callback: number; file: number; sharedMessageId: number };
  lastMessageIds: Map<number, number>;
}

/** Supergroups count their own messages; private chats and basic groups share one counter. */
export function nextMessageId(state: TelegramState, chat: TelegramChat): number {
  return hasOwnCounter(chat)
    ? (state.lastMessageIds.get(chat.id) ?? 0) + 1
    : state.last.sharedMessageId + 1;
}

/** Supergroups and channels number their own messages; all other chats share the bot's numbers. */
export function hasOwnCounter(chat: TelegramChat): boolean {
  return chat.type === "supergroup" || chat.type === "channel";
}

/** Undefined also for a message that was deleted. */
export function findMessage(
  state: TelegramState,
  chatId: number,
  messageId: number,
): StoredMessage | undefined {
  const stored = state.chats.get(chatId)?.messages.get(messageId);
  return stored?.deleted ? undefined : stored;
}
