import type {
  EditEvent,
  InboundEvent,
  Media,
  MessageEvent,
  ReactionEvent,
} from "../../domain/inbound.ts";
import { unescapeSlack } from "./escape.ts";
import { chatKindOf, msOf, personOf, type SlackContext } from "./origin.ts";
import {
  type ChangedMessage,
  changedMessageSchema,
  type EventCallback,
  messageSchema,
  reactionSchema,
  type SlackContent,
  type SlackMessage,
  type SlackReaction,
} from "./payloads.ts";

/** Human turns that carry a subtype; every other subtype is a notice, or a bot. */
const SPOKEN = new Set(["file_share", "thread_broadcast", "me_message"]);

interface About {
  /** Shared channels: the workspace that we are installed in, not the author's. */
  teamId: string;
  eventId: string;
  context: SlackContext;
}

/** null: nothing that concerns us, as what bots do, we among them. */
export function parseEvent(callback: EventCallback, context: SlackContext): InboundEvent | null {
  const { authorizations, context_team_id, team_id, event_id: eventId } = callback;
  const teamId = authorizations?.[0]?.team_id ?? context_team_id ?? team_id ?? "";
  const about = { teamId, eventId, context };
  const reaction = reactionSchema.safeParse(callback.event);
  if (reaction.success) return parseReaction(reaction.data, about);
  const changed = changedMessageSchema.safeParse(callback.event);
  if (changed.success) return parseEdit(changed.data, about);
  const message = messageSchema.safeParse(callback.event);
  return message.success ? parseMessage(message.data, about) : null;
}

function parseMessage(message: SlackMessage, about: About): MessageEvent | null {
  const author = authorOf(message, about);
  if (!author) return null;
  return {
    ...placeOf(message, about),
    kind: "message",
    // the same message may come under two event ids
    eventKey: `message:${message.channel}:${message.ts}`,
    threadId: message.thread_ts ?? null,
    person: author,
    sentAt: msOf(message.ts) ?? about.context.now,
    externalId: message.ts,
    text: textOf(message),
    media: mediaOf(message),
    replyToId: message.thread_ts && message.thread_ts !== message.ts ? message.thread_ts : null,
  };
}

/** Also comes when Slack alone changed something, as a link's preview: with the same text. */
function parseEdit(changed: ChangedMessage, about: About): EditEvent | null {
  const { message } = changed;
  const author = authorOf(message, about);
  if (!author) return null;
  const { now } = about.context;
  return {
    ...placeOf(changed, about),
    kind: "edit",
    eventKey: `edit:${changed.channel}:${message.ts}:${changed.ts}`,
    threadId: message.thread_ts ?? null,
    person: author,
    sentAt: msOf(changed.ts) ?? now,
    writtenAt: msOf(message.ts) ?? now,
    externalId: message.ts,
    text: textOf(message),
    media: mediaOf(message),
  };
}

function parseReaction(reaction: SlackReaction, about: About): ReactionEvent | null {
  const { user, item } = reaction;
  const { context } = about;
  if (user === context.botUserId) return null;
  const [name = ""] = reaction.reaction.split("::"); // the skin tone stands behind
  const isAdded = reaction.type === "reaction_added";
  return {
    ...placeOf({ channel: item.channel }, about),
    kind: "reaction",
    eventKey: `reaction:${about.eventId}`,
    threadId: null,
    person: personOf(user, about.teamId, undefined),
    sentAt: msOf(reaction.event_ts) ?? context.now,
    messageId: item.ts,
    added: isAdded ? [name] : [],
    removed: isAdded ? [] : [name],
  };
}

/** null: a bot, we ourselves, or a notice that nobody said. */
function authorOf(message: SlackContent, { teamId, context }: About) {
  const { subtype, user } = message;
  if (subtype !== undefined && !SPOKEN.has(subtype)) return null;
  if (!user || message.bot_id || user === context.botUserId) return null;
  return personOf(user, teamId, undefined);
}

function placeOf(place: { channel: string; channel_type?: string }, { context }: About) {
  return {
    messenger: "slack" as const,
    channelId: context.channelId,
    chatId: place.channel,
    chatKind: place.channel_type === "im" ? ("private" as const) : chatKindOf(place.channel),
  };
}

function textOf(message: SlackContent): string {
  const passedOn = shared(message).map(({ text }) => text);
  return [message.text, ...passedOn]
    .filter((text) => typeof text === "string" && text !== "")
    .map((text) => unescapeSlack(text ?? ""))
    .join("\n");
}

/** A message in which nothing can be read still is one. */
function mediaOf(message: SlackContent): Media[] {
  const forwards = shared(message).map(({ author_name: author }): Media => {
    return {
      kind: "forward",
      forwarded: true,
      ...(author ? { forwardedFrom: { kind: "user", name: author } } : {}),
    };
  });
  const media = [...(message.files ?? []).map(fileOf), ...forwards];
  return media.length === 0 && !message.text ? [{ kind: "other" }] : media;
}

function shared(message: SlackContent) {
  return (message.attachments ?? []).filter((one) => one.is_share === true);
}

function fileOf(file: NonNullable<SlackContent["files"]>[number]): Media {
  const type = file.mimetype ?? "";
  return {
    kind: kindOf(type),
    ...(file.id ? { fileId: file.id } : {}),
    ...(file.name ? { fileName: file.name } : {}),
    ...(type ? { mimeType: type } : {}),
    ...(file.size === null || file.size === undefined ? {} : { sizeBytes: file.size }),
  };
}

function kindOf(mimeType: string): Media["kind"] {
  if (mimeType.startsWith("image/")) return "photo";
  if (mimeType.startsWith("video/")) return "video";
  if (mimeType.startsWith("audio/")) return "audio";
  return "document";
}
