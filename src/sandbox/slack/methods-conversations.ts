import { booleanOf, numberOf, required, stringOf } from "./arguments.ts";
import { channelOf, openDirect } from "./directory.ts";
import type { Method } from "./method.ts";
import { messageJson } from "./payloads.ts";
import { Refusal } from "./refusal.ts";
import {
  type Channel,
  channelMessages,
  type Json,
  type Message,
  type SlackState,
} from "./state.ts";
import { BOT, TEAM } from "./workspace.ts";

const open: Method = (args, core) => {
  const channel = stringOf(args, "channel");
  if (channel !== undefined) return { channel: { id: channelOf(core.state, channel).id } };
  const users = required(args, "users").split(",");
  const user = users[0] ?? "";
  if (users.length !== 1 || !core.state.users.has(user)) throw new Refusal("user_not_found");
  const before = core.state.channels.size;
  const { id } = openDirect(core, user);
  const known = core.state.channels.size === before;
  return { ...(known ? { no_op: true, already_open: true } : {}), channel: { id } };
};

const info: Method = (args, core) => ({
  channel: channelJson(channelOf(core.state, required(args, "channel"))),
});

const members: Method = (args, core) => {
  const channel = channelOf(core.state, required(args, "channel"));
  return { members: [...channel.members], response_metadata: { next_cursor: "" } };
};

const listAll: Method = (args, core) => {
  const types = (stringOf(args, "types") ?? "public_channel").split(",");
  const channels = [...core.state.channels.values()]
    .filter((channel) => types.includes(channel.isIm ? "im" : "public_channel"))
    .map(channelJson);
  return { channels, response_metadata: { next_cursor: "" } };
};

const join: Method = (args, core) => {
  const channel = channelOf(core.state, required(args, "channel"));
  if (channel.isIm) throw new Refusal("method_not_supported_for_channel_type");
  core.record("slack.channel_joined", { channel: channel.id, user: BOT.userId });
  return { channel: channelJson(channel) };
};

const history: Method = (args, core) => {
  const channel = readable(core.state, required(args, "channel"));
  const all = listed(core.state, channel.id).filter((message) => isTopLevel(message));
  return page(args, core.state, all.reverse());
};

const replies: Method = (args, core) => {
  const channel = readable(core.state, required(args, "channel"));
  const ts = required(args, "ts");
  const all = listed(core.state, channel.id);
  const asked = all.find((message) => message.ts === ts);
  if (!asked) throw new Refusal("thread_not_found");
  const root = asked.threadTs ?? ts;
  return page(
    args,
    core.state,
    all.filter((m) => m.ts === root || m.threadTs === root),
  );
};

export const conversationMethods: Record<string, Method> = {
  "conversations.open": open,
  "conversations.info": info,
  "conversations.members": members,
  "conversations.list": listAll,
  "conversations.join": join,
  "conversations.history": history,
  "conversations.replies": replies,
};

function readable(state: SlackState, reference: string): Channel {
  const channel = channelOf(state, reference);
  if (!channel.members.has(BOT.userId)) throw new Refusal("not_in_channel");
  return channel;
}

function listed(state: SlackState, channel: string): Message[] {
  return channelMessages(state, channel).filter((m) => m.ephemeralFor === undefined);
}

function isTopLevel(message: Message): boolean {
  return message.threadTs === undefined || message.threadTs === message.ts;
}

/** `ts` strings have equal lengths, so they compare as text. */
function page(args: Json, state: SlackState, messages: Message[]): Json {
  const oldest = stringOf(args, "oldest");
  const latest = stringOf(args, "latest");
  const inclusive = booleanOf(args, "inclusive");
  const within = messages.filter((message) => {
    if (inclusive && (message.ts === oldest || message.ts === latest)) return true;
    const after = oldest === undefined || Number(message.ts) > Number(oldest);
    return after && (latest === undefined || Number(message.ts) < Number(latest));
  });
  const limit = Math.min(Math.max(numberOf(args, "limit", 100), 1), 999);
  const start = Number(Buffer.from(stringOf(args, "cursor") ?? "", "base64").toString() || 0);
  const more = within.length > start + limit;
  const next_cursor = more ? Buffer.from(String(start + limit)).toString("base64") : "";
  const withMetadata = booleanOf(args, "include_all_metadata");
  return {
    messages: within.slice(start, start + limit).map((m) => listedJson(state, m, withMetadata)),
    has_more: more,
    ...(more ? { response_metadata: { next_cursor } } : {}),
  };
}

function listedJson(state: SlackState, message: Message, withMetadata: boolean): Json {
  const json = messageJson(message);
  const answers = listed(state, message.channel).filter((m) => m.threadTs === message.ts);
  if (answers.length > 0) {
    json.thread_ts = message.ts;
    json.reply_count = answers.length;
    json.latest_reply = answers.at(-1)?.ts;
  }
  if (message.reactions.length > 0) {
    json.reactions = message.reactions.map((r) => ({ ...r, count: r.users.length }));
  }
  if (withMetadata && message.metadata) json.metadata = message.metadata;
  return json;
}

function channelJson(channel: Channel): Json {
  const common = {
    id: channel.id,
    is_im: channel.isIm,
    is_archived: channel.isArchived ?? false,
    created: 1_700_000_000,
  };
  if (channel.isIm) return { ...common, user: channel.user, is_open: true };
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: true,
    is_private: false,
    is_member: channel.members.has(BOT.userId),
    num_members: channel.members.size,
    context_team_id: TEAM.id,
  };
}
