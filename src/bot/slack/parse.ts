import { createHash } from "node:crypto";
import type {
  ClickEvent,
  CommandEvent,
  InboundEvent,
  Media,
  MessageEvent,
  Person,
  SubmissionEvent,
} from "../../domain/inbound.ts";
import { unescapeSlack } from "./escape.ts";
import {
  type BlockActions,
  blockActionsSchema,
  eventSchema,
  messageSchema,
  modalOriginSchema,
  type SlackMessage,
  type SlashCommand,
  slashCommandSchema,
  type ViewSubmission,
  viewSubmissionSchema,
} from "./payloads.ts";

export interface SlackContext {
  channelId: string;
  botUserId: string;
  now: number;
}

/** What came in, and what is needed to answer the person in private. */
export interface SlackInbound {
  event: InboundEvent;
  responseUrl?: string;
  triggerId?: string;
}

/** Human turns that carry a subtype; every other subtype is a notice, an edit or a bot. */
const SPOKEN = new Set(["file_share", "thread_broadcast", "me_message"]);

/** null: nothing that concerns us. Throws nothing: a payload that cannot be read is null too. */
export function parseSlack(body: unknown, context: SlackContext): SlackInbound | null {
  const event = eventSchema.safeParse(body);
  if (event.success) {
    const message = messageSchema.safeParse(event.data.event);
    if (!message.success) return null;
    const { authorizations, context_team_id, team_id } = event.data;
    // shared channels: the workspace that we are installed in, not the author's
    const teamId = authorizations?.[0]?.team_id ?? context_team_id ?? team_id ?? "";
    return parseMessage(message.data, teamId, context);
  }
  const actions = blockActionsSchema.safeParse(body);
  if (actions.success) return parseClick(actions.data, context);
  const view = viewSubmissionSchema.safeParse(body);
  if (view.success) return parseSubmission(view.data, context);
  const command = slashCommandSchema.safeParse(body);
  if (command.success) return parseCommand(command.data, context);
  return null;
}

function parseMessage(
  message: SlackMessage,
  teamId: string,
  context: SlackContext,
): SlackInbound | null {
  if (message.subtype !== undefined && !SPOKEN.has(message.subtype)) return null;
  if (!message.user || message.bot_id || message.user === context.botUserId) return null;
  const isPrivate = message.channel_type === "im" || message.channel.startsWith("D");
  const event: MessageEvent = {
    kind: "message",
    messenger: "slack",
    channelId: context.channelId,
    // the same message may come under two event ids
    eventKey: `message:${message.channel}:${message.ts}`,
    chatId: message.channel,
    chatKind: isPrivate ? "private" : "group",
    threadId: message.thread_ts ?? null,
    person: personOf(message.user, teamId, undefined),
    sentAt: msOf(message.ts) ?? context.now,
    externalId: message.ts,
    text: unescapeSlack(message.text ?? ""),
    media: (message.files ?? []).map(mediaOf),
    replyToId: message.thread_ts && message.thread_ts !== message.ts ? message.thread_ts : null,
  };
  return { event };
}

function mediaOf(file: NonNullable<SlackMessage["files"]>[number]): Media {
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

function parseClick(body: BlockActions, context: SlackContext): SlackInbound | null {
  const action = body.actions[0];
  const chatId = body.channel?.id ?? body.container?.channel_id;
  if (action?.type !== "button" || !chatId) return null;
  const event: ClickEvent = {
    ...interactionOf(body, chatId, context),
    kind: "click",
    eventKey: `click:${keyOf(body)}`,
    threadId: body.container?.thread_ts ?? null,
    messageId: body.container?.message_ts ?? null,
    // several buttons of one action are told apart by a number
    action: action.action_id.replace(/#\d+$/, ""),
    value: action.value ?? "",
  };
  return { event, responseUrl: body.response_url, triggerId: body.trigger_id };
}

function parseSubmission(body: ViewSubmission, context: SlackContext): SlackInbound | null {
  const origin = modalOriginSchema.safeParse(parseJson(body.view.private_metadata));
  if (!origin.success) return null;
  const { chatId, threadId, subject } = origin.data;
  const values: Record<string, string> = {};
  for (const [name, inputs] of Object.entries(body.view.state.values))
    values[name] = Object.values(inputs)[0]?.value ?? "";
  const event: SubmissionEvent = {
    ...interactionOf(body, chatId, context),
    kind: "submission",
    eventKey: `submission:${keyOf(body)}`,
    threadId,
    form: body.view.callback_id,
    subject,
    values,
  };
  return { event };
}

function parseCommand(body: SlashCommand, context: SlackContext): SlackInbound {
  const event: CommandEvent = {
    messenger: "slack",
    channelId: context.channelId,
    chatId: body.channel_id,
    chatKind: chatKindOf(body.channel_id),
    person: personOf(body.user_id, body.team_id ?? "", body.user_name),
    sentAt: context.now,
    kind: "command",
    eventKey: `command:${keyOf(body)}`,
    threadId: null,
    name: body.command.slice(1).toLowerCase(),
    args: unescapeSlack(body.text ?? "").trim(),
  };
  return { event, responseUrl: body.response_url, triggerId: body.trigger_id };
}

function interactionOf(
  body: Pick<BlockActions, "user" | "team">,
  chatId: string,
  context: SlackContext,
) {
  const { user, team } = body;
  return {
    messenger: "slack" as const,
    channelId: context.channelId,
    chatId,
    chatKind: chatKindOf(chatId),
    person: personOf(user.id, user.team_id ?? team?.id ?? "", user.name ?? user.username),
    sentAt: context.now,
  };
}

function chatKindOf(chatId: string): "private" | "group" {
  return chatId.startsWith("D") ? "private" : "group";
}

function personOf(id: string, teamId: string, name: string | undefined): Person {
  return { id, teamId, name: name || id, isBot: false };
}

/** One interaction has one trigger; without it the payload itself is the key. */
function keyOf(body: { trigger_id?: string }): string {
  return body.trigger_id ?? createHash("sha256").update(JSON.stringify(body)).digest("hex");
}

/** A ts is an id, never a number; only its time is read here. */
function msOf(ts: string): number | null {
  const ms = Number(ts) * 1000;
  return Number.isFinite(ms) ? Math.round(ms) : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
