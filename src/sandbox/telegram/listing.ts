import type { MessageEntity, TelegramMessage } from "./events.ts";
import { BOT_USER } from "./identity.ts";
import type { ChatState, StoredMessage } from "./state.ts";

/** A message as tests and the page read it, free of the Bot API's many forms. */
export interface ListedMessage {
  message_id: number;
  from_bot: boolean;
  user_id: number | null;
  /** The text, or the caption of a file. */
  text: string;
  /** How parts of the text look: bold, code, links. */
  entities?: MessageEntity[];
  buttons: { label: string; data?: string; url?: string }[][];
  reactions: { emoji: string; user_id: number }[];
  thread_id?: number;
  edited: boolean;
  /** What it is when it is no text: photo, document, contact … */
  media?: string;
  file_id?: string;
  file_name?: string;
  reply_to_message_id?: number;
  force_reply?: true;
  protected?: true;
  date: number;
}

/** What a person sees in the chat, oldest first; service messages and deleted ones are left out. */
export function listMessages(chat: ChatState): ListedMessage[] {
  return [...chat.messages.values()]
    .filter((stored) => !stored.deleted && !isService(stored.message))
    .sort((a, b) => a.message.message_id - b.message.message_id)
    .map(listMessage);
}

/** `text` stands for a caption, too. */
export function listMessage(stored: StoredMessage): ListedMessage {
  const { message, reactions, replyMarkup } = stored;
  const media = MEDIA.find((kind) => message[kind] !== undefined);
  const replied = message.reply_to_message as TelegramMessage | undefined; // stored by this emulator
  return {
    message_id: message.message_id,
    from_bot: message.from?.id === BOT_USER.id,
    user_id: message.from?.id ?? null,
    text: message.text ?? message.caption ?? "",
    ...listEntities(message),
    buttons: listButtons(message),
    reactions: [...reactions].flatMap(([user_id, emoji]) =>
      emoji.map((entry) => ({ emoji: entry, user_id })),
    ),
    ...(message.is_topic_message ? { thread_id: message.message_thread_id } : {}),
    edited: message.edit_date !== undefined,
    ...(media ? { media, ...listFile(message[media]) } : {}),
    ...(replied && !isService(replied) ? { reply_to_message_id: replied.message_id } : {}),
    ...(replyMarkup?.force_reply === true ? { force_reply: true } : {}),
    ...(message.has_protected_content === true ? { protected: true } : {}),
    date: message.date,
  };
}

function listEntities(message: TelegramMessage): Pick<ListedMessage, "entities"> {
  const entities = message.entities ?? message.caption_entities ?? [];
  return entities.length > 0 ? { entities } : {};
}

const MEDIA = ["photo", "document", "video", "video_note", "voice", "contact", "sticker"];

const SERVICE_FIELDS = [
  "forum_topic_created",
  "forum_topic_closed",
  "migrate_to_chat_id",
  "migrate_from_chat_id",
];

function isService(message: TelegramMessage): boolean {
  return SERVICE_FIELDS.some((field) => message[field] !== undefined);
}

function listButtons({ reply_markup }: TelegramMessage): ListedMessage["buttons"] {
  return (reply_markup?.inline_keyboard ?? []).map((row) =>
    row.map(({ text, callback_data, url }) => ({
      label: text,
      ...(callback_data === undefined ? {} : { data: callback_data }),
      ...(url === undefined ? {} : { url }),
    })),
  );
}

function listFile(value: unknown): Pick<ListedMessage, "file_id" | "file_name"> {
  const file: unknown = Array.isArray(value) ? value.at(-1) : value;
  // a PhotoSize, Document, Voice …
  const { file_id, file_name } = (file ?? {}) as { file_id?: unknown; file_name?: unknown };
  return {
    ...(typeof file_id === "string" ? { file_id } : {}),
    ...(typeof file_name === "string" ? { file_name } : {}),
  };
}
