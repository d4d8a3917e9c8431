import { enqueueEvent } from "./envelopes.ts";
import type { Folds, SlackFacts } from "./facts.ts";
import { channelType, fileJson, messageJson } from "./payloads.ts";
import { unescapeText } from "./reading.ts";
import { numberedId } from "./stamp.ts";
import { findMessage, type Json, type Message, putMessage, type SlackState } from "./state.ts";
import { BOT, directChannel, personOf, TEAM } from "./workspace.ts";

/** Messages, reactions and who is where. */
export const messageFolds: Folds = {
  "slack.message": addMessage,
  "slack.message_edited": editMessage,
  "slack.message_deleted": deleteMessage,
  "slack.reaction": react,
  "slack.direct_opened": (state, { channel, user }) => {
    meet(state, user);
    state.channels.set(channel, directChannel(channel, user));
  },
  "slack.channel_joined": joinChannel,
};

function meet(state: SlackState, user: string): void {
  if (!state.users.has(user)) state.users.set(user, personOf(user));
}

function joinChannel(state: SlackState, fact: SlackFacts["slack.channel_joined"]): void {
  meet(state, fact.user);
  const channel = state.channels.get(fact.channel);
  if (channel) channel.members.add(fact.user);
  else {
    const name = fact.name ?? fact.channel.toLowerCase();
    const members = new Set([fact.user]);
    state.channels.set(fact.channel, { id: fact.channel, name, isIm: false, members });
  }
}

function addMessage(state: SlackState, fact: SlackFacts["slack.message"]): void {
  const { seq, ts } = state.latest;
  const files = (fact.files ?? []).map((file, i) => ({
    ...file,
    id: file.id ?? numberedId("F", seq, i),
  }));
  for (const file of files) state.files.set(file.id, file);
  const message: Message = {
    ts,
    channel: fact.channel,
    user: fact.user,
    isBot: fact.isBot ?? false,
    text: fact.text,
    blocks: fact.blocks,
    threadTs: fact.thread_ts,
    metadata: fact.metadata,
    files,
    ephemeralFor: fact.ephemeral_for,
    reactions: [],
    versions: fact.blocks ? [fact.blocks] : [],
    deleted: false,
  };
  putMessage(state, message);
  if (message.ephemeralFor !== undefined) return;
  announce(state, message, newMessageEvent(state, message));
  if (!message.isBot && message.text.includes(`<@${BOT.userId}>`)) announceMention(state, message);
}

function newMessageEvent(state: SlackState, message: Message): Json {
  const event = { ...messageJson(message), ...routing(state, message, message.ts) };
  if (message.files.length === 0) return withRichText(event, message);
  return {
    ...event,
    subtype: "file_share",
    files: message.files.map(fileJson),
  };
}

/** What a person types arrives with a rich text block beside the text. */
function withRichText(event: Json, message: Message): Json {
  if (message.isBot || message.text === "") return event;
  const text = unescapeText(message.text.replace(/<(?:mailto:[^|>]*\|)?([^<>]*)>/g, "$1"));
  const section = { type: "rich_text_section", elements: [{ type: "text", text }] };
  return {
    ...event,
    blocks: [{ type: "rich_text", block_id: message.ts.slice(-5), elements: [section] }],
  };
}

function announceMention(state: SlackState, message: Message): void {
  if (state.channels.get(message.channel)?.isIm) return;
  const { ts, channel, user, text, threadTs } = message;
  const event: Json = { type: "app_mention", user, ts, text, team: TEAM.id, channel, event_ts: ts };
  if (threadTs) event.thread_ts = threadTs;
  enqueueEvent(state, { index: 1, title: `app_mention in ${channel}`, event });
}

function editMessage(state: SlackState, fact: SlackFacts["slack.message_edited"]): void {
  const before = findMessage(state, fact.channel, fact.ts);
  if (!before) return;
  const now = state.latest.ts;
  const after: Message = {
    ...before,
    text: fact.text,
    blocks: fact.blocks,
    metadata: fact.metadata ?? before.metadata,
    editedTs: now,
    versions: fact.blocks ? [...before.versions, fact.blocks] : before.versions,
  };
  putMessage(state, after);
  if (after.ephemeralFor !== undefined) return;
  announce(state, after, {
    type: "message",
    subtype: "message_changed",
    message: messageJson(after),
    previous_message: messageJson(before),
    hidden: true,
    ...routing(state, after, now),
    ts: now,
  });
}

function deleteMessage(state: SlackState, fact: SlackFacts["slack.message_deleted"]): void {
  const before = findMessage(state, fact.channel, fact.ts);
  if (!before) return;
  putMessage(state, { ...before, deleted: true });
  if (before.ephemeralFor !== undefined) return;
  const now = state.latest.ts;
  announce(state, before, {
    type: "message",
    subtype: "message_deleted",
    deleted_ts: before.ts,
    previous_message: messageJson(before),
    hidden: true,
    ...routing(state, before, now),
    ts: now,
  });
}

function react(state: SlackState, fact: SlackFacts["slack.reaction"]): void {
  const message = findMessage(state, fact.channel, fact.ts);
  if (!message) return;
  meet(state, fact.user);
  const others = message.reactions.filter((reaction) => reaction.name !== fact.name);
  const users = message.reactions.find((reaction) => reaction.name === fact.name)?.users ?? [];
  const without = users.filter((user) => user !== fact.user);
  const next = fact.removed ? without : [...without, fact.user];
  const reactions = next.length > 0 ? [...others, { name: fact.name, users: next }] : others;
  putMessage(state, { ...message, reactions });
  announce(state, message, {
    type: fact.removed ? "reaction_removed" : "reaction_added",
    user: fact.user,
    reaction: fact.name,
    item: { type: "message", channel: fact.channel, ts: fact.ts },
    item_user: message.user,
    event_ts: state.latest.ts,
  });
}

/** Hands the event to the bot, if the bot is in the channel. */
function announce(state: SlackState, message: Message, event: Json): void {
  if (!state.channels.get(message.channel)?.members.has(BOT.userId)) return;
  const kind = String(event.subtype ?? event.type);
  enqueueEvent(state, { index: 0, title: `${kind} in ${message.channel}`, event });
}

function routing(state: SlackState, message: Message, eventTs: string): Json {
  const channel = state.channels.get(message.channel);
  const json: Json = { channel: message.channel, event_ts: eventTs };
  if (channel) json.channel_type = channelType(channel);
  return json;
}
