/** Stands in rows of the database: a name is never changed. */
export type MessengerName = "telegram" | "slack";

/**
 * Who did something, as the messenger says it. Name and language are that person's own words and
 * prove nothing; rights are looked up by `id` together with `teamId`.
 */
export interface Person {
  id: string;
  /** Slack workspace; empty in Telegram. */
  teamId: string;
  name: string;
  /** As the messenger says it, e.g. `ru`. */
  languageCode?: string | null;
  isBot: boolean;
}

/**
 * A file, or another thing that is no text, as the messenger tells of it. Nothing is fetched yet:
 * names, types and sizes are what the sender's program claims.
 */
export interface Media {
  /** `forward`: a text of somebody else was passed on; it stands in the message. */
  kind:
    | "photo"
    | "document"
    | "video"
    | "video_note"
    | "voice"
    | "audio"
    | "sticker"
    | "forward"
    | "other";
  /** A GIF: a `video` that the messenger plays by itself. */
  isAnimation?: boolean;
  fileId?: string;
  fileName?: string;
  mimeType?: string;
  sizeBytes?: number;
  /** The person passed on somebody else's message. */
  forwarded?: boolean;
  /** Whose it was, as far as the messenger tells. The name is what its owner wrote. */
  forwardedFrom?: { kind: ForwardOrigin; name: string };
  /** Files that were sent together share it. */
  album?: string;
  /** It came with an earlier version of the message: it is no further file, and is not fetched. */
  earlier?: boolean;
  /** What the messenger calls a thing that is `other`: `location`, `poll`. */
  label?: string;
}

export type ForwardOrigin = "user" | "hidden_user" | "chat" | "channel";

/** Telegram's bots cannot fetch a larger file, and we fetch none from any messenger. */
export const LARGEST_FILE_BYTES = 20 * 1024 * 1024;

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

/** Of a lead, or of somebody in a group; what it may set going is decided when it is stored. */
export interface MessageEvent extends Origin {
  kind: "message";
  /** The messenger's own id of the message, unique in its chat. */
  externalId: string;
  /** As it was written, or the caption of a file; empty where there is none. */
  text: string;
  media: Media[];
  replyToId: string | null;
  /** A word with a slash that is no command of ours: a command still when one of the staff wrote it. */
  slashWord?: { name: string; args: string };
  /** It looks like a command, and the words are not the sender's own: nobody gave that order. */
  isPassedOn?: true;
}

/** A person changed an earlier message of theirs. */
export interface EditEvent extends Origin {
  kind: "edit";
  externalId: string;
  /** The whole new text, or caption. */
  text: string;
  media: Media[];
  /** When the message itself was written, the messenger's own time, milliseconds. */
  writtenAt: number;
}

/** Emoji as the messenger has them: characters in Telegram, names in Slack (no skin tones). */
export interface ReactionEvent extends Origin {
  kind: "reaction";
  messageId: string;
  added: string[];
  removed: string[];
}

/** A group has another id from now on; `chatId` is the old one. */
export interface MovedEvent extends Origin {
  kind: "moved";
  toChatId: string;
}

/** A button was pressed. Everything needed stands in `value`; the message may be gone. */
export interface ClickEvent extends Origin {
  kind: "click";
  messageId: string | null;
  action: string;
  value: string;
}

/** Only words that the edge knows as commands; others stay messages with a `slashWord`. */
export interface CommandEvent extends Origin {
  kind: "command";
  /** Lower case, without the slash. */
  name: string;
  /** The rest of the line, trimmed; empty where there is none. */
  args: string;
  /** Event key of the message that was changed to this: it is answered, and not carried out. */
  editOf?: string;
}

/** A modal was sent, or a forced reply was answered. */
export interface SubmissionEvent extends Origin {
  kind: "submission";
  form: string;
  /** What the form was opened for, e.g. an approval id. */
  subject: string;
  values: Record<string, string>;
  /** The message that holds the values, where a forced reply was answered. */
  messageId?: string;
}

/** Blocked or unblocked by the lead, added to or removed from a group. */
export interface MembershipEvent extends Origin {
  kind: "membership";
  change: "blocked" | "unblocked" | "added" | "removed";
}

/**
 * All that can come in from a messenger, free of its format. Stored before anything is answered.
 */
export type InboundEvent =
  | MessageEvent
  | EditEvent
  | ReactionEvent
  | ClickEvent
  | CommandEvent
  | SubmissionEvent
  | MembershipEvent
  | MovedEvent;

/** Handled at once by the desk, not behind a chat's queue. */
export type DeskEvent = AnsweredEvent | ReactionEvent;

/** The person is told in private what came of it; a reaction is taken in without a word. */
export type AnsweredEvent = ClickEvent | CommandEvent | SubmissionEvent;

/** Does the person wait for an answer to exactly this? Edge and desk have to agree on it. */
export function isAnswered(event: InboundEvent): event is AnsweredEvent {
  return event.kind === "click" || event.kind === "command" || event.kind === "submission";
}

/** Is it handled at once instead of in a chat's own order? */
export function isDeskEvent(event: InboundEvent): event is DeskEvent {
  return event.kind === "reaction" || isAnswered(event);
}
