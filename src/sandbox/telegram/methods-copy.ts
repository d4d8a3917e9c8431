import type { TelegramCore } from "./core.ts";
import { badRequest } from "./errors.ts";
import type { TelegramMessage } from "./events.ts";
import type { Methods } from "./methods.ts";
import type { Params } from "./params.ts";
import { requireChat, startMessage } from "./send-target.ts";
import { type ChatState, findMessage } from "./state.ts";

/** Handing an existing message on. Protected and service messages stay where they are. */
export function copyMethods(core: TelegramCore): Methods {
  return {
    table: {
      copymessage: ({ params }) => {
        const source = requireSource(core, params, "copied");
        return copyOne(core, params, { to: requireChat(core, params), source });
      },
      copymessages: ({ params }) => copyMany(core, params),
      forwardmessage: ({ params }) => {
        const source = requireSource(core, params, "forwarded");
        const origin = { type: "user", date: source.date, sender_user: source.from };
        const message = {
          ...startMessage(core, requireChat(core, params), params),
          ...content(source),
          forward_origin: source.forward_origin ?? origin,
        };
        core.emit("message", { message });
        return message;
      },
    },
  };
}

const MOST_MESSAGES = 100;

/** What cannot be copied is left out without a word, unless nothing is left. */
function copyMany(core: TelegramCore, params: Params): { message_id: number }[] {
  const to = requireChat(core, params);
  const fromChatId = requireSourceChat(core, params);
  const sources = readIds(params)
    .map((id) => findMessage(core.state, fromChatId, id)?.message)
    .filter((message) => message !== undefined)
    .filter(mayTravel);
  if (sources.length === 0) throw badRequest("there are no messages to forward");
  return sources.map((source) => copyOne(core, params, { to, source }));
}

function readIds(params: Params): number[] {
  const ids = params.json("message_ids");
  if (!Array.isArray(ids) || ids.length === 0)
    throw badRequest("message identifiers are not specified");
  if (ids.length > MOST_MESSAGES) throw badRequest("too many message identifiers specified");
  const numbers = ids.map(Number);
  if (!numbers.every((id) => Number.isSafeInteger(id) && id > 0))
    throw badRequest("invalid message identifier specified");
  if (numbers.some((id, index) => index > 0 && id <= (numbers[index - 1] ?? 0)))
    throw badRequest("message identifiers must be in a strictly increasing order");
  return numbers;
}

function copyOne(
  core: TelegramCore,
  params: Params,
  { to, source }: { to: ChatState; source: TelegramMessage },
): { message_id: number } {
  const { caption, caption_entities, ...bare } = content(source);
  const words = params.flag("remove_caption") ? {} : { caption, caption_entities };
  const message = { ...startMessage(core, to, params), ...bare, ...withoutGaps(words) };
  core.emit("message", { message });
  return { message_id: message.message_id };
}

const CONTENT = [
  "text",
  "entities",
  "caption",
  "caption_entities",
  "photo",
  "document",
  "video",
  "video_note",
  "voice",
  "contact",
];

function requireSourceChat(core: TelegramCore, params: Params): number {
  const chatId = params.integer("from_chat_id") ?? 0;
  if (!core.state.chats.has(chatId)) throw badRequest("chat not found");
  return chatId;
}

function requireSource(core: TelegramCore, params: Params, deed: string): TelegramMessage {
  const chatId = requireSourceChat(core, params);
  const stored = findMessage(core.state, chatId, params.integer("message_id") ?? 0);
  if (!stored) {
    throw badRequest(`message to ${deed === "copied" ? "copy" : "forward"} not found`);
  }
  if (!mayTravel(stored.message)) throw badRequest(`message can't be ${deed}`);
  return stored.message;
}

function mayTravel(message: TelegramMessage): boolean {
  const isService = !CONTENT.some((field) => message[field] !== undefined);
  return !isService && !message.has_protected_content;
}

function content(message: TelegramMessage): Partial<TelegramMessage> {
  return withoutGaps(Object.fromEntries(CONTENT.map((field) => [field, message[field]])));
}

function withoutGaps(fields: Record<string, unknown>): Partial<TelegramMessage> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
