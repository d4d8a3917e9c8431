import type { TelegramCore } from "./core.ts";
import { badRequest } from "./errors.ts";
import type { TelegramMessage } from "./events.ts";
import type { Methods } from "./methods.ts";
import type { Params } from "./params.ts";
import { requireChat, startMessage } from "./send-target.ts";
import { findMessage } from "./state.ts";

/** Handing an existing message on. Protected and service messages stay where they are. */
export function copyMethods(core: TelegramCore): Methods {
  return {
    table: {
      copymessage: ({ params }) => {
        const source = requireSource(core, params, "copied");
        const message = {
          ...startMessage(core, requireChat(core, params), params),
          ...content(source),
        };
        core.emit("message", { message });
        return { message_id: message.message_id };
      },
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

function requireSource(core: TelegramCore, params: Params, deed: string): TelegramMessage {
  const chatId = params.integer("from_chat_id") ?? 0;
  if (!core.state.chats.has(chatId)) throw badRequest("chat not found");
  const stored = findMessage(core.state, chatId, params.integer("message_id") ?? 0);
  if (!stored) {
    throw badRequest(`message to ${deed === "copied" ? "copy" : "forward"} not found`);
  }
  const { message } = stored;
  const isService = !CONTENT.some((field) => message[field] !== undefined);
  if (isService || message.has_protected_content) {
    throw badRequest(`message can't be ${deed}`);
  }
  return message;
}

function content(message: TelegramMessage): Partial<TelegramMessage> {
  const fields = CONTENT.filter((field) => message[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, message[field]]));
}
