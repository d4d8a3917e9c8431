import type { SlackCore } from "./core.ts";
import { Refusal } from "./refusal.ts";
import type { Channel, SlackState } from "./state.ts";
import { BOT, directChannelId } from "./workspace.ts";

/** The channel by id or `#name`. Throws `channel_not_found`. */
export function channelOf(state: SlackState, reference: string): Channel {
  const name = reference.startsWith("#") ? reference.slice(1) : undefined;
  const channel =
    name === undefined
      ? state.channels.get(reference)
      : [...state.channels.values()].find((entry) => entry.name === name);
  if (!channel) throw new Refusal("channel_not_found");
  return channel;
}

/** Where the bot may write; a person's id means the direct channel with them. */
export function channelForPost(core: SlackCore, reference: string): Channel {
  if (core.state.users.has(reference)) return openDirect(core, reference);
  const channel = channelOf(core.state, reference);
  if (channel.isArchived) throw new Refusal("is_archived");
  if (!channel.members.has(BOT.userId)) throw new Refusal("not_in_channel");
  return channel;
}

/** Made on first use and the same ever after, as in Slack. */
export function openDirect(core: SlackCore, user: string): Channel {
  const known = [...core.state.channels.values()].find((entry) => entry.user === user);
  if (known) return known;
  core.record("slack.direct_opened", { channel: directChannelId(user), user });
  return channelOf(core.state, directChannelId(user));
}
