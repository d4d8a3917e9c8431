export type MessengerName = "telegram" | "slack";

export interface Person {
  id: string;
  /** Slack workspace; empty in Telegram. */
  teamId: string;
  name: string;
  /** As the messenger says it, e.g. `ru`. */
  languageCode?: string | null;
  isBot: boolean;
}

export interface Media {
  kind: "photo" | "document" | "video" | "video_note" | "voice" | "audio" | "sticker" | "other";
  fileId?: string;
  fileName?: string;
  mimeType?: string;
  sizeBytes?: number;
  /** The person passed on somebody else's message. */
  forwarded?: boolean;
}

interface Origin {
  messenger: MessengerName;
  channelId: string;
  /** Unique in the channel: the same event delivered twice has the same key. */
  eventKey: string;
  chatId: string;
  chatKind: "private" | "group";
  threadId: string | null;
  person: Person;
  /** The messenger's own time, milliseconds. */
  sentAt: number;
}

export interface MessageEvent extends Origin {
  kind: "message";
  externalId: string;
  text: string;
  media: Media[];
  replyToId: string | null;
}

/** A button was pressed. Everything needed stands in `value`; the message may be gone. */
export interface ClickEvent extends Origin {
  kind: "click";
  messageId: string | null;
  action: string;
  value: string;
}

export interface CommandEvent extends Origin {
  kind: "command";
  /** Lower case, without the slash. */
  name: string;
  args: string;
}

/** A modal was sent, or a forced reply was answered. */
export interface SubmissionEvent extends Origin {
  kind: "submission";
  form: string;
  /** What the form was opened for, e.g. an approval id. */
  subject: string;
  values: Record<string, string>;
}

/** Blocked or unblocked by the lead, added to or removed from a group. */
export interface MembershipEvent extends Origin {
  kind: "membership";
  change: "blocked" | "unblocked" | "added" | "removed";
}

export type InboundEvent =
  | MessageEvent
  | ClickEvent
  | CommandEvent
  | SubmissionEvent
  | MembershipEvent;

/** Clicks, commands and submissions: handled at once by the desk, not behind a chat's queue. */
export type DeskEvent = ClickEvent | CommandEvent | SubmissionEvent;
