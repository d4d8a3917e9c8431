import type { webApi } from "@slack/bolt";
import type { ChatFacts } from "../../domain/chat-facts.ts";
import { slackCode } from "./delivery-error.ts";

/** Refusals that mean that we are no part of the channel. */
const NOT_OURS = new Set(["channel_not_found", "not_in_channel"]);

/** What Slack says of a channel; there being a member is all that we need. */
export async function chatFacts(client: webApi.WebClient, channel: string): Promise<ChatFacts> {
  try {
    const info = await client.conversations.info({ channel });
    return known(info.channel?.is_member === true || info.channel?.is_im === true);
  } catch (error) {
    const code = slackCode(error);
    // an app without the scope cannot look, but may be able to write
    if (code === "missing_scope") return { kind: "unreachable" };
    return code !== undefined && NOT_OURS.has(code) ? known(false) : { kind: "unreachable" };
  }
}

function known(isMember: boolean): ChatFacts {
  const rights = { isForum: false, isAdmin: true, mayManageTopics: true, mayDeleteMessages: true };
  return { kind: "known", isMember, ...rights };
}
