import type { Media } from "../../domain/inbound.ts";
import type { Message, MessageOrigin } from "./api-types.ts";
import { personOf } from "./origin.ts";

/** The platform's own notices about a chat: nobody said anything. */
const SERVICE = [
  "new_chat_members",
  "left_chat_member",
  "new_chat_title",
  "new_chat_photo",
  "delete_chat_photo",
  "group_chat_created",
  "supergroup_chat_created",
  "channel_chat_created",
  "message_auto_delete_timer_changed",
  "migrate_to_chat_id",
  "migrate_from_chat_id",
  "pinned_message",
  "write_access_allowed",
  "proximity_alert_triggered",
  "boost_added",
  "chat_background_set",
  "chat_owner_left",
  "chat_owner_changed",
  "forum_topic_created",
  "forum_topic_edited",
  "forum_topic_closed",
  "forum_topic_reopened",
  "general_forum_topic_hidden",
  "general_forum_topic_unhidden",
  "video_chat_scheduled",
  "video_chat_started",
  "video_chat_ended",
  "video_chat_participants_invited",
];

/** Joins, pins and the like: Telegram's own words, which nobody wrote to us. */
export function isServiceMessage(message: Message): boolean {
  return SERVICE.some((name) => name in message);
}

/** What hangs on a message. A kind that is not known, also a future one, is `other`. */
export function parseMedia(message: Message): Media[] {
  const media = contentOf(message);
  if (!media) return [];
  const { media_group_id: album } = message;
  return [{ ...media, ...forwardOf(message), ...(album === undefined ? {} : { album }) }];
}

function contentOf(message: Message): Media | null {
  const media = known(message);
  if (media) return media;
  if (typeof message.text !== "string") return { kind: "other", ...labelOf(message) };
  return isForwarded(message) ? { kind: "forward" } : null;
}

function known(message: Message): Media | null {
  // ascending sizes
  if (message.photo) return { kind: "photo", ...fileOf(message.photo.at(-1)) };
  if (message.video_note) return { kind: "video_note", ...fileOf(message.video_note) };
  if (message.voice) return { kind: "voice", ...fileOf(message.voice) };
  if (message.audio) return { kind: "audio", ...fileOf(message.audio) };
  if (message.video) return { kind: "video", ...fileOf(message.video) };
  // an animation also carries `document`, for older apps
  if (message.animation) return { kind: "video", isAnimation: true, ...fileOf(message.animation) };
  if (message.document) return { kind: "document", ...fileOf(message.document) };
  if (message.sticker) return { kind: "sticker", ...fileOf(message.sticker) };
  return null;
}

interface TelegramFile {
  file_id: string;
  file_size?: number;
  file_name?: string;
  mime_type?: string;
}

function fileOf(file: TelegramFile | undefined): Omit<Media, "kind"> {
  if (!file) return {};
  return {
    fileId: file.file_id,
    ...(file.file_name === undefined ? {} : { fileName: file.file_name }),
    ...(file.mime_type === undefined ? {} : { mimeType: file.mime_type }),
    ...(file.file_size === undefined ? {} : { sizeBytes: file.file_size }),
  };
}

/** Somebody else's words, or another bot's: whoever sends them has not written them. */
export function isPassedOn(message: Message): boolean {
  return isForwarded(message) || message.via_bot !== undefined;
}

function isForwarded(message: Message): boolean {
  return message.forward_origin !== undefined || "forward_date" in message;
}

function forwardOf(message: Message): Pick<Media, "forwarded" | "forwardedFrom"> {
  if (!isForwarded(message)) return {};
  const forwardedFrom = message.forward_origin && authorOf(message.forward_origin);
  return { forwarded: true, ...(forwardedFrom ? { forwardedFrom } : {}) };
}

/** A person may hide; a name alone proves nothing. */
function authorOf(origin: MessageOrigin): Media["forwardedFrom"] {
  switch (origin.type) {
    case "user":
      return { kind: "user", name: personOf(origin.sender_user).name };
    case "hidden_user":
      return { kind: "hidden_user", name: origin.sender_user_name };
    case "chat":
      return { kind: "chat", name: titleOf(origin.sender_chat) };
    case "channel":
      return { kind: "channel", name: titleOf(origin.chat) };
    default:
      return undefined; // a kind of a later version
  }
}

function titleOf(chat: { id: number; title?: string | undefined }): string {
  return chat.title ?? String(chat.id);
}

/** The field that holds the content: the only one that is not about the message itself. */
function labelOf(message: Message): Pick<Media, "label"> {
  const label = Object.keys(message).find(
    (name) => !ABOUT.has(name) && /^[a-z_]{1,40}$/.test(name),
  );
  return label === undefined ? {} : { label };
}

const ABOUT = new Set(
  (
    "message_id message_thread_id direct_messages_topic from sender_chat sender_boost_count " +
    "sender_business_bot date business_connection_id chat forward_origin forward_date " +
    "is_topic_message is_automatic_forward reply_to_message external_reply quote reply_to_story " +
    "reply_to_checklist_task_id via_bot edit_date has_protected_content is_from_offline " +
    "is_paid_post media_group_id author_signature paid_star_count text entities " +
    "link_preview_options effect_id caption caption_entities show_caption_above_media " +
    "has_media_spoiler reply_markup"
  ).split(" "),
);
