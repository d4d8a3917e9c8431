import type { WorldEvent } from "../journal.ts";
import {
  type QueuedUpdate,
  readTelegramEvent,
  type TelegramEventKind,
  type TelegramEvents,
} from "./events.ts";
import {
  answerCallback,
  countAttempts,
  enqueue,
  openCallback,
  removeUpdates,
  setCommands,
} from "./fold-bot.ts";
import {
  deleteMessage,
  editMessage,
  migrateChat,
  openChat,
  setBotStatus,
  setReactions,
  setTopic,
  storeMessage,
} from "./fold-chats.ts";
import { ADMIN_ID, OPERATOR_IDS, SEED_CHATS, SEED_USERS } from "./identity.ts";
import type { TelegramState } from "./state.ts";

const FIRST_UPDATE_ID = 500_000_000;

/** With the seeded people and chats. */
export function createState(): TelegramState {
  const state: TelegramState = {
    users: new Map(),
    chats: new Map(),
    files: new Map(),
    queue: [],
    pastUpdates: new Map(),
    callbacks: new Map(),
    allowedUpdates: [],
    webhook: null,
    webhookError: null,
    commands: new Map(),
    last: { updateId: FIRST_UPDATE_ID, callback: 0, file: 0, sharedMessageId: 0 },
    lastMessageIds: new Map(),
  };
  seed(state);
  return state;
}

/** Deterministic: a replay of the journal gives the same world. */
export function applyEvent(state: TelegramState, event: WorldEvent): void {
  if (event.kind === "world.reset") seed(state);
  const known = readTelegramEvent(event);
  if (!known) return;
  // kind and data come from one event, which the compiler cannot follow through the table
  const fold = FOLDS[known.kind] as (state: TelegramState, data: unknown) => void;
  fold(state, known.data);
  const { updates } = known.data as { updates?: QueuedUpdate[] }; // any kind may carry them
  for (const queued of updates ?? []) enqueue(state, queued);
}

type Folds = { [K in TelegramEventKind]: (state: TelegramState, data: TelegramEvents[K]) => void };

const FOLDS: Folds = {
  user: (state, { user }) => {
    state.users.set(user.id, user);
  },
  chat: (state, { chat, members }) => openChat(state, chat, members ?? []),
  message: storeMessage,
  message_edited: (state, { message }) => editMessage(state, message),
  message_deleted: deleteMessage,
  updates: () => {},
  delivered: (state, { updateIds }) => countAttempts(state, updateIds),
  delivery_lost: (state, { updateId }) => countAttempts(state, [updateId]),
  confirmed: (state, { updateIds }) => removeUpdates(state, updateIds),
  expired: (state, { updateIds }) => removeUpdates(state, updateIds),
  allowed_updates: (state, { types }) => {
    state.allowedUpdates = types;
  },
  webhook: (state, { webhook }) => {
    state.webhook = webhook;
    state.webhookError = null;
  },
  webhook_failed: (state, { error, date }) => {
    state.webhookError = { error, date };
  },
  callback: openCallback,
  callback_answered: answerCallback,
  reactions: setReactions,
  bot_status: (state, { chatId, status }) => setBotStatus(state, chatId, status),
  migrated: migrateChat,
  topic: setTopic,
  file: (state, { file }) => {
    state.files.set(file.fileId, file);
    state.last.file += 1;
  },
  commands: setCommands,
  action: () => {},
};

/** The world as it begins; counters and what the bot set itself stay over a reset. */
function seed(state: TelegramState): void {
  state.users = new Map(SEED_USERS.map((user) => [user.id, user]));
  state.chats = new Map();
  state.files = new Map();
  state.queue = [];
  state.callbacks = new Map();
  for (const chat of SEED_CHATS) {
    const members = chat.type === "private" ? [chat.id] : [...OPERATOR_IDS, ADMIN_ID];
    openChat(state, chat, members);
    if (chat.type !== "private") setBotStatus(state, chat.id, "administrator");
  }
}
