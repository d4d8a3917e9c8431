import { eventIdOf, opaque, type Stamp } from "./stamp.ts";
import type { Channel, Hook, Json, Message, SlackState, StoredFile, View } from "./state.ts";
import { APP_ID, BOT, TEAM, VERIFICATION_TOKEN } from "./workspace.ts";

/** Stands for the server's address until the text leaves: the port may differ after a restart. */
export const ORIGIN = "http://origin.slack.invalid";

/** A message as events, interactions and `conversations.history` show it. */
export function messageJson(message: Message): Json {
  const json: Json = { type: "message", user: message.user, ts: message.ts, text: message.text };
  if (message.isBot) {
    json.bot_id = BOT.botId;
    json.app_id = APP_ID;
    json.bot_profile = botProfile();
  } else json.client_msg_id = opaque("client", message.ts, 32);
  json.team = TEAM.id;
  if (message.threadTs) json.thread_ts = message.threadTs;
  if (message.blocks) json.blocks = message.blocks;
  if (message.files.length > 0) json.files = message.files.map(fileJson);
  if (message.editedTs) json.edited = { user: message.user, ts: message.editedTs };
  return json;
}

export function botProfile(): Json {
  return {
    id: BOT.botId,
    deleted: false,
    name: BOT.name,
    updated: 1_700_000_000,
    app_id: APP_ID,
    user_id: BOT.userId,
    icons: { image_36: "", image_48: "", image_72: "" },
    team_id: TEAM.id,
  };
}

/** Addresses stand as `ORIGIN` and need the bot's token. */
export function fileJson(file: StoredFile): Json {
  const url = `${ORIGIN}/sandbox/slack/files/${file.id}/${encodeURIComponent(file.name)}`;
  return {
    id: file.id,
    name: file.name,
    title: file.name,
    mimetype: file.mimetype,
    filetype: file.name.split(".").at(-1) ?? "",
    size: file.size,
    mode: "hosted",
    url_private: url,
    url_private_download: url,
  };
}

export function channelType(channel: Channel): string {
  return channel.isIm ? "im" : "channel";
}

/** The outer body of an Events API event. */
export function eventCallback(event: Json, key: string, stamp: Stamp): Json {
  return {
    token: VERIFICATION_TOKEN,
    team_id: TEAM.id,
    context_team_id: TEAM.id,
    context_enterprise_id: null,
    api_app_id: APP_ID,
    event,
    type: "event_callback",
    event_id: eventIdOf(key),
    event_time: stamp.second,
    authorizations: [
      {
        enterprise_id: null,
        team_id: TEAM.id,
        user_id: BOT.userId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${opaque("context", key, 16)}`,
  };
}

/** The payload of a press; of an ephemeral message it holds no message. */
export function blockActions(
  input: { state: SlackState; message: Message; action: Json; hook: Hook; triggerId: string },
  stamp: Stamp,
): Json {
  const { message, hook } = input;
  const ephemeral = message.ephemeralFor !== undefined;
  const payload: Json = {
    type: "block_actions",
    user: userJson(input.state, hook.user),
    api_app_id: APP_ID,
    token: VERIFICATION_TOKEN,
    container: {
      type: "message",
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: ephemeral,
      ...(message.threadTs ? { thread_ts: message.threadTs } : {}),
    },
    trigger_id: input.triggerId,
    team: { id: TEAM.id, domain: TEAM.domain },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: message.channel, name: channelName(input.state, message.channel) },
    state: { values: {} },
    response_url: hookUrl(hook),
    actions: [{ ...input.action, action_ts: stamp.ts }],
  };
  if (!ephemeral) payload.message = messageJson(message);
  return payload;
}

export function slashCommand(input: {
  state: SlackState;
  command: string;
  text: string;
  hook: Hook;
  triggerId: string;
}): Json {
  const { hook } = input;
  return {
    token: VERIFICATION_TOKEN,
    team_id: TEAM.id,
    team_domain: TEAM.domain,
    channel_id: hook.channel,
    channel_name: channelName(input.state, hook.channel),
    user_id: hook.user,
    user_name: input.state.users.get(hook.user)?.name ?? hook.user,
    command: input.command,
    text: input.text,
    api_app_id: APP_ID,
    is_enterprise_install: "false",
    response_url: hookUrl(hook),
    trigger_id: input.triggerId,
  };
}

export function viewEvent(
  type: "view_submission" | "view_closed",
  input: { state: SlackState; view: View; user: string; values?: Json; triggerId?: string },
): Json {
  const view = viewJson(input.view, input.values);
  return {
    type,
    team: { id: TEAM.id, domain: TEAM.domain },
    user: userJson(input.state, input.user),
    api_app_id: APP_ID,
    token: VERIFICATION_TOKEN,
    ...(input.triggerId
      ? { trigger_id: input.triggerId, response_urls: [] }
      : { is_cleared: false }),
    view,
    is_enterprise_install: false,
    enterprise: null,
  };
}

/** Fields that the bot left out stand in it with Slack's own defaults. */
export function viewJson(view: View, values: Json = {}): Json {
  return {
    private_metadata: "",
    callback_id: "",
    external_id: "",
    clear_on_close: false,
    notify_on_close: false,
    submit: null,
    close: null,
    ...view.content,
    id: view.id,
    team_id: TEAM.id,
    state: { values },
    hash: view.hash,
    previous_view_id: view.previousId,
    root_view_id: view.rootId,
    app_id: APP_ID,
    app_installed_team_id: TEAM.id,
    bot_id: BOT.botId,
  };
}

function userJson(state: SlackState, id: string): Json {
  const name = state.users.get(id)?.name ?? id;
  return { id, username: name, name, team_id: TEAM.id };
}

function channelName(state: SlackState, id: string): string {
  const channel = state.channels.get(id);
  return channel?.isIm ? "directmessage" : (channel?.name ?? "");
}

function hookUrl(hook: Hook): string {
  return `${ORIGIN}/sandbox/slack/${hook.kind}/${TEAM.id}/${hook.id}`;
}
