import { isDeepStrictEqual } from "node:util";
import type { TelegramCore } from "./core.ts";
import { badRequest } from "./errors.ts";
import type { TelegramMessage } from "./events.ts";
import { readCaption, readMessageText } from "./formatted-text.ts";
import { BOT_USER } from "./identity.ts";
import type { Methods } from "./methods.ts";
import { captionFields, textFields } from "./methods-send.ts";
import { isRecord, type Params } from "./params.ts";
import { readInlineKeyboard } from "./reply-markup.ts";
import { requireChat } from "./send-target.ts";
import { findMessage, type StoredMessage } from "./state.ts";

const DELETABLE_S = 48 * 3600;

/** Changing and removing what is there. */
export function editMethods(core: TelegramCore): Methods {
  return {
    table: {
      editmessagetext: ({ params }) => editText(core, params),
      editmessagecaption: ({ params }) => editCaption(core, params),
      editmessagereplymarkup: ({ params }) => editMarkup(core, params),
      deletemessage: ({ params }) => deleteMessage(core, params),
      deletemessages: ({ params }) => deleteMessages(core, params),
    },
  };
}

function editText(core: TelegramCore, params: Params): TelegramMessage {
  const text = readMessageText(params);
  const markup = readInlineKeyboard(params);
  const { message } = requireEditable(core, params);
  if (message.text === undefined) throw badRequest("there is no text in the message to edit");
  const preview = params.json("link_preview_options");
  const { text: _, entities, reply_markup, link_preview_options, ...rest } = message;
  return saveEdit(core, message, {
    ...rest,
    ...textFields(text),
    ...(markup ? { reply_markup: markup } : {}),
    ...(isRecord(preview) ? { link_preview_options: preview } : {}),
  });
}

function editCaption(core: TelegramCore, params: Params): TelegramMessage {
  const caption = readCaption(params);
  const markup = readInlineKeyboard(params);
  const { message } = requireEditable(core, params);
  if (message.text !== undefined) throw badRequest("there is no caption in the message to edit");
  const { caption: _, caption_entities, reply_markup, ...rest } = message;
  return saveEdit(core, message, {
    ...rest,
    ...captionFields(caption),
    ...(markup ? { reply_markup: markup } : {}),
  });
}

function editMarkup(core: TelegramCore, params: Params): TelegramMessage {
  const markup = readInlineKeyboard(params);
  const { message } = requireEditable(core, params);
  const { reply_markup, ...rest } = message;
  return saveEdit(core, message, { ...rest, ...(markup ? { reply_markup: markup } : {}) });
}

/** `edited` is a whole message: a keyboard that the edit does not name is gone. */
function saveEdit(
  core: TelegramCore,
  current: TelegramMessage,
  edited: TelegramMessage,
): TelegramMessage {
  if (isDeepStrictEqual(edited, current)) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  const message = { ...edited, edit_date: core.date() };
  core.emit("message_edited", { message });
  return message;
}

function requireEditable(core: TelegramCore, params: Params): StoredMessage {
  const { chat } = requireChat(core, params);
  const stored = findMessage(core.state, chat.id, params.integer("message_id") ?? 0);
  if (!stored) throw badRequest("message to edit not found");
  const isOwn = stored.message.from?.id === BOT_USER.id;
  if (!isOwn || stored.replyMarkup !== undefined) throw badRequest("message can't be edited");
  return stored;
}

function deleteMessage(core: TelegramCore, params: Params): true {
  const { chat, botStatus } = requireChat(core, params);
  const stored = findMessage(core.state, chat.id, params.integer("message_id") ?? 0);
  if (!stored) throw badRequest("message to delete not found");
  const { message } = stored;
  const isOwn = message.from?.id === BOT_USER.id;
  const mayDelete = isOwn || chat.type === "private" || botStatus === "administrator";
  const isOld = core.date() - message.date > DELETABLE_S;
  // an administrator deletes others' messages of any age in a supergroup
  const ageMatters = isOwn || botStatus !== "administrator";
  if (!mayDelete || (isOld && ageMatters)) throw badRequest("message can't be deleted");
  core.emit("message_deleted", { chatId: chat.id, messageId: message.message_id });
  return true;
}

function deleteMessages(core: TelegramCore, params: Params): true {
  const { chat } = requireChat(core, params);
  const ids = params.json("message_ids");
  for (const id of Array.isArray(ids) ? ids : []) {
    if (findMessage(core.state, chat.id, Number(id))) {
      core.emit("message_deleted", { chatId: chat.id, messageId: Number(id) });
    }
  }
  return true;
}
