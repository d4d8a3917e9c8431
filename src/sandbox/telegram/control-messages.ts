import { z } from "zod";
import { ControlError } from "../control-body.ts";
import { cleanText, isInvisible } from "./clean-text.ts";
import { contentSchema, playContent } from "./control-media.ts";
import type { TelegramCore } from "./core.ts";
import type { TelegramMessage } from "./events.ts";
import { findEntities } from "./find-entities.ts";
import {
  changeBotStatus,
  isBotInside,
  meetChat,
  meetUser,
  requireKnownChat,
  requireMessage,
} from "./people.ts";
import { withoutReply } from "./send-target.ts";
import { type ChatState, nextMessageId } from "./state.ts";
import { makeUpdates } from "./update-queue.ts";

export const personMessageSchema = contentSchema.extend({
  chat_id: z.int(),
  user_id: z.int().min(1),
  text: z.string().optional(),
  caption: z.string().optional(),
  reply_to_message_id: z.int().optional(),
  thread_id: z.int().optional(),
  message_thread_id: z.int().optional(),
  first_name: z.string().min(1).optional(),
  last_name: z.string().optional(),
  username: z.string().optional(),
  language_code: z.string().optional(),
  media_group_id: z.string().optional(),
  forward_origin: z.record(z.string(), z.unknown()).optional(),
});
export type PersonMessage = z.infer<typeof personMessageSchema>;

/** The ids that the control call made. */
export interface Played {
  message_id: number;
  /** Null when the bot did not ask for such updates or is not in the chat. */
  update_id: number | null;
}

/** A person writes. Throws ControlError. */
export function playMessage(core: TelegramCore, input: PersonMessage): Played {
  const user = meetUser(core, input.user_id, input);
  const chat = meetChat(core, input.chat_id, user);
  // who writes to a blocked bot has let it in again
  if (chat.chat.type === "private") changeBotStatus(core, chat, { by: user, status: "member" });
  const place = placeOf(core, chat, input);
  const content = { ...textOf(input), ...playContent(core, input, user) };
  if (Object.keys(content).length === 0) throw nothingToSend();
  const message: TelegramMessage = {
    message_id: nextMessageId(core.state, chat.chat),
    from: user,
    chat: chat.chat,
    date: core.date(),
    ...place,
    ...(input.media_group_id ? { media_group_id: input.media_group_id } : {}),
    ...(input.forward_origin ? { forward_origin: input.forward_origin } : {}),
    ...content,
  };
  const updates = isBotInside(chat) ? makeUpdates(core, [["message", message]]) : [];
  core.emit("message", { message, updates });
  return { message_id: message.message_id, update_id: updates[0]?.update.update_id ?? null };
}

export const personEditSchema = z.strictObject({
  chat_id: z.int(),
  user_id: z.int().min(1),
  message_id: z.int(),
  text: z.string(),
});

/** A person changes the words of a message. Throws ControlError. */
export function playEdit(core: TelegramCore, input: z.infer<typeof personEditSchema>): Played {
  const { message: current } = requireMessage(core, input.chat_id, input.message_id);
  if (current.from?.id !== input.user_id) {
    throw new ControlError({
      status: 403,
      code: "not_the_author",
      message: "Only the author can edit a message.",
      path: "user_id",
    });
  }
  const isCaption = current.text === undefined;
  const { entities, caption_entities, ...rest } = current;
  const message = {
    ...rest,
    edit_date: core.date(),
    ...(isCaption ? textOf({ caption: input.text }) : textOf({ text: input.text })),
  };
  const inside = isBotInside(requireKnownChat(core, input.chat_id));
  const updates = inside ? makeUpdates(core, [["edited_message", message]]) : [];
  core.emit("message_edited", { message, updates });
  return { message_id: message.message_id, update_id: updates[0]?.update.update_id ?? null };
}

function textOf(input: Pick<PersonMessage, "text" | "caption">): Partial<TelegramMessage> {
  if (input.text !== undefined) {
    const { text, entities } = markText(input.text);
    if (isInvisible(text)) throw nothingToSend();
    return { text, ...(entities.length > 0 ? { entities } : {}) };
  }
  if (input.caption === undefined) return {};
  const { text, entities } = markText(input.caption);
  return { caption: text, ...(entities.length > 0 ? { caption_entities: entities } : {}) };
}

function markText(sent: string) {
  const { text } = cleanText({ text: sent, entities: [] });
  return { text, entities: findEntities(text) };
}

/** Topic and replied message. */
function placeOf(
  core: TelegramCore,
  chat: ChatState,
  input: PersonMessage,
): Partial<TelegramMessage> {
  const { reply_to_message_id: replyId } = input;
  const replied =
    replyId === undefined ? undefined : requireMessage(core, chat.chat.id, replyId).message;
  const topicId =
    input.thread_id ??
    input.message_thread_id ??
    (replied?.is_topic_message ? replied.message_thread_id : undefined);
  const reply = replied ? { reply_to_message: withoutReply(replied) } : {};
  if (topicId !== undefined) return { ...topicPlace(chat, topicId), ...reply };
  if (!replied || chat.chat.type !== "supergroup") return reply;
  // outside topics a thread of replies has an id too, which no send accepts
  return { message_thread_id: replied.message_thread_id ?? replied.message_id, ...reply };
}

/** In a topic even a message that answers nothing points at the topic's first message. */
function topicPlace(chat: ChatState, topicId: number): Partial<TelegramMessage> {
  const topic = chat.topics.get(topicId);
  if (!topic || topic.state === "deleted") {
    throw new ControlError({
      status: 404,
      code: "topic_not_found",
      message: `No topic ${topicId} in chat ${chat.chat.id}.`,
      path: "thread_id",
    });
  }
  const opening = chat.messages.get(topicId)?.message;
  return {
    message_thread_id: topicId,
    is_topic_message: true,
    ...(opening ? { reply_to_message: withoutReply(opening) } : {}),
  };
}

function nothingToSend(): ControlError {
  return new ControlError({
    status: 400,
    code: "nothing_to_send",
    message: "Give text, photo, video_note, voice, document or contact.",
    path: "text",
  });
}
