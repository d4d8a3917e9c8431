import { createHash } from "node:crypto";
import type {
  ClickEvent,
  CommandEvent,
  InboundEvent,
  SubmissionEvent,
} from "../../domain/inbound.ts";
import { parseJson } from "../http-request.ts";
import { unescapeSlack } from "./escape.ts";
import { chatKindOf, personOf, type SlackContext } from "./origin.ts";
import { parseEvent } from "./parse-event.ts";
import {
  type BlockActions,
  blockActionsSchema,
  eventSchema,
  modalOriginSchema,
  type SlashCommand,
  slashCommandSchema,
  type ViewSubmission,
  viewSubmissionSchema,
} from "./payloads.ts";

/** What came in, and what is needed to answer the person in private. */
export interface SlackInbound {
  event: InboundEvent;
  responseUrl?: string;
  triggerId?: string;
}

/** null: nothing that concerns us. Throws nothing: a payload that cannot be read is null too. */
export function parseSlack(body: unknown, context: SlackContext): SlackInbound | null {
  const event = eventSchema.safeParse(body);
  if (event.success) return wrapped(parseEvent(event.data, context));
  const actions = blockActionsSchema.safeParse(body);
  if (actions.success) return parseClick(actions.data, context);
  const view = viewSubmissionSchema.safeParse(body);
  if (view.success) return parseSubmission(view.data, context);
  const command = slashCommandSchema.safeParse(body);
  if (command.success) return parseCommand(command.data, context);
  return null;
}

function wrapped(event: InboundEvent | null): SlackInbound | null {
  return event ? { event } : null;
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

/** Derived from the signed body: one interaction has one trigger, without it the payload is the key. */
function keyOf(body: { trigger_id?: string }): string {
  return body.trigger_id ?? createHash("sha256").update(JSON.stringify(body)).digest("hex");
}
