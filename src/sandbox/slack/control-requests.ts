import { ControlError } from "../control-body.ts";
import type { SlackCore } from "./core.ts";
import type { Channel } from "./state.ts";

/** For the control API; the bot's own API refuses in Slack's words. */
export function missing(message: string): ControlError {
  return new ControlError({ status: 404, code: "not_found", message });
}

/** Who acts in a channel is in it; a direct channel opens with the person's first word. */
export function enter(core: SlackCore, id: string, user: string): Channel {
  const channel = core.state.channels.get(id);
  if (channel?.members.has(user)) return channel;
  if (channel?.isIm) {
    throw wrong(`${id} is the direct channel of ${channel.user}.`);
  }
  if (channel) core.record("slack.channel_joined", { channel: id, user });
  else if (id.startsWith("D")) core.record("slack.direct_opened", { channel: id, user });
  const entered = core.state.channels.get(id);
  if (!entered) throw missing(`There is no channel ${id}.`);
  return entered;
}

function wrong(message: string): ControlError {
  return new ControlError({ status: 400, code: "invalid_body", message });
}
