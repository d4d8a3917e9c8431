import { required } from "./arguments.ts";
import type { SlackCore } from "./core.ts";
import { channelOf } from "./directory.ts";
import type { Method } from "./method.ts";
import { Refusal } from "./refusal.ts";
import { type Json, liveMessage, type Message } from "./state.ts";
import { BOT } from "./workspace.ts";

const add: Method = (args, core) => {
  const { message, name } = target(args, core);
  if (hasOwn(message, name)) throw new Refusal("already_reacted");
  const { channel, ts } = message;
  core.record("slack.reaction", { channel, ts, user: BOT.userId, name });
  return {};
};

const remove: Method = (args, core) => {
  const { message, name } = target(args, core);
  if (!hasOwn(message, name)) throw new Refusal("no_reaction");
  const { channel, ts } = message;
  core.record("slack.reaction", { channel, ts, user: BOT.userId, name, removed: true });
  return {};
};

export const reactionMethods: Record<string, Method> = {
  "reactions.add": add,
  "reactions.remove": remove,
};

function target(args: Json, core: SlackCore): { message: Message; name: string } {
  const name = required(args, "name");
  if (!/^[\p{L}\p{N}_+'-]+(::skin-tone-[2-6])?$/u.test(name)) throw new Refusal("invalid_name");
  const channel = channelOf(core.state, required(args, "channel"));
  const ts = required(args, "timestamp");
  if (!/^\d+\.\d{6}$/.test(ts)) throw new Refusal("bad_timestamp");
  const message = liveMessage(core.state, channel.id, ts);
  if (!message) throw new Refusal("message_not_found");
  return { message, name };
}

function hasOwn(message: Message, name: string): boolean {
  return message.reactions.some((r) => r.name === name && r.users.includes(BOT.userId));
}
