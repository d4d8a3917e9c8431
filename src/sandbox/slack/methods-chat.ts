import { required } from "./arguments.ts";
import { readContent, readThread } from "./content.ts";
import type { SlackCore } from "./core.ts";
import { channelForPost, channelOf } from "./directory.ts";
import type { Method } from "./method.ts";
import { messageJson } from "./payloads.ts";
import { Refusal } from "./refusal.ts";
import { findMessage, type Json, liveMessage, type Message } from "./state.ts";
import { BOT } from "./workspace.ts";

const postMessage: Method = (args, core) => {
  const channel = channelForPost(core, required(args, "channel"));
  const content = readContent(args, "post");
  const thread_ts = readThread(args, (ts) => liveMessage(core.state, channel.id, ts) !== undefined);
  const { ts } = core.record("slack.message", {
    channel: channel.id,
    user: BOT.userId,
    isBot: true,
    ...content,
    thread_ts,
  });
  return { channel: channel.id, ts, message: shown(core, channel.id, ts) };
};

const update: Method = (args, core) => {
  const channel = channelOf(core.state, required(args, "channel"));
  const ts = required(args, "ts");
  const before = ownMessage(core, { channel: channel.id, ts }, "cant_update_message");
  const content = readContent(args, "update");
  core.record("slack.message_edited", { channel: channel.id, ts, ...content });
  const text = content.text || before.text;
  return { channel: channel.id, ts, text, message: shown(core, channel.id, ts) };
};

const remove: Method = (args, core) => {
  const channel = channelOf(core.state, required(args, "channel"));
  const ts = required(args, "ts");
  ownMessage(core, { channel: channel.id, ts }, "cant_delete_message");
  core.record("slack.message_deleted", { channel: channel.id, ts });
  return { channel: channel.id, ts };
};

const postEphemeral: Method = (args, core) => {
  const channel = channelForPost(core, required(args, "channel"));
  const user = required(args, "user");
  if (!channel.members.has(user)) throw new Refusal("user_not_in_channel");
  const content = readContent(args, "post");
  const thread_ts = readThread(args, (ts) => liveMessage(core.state, channel.id, ts) !== undefined);
  const { ts } = core.record("slack.message", {
    channel: channel.id,
    user: BOT.userId,
    isBot: true,
    ...content,
    thread_ts,
    ephemeral_for: user,
  });
  return { message_ts: ts };
};

const getPermalink: Method = (args, core) => {
  const channel = channelOf(core.state, required(args, "channel"));
  const ts = required(args, "message_ts");
  const message = liveMessage(core.state, channel.id, ts);
  if (!message) throw new Refusal("message_not_found");
  const path = `${channel.id}/p${ts.replace(".", "")}`;
  const thread = message.threadTs ? `?thread_ts=${message.threadTs}&cid=${channel.id}` : "";
  return { channel: channel.id, permalink: `https://sandbox.slack.com/archives/${path}${thread}` };
};

export const chatMethods: Record<string, Method> = {
  "chat.postMessage": postMessage,
  "chat.update": update,
  "chat.delete": remove,
  "chat.postEphemeral": postEphemeral,
  "chat.getPermalink": getPermalink,
};

/** The bot may change only what it wrote itself; private messages cannot be addressed at all. */
function ownMessage(core: SlackCore, at: { channel: string; ts: string }, notOwn: string): Message {
  const message = liveMessage(core.state, at.channel, at.ts);
  if (!message) throw new Refusal("message_not_found");
  if (!message.isBot) throw new Refusal(notOwn);
  return message;
}

function shown(core: SlackCore, channel: string, ts: string): Json | undefined {
  const message = findMessage(core.state, channel, ts);
  if (!message) return undefined;
  const metadata = message.metadata ? { metadata: message.metadata } : {};
  return { ...messageJson(message), ...metadata };
}
