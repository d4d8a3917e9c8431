import { required } from "./arguments.ts";
import type { Method } from "./method.ts";
import { botProfile, fileJson } from "./payloads.ts";
import { Refusal } from "./refusal.ts";
import type { Json, User } from "./state.ts";
import { APP_ID, BOT, TEAM } from "./workspace.ts";

export const peopleMethods: Record<string, Method> = {
  "auth.test": () => ({
    url: `https://${TEAM.domain}.slack.com/`,
    team: TEAM.name,
    user: BOT.name,
    team_id: TEAM.id,
    user_id: BOT.userId,
    bot_id: BOT.botId,
    app_id: APP_ID,
    is_enterprise_install: false,
  }),
  "users.info": (args, core) => {
    const user = core.state.users.get(required(args, "user"));
    if (!user) throw new Refusal("user_not_found");
    return { user: userJson(user) };
  },
  "users.list": (_args, core) => ({
    members: [...core.state.users.values()].map(userJson),
    response_metadata: { next_cursor: "" },
  }),
  "bots.info": (args) => {
    if (required(args, "bot") !== BOT.botId) throw new Refusal("bot_not_found");
    return { bot: botProfile() };
  },
  "team.info": () => ({ team: { ...TEAM, email_domain: "" } }),
  "files.info": (args, core) => {
    const file = core.state.files.get(required(args, "file"));
    if (!file) throw new Refusal("file_not_found");
    return { file: fileJson(file) };
  },
};

function userJson(user: User): Json {
  return {
    id: user.id,
    team_id: TEAM.id,
    name: user.name,
    real_name: user.realName,
    deleted: false,
    is_bot: user.isBot,
    is_app_user: false,
    tz: "Asia/Bangkok",
    tz_offset: 25_200,
    locale: "en-US",
    profile: {
      real_name: user.realName,
      display_name: user.name,
      image_72: "",
      team: TEAM.id,
    },
  };
}
