import type { Media } from "../../domain/inbound.ts";
import type { Message } from "./api-types.ts";

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

export function isServiceMessage(message: Message): boolean {
  return SERVICE.some((name) => name in message);
}

/** What hangs on a message. A kind that is not known, also a future one, is `other`. */
export function parseMedia(message: Message): Media[] {
  const media = known(message) ?? (message.text === undefined ? { kind: "other" as const } : null);
  if (!media) return [];
  return [isForwarded(message) ? { ...media, forwarded: true } : media];
}

function known(message: Message): Media | null {
  // ascending sizes
  if (message.photo) return { kind: "photo", ...fileOf(message.photo.at(-1)) };
  if (message.video_note) return { kind: "video_note", ...fileOf(message.video_note) };
  if (message.voice) return { kind: "voice", ...fileOf(message.voice) };
  if (message.audio) return { kind: "audio", ...fileOf(message.audio) };
  if (message.video) return { kind: "video", ...fileOf(message.video) };
  // an animation also carries `document`, for older apps
  if (message.animation) return { kind: "video", ...fileOf(message.animation) };
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

function isForwarded(message: Message): boolean {
  return message.forward_origin !== undefined || "forward_date" in message;
}
