import type { TelegramCore } from "./core.ts";
import { badRequest } from "./errors.ts";
import type { BotStatus } from "./events.ts";
import { ADMIN_ID, BOT_USER } from "./identity.ts";
import type { Methods } from "./methods.ts";
import { isRecord, type Params } from "./params.ts";
import { isReaction } from "./reaction-emoji.ts";
import { requireChat } from "./send-target.ts";
import { type ChatState, findMessage } from "./state.ts";

/** Chats, their members, and the bot's own reactions. */
export function chatMethods(core: TelegramCore): Methods {
  return {
    table: {
      getchat: ({ params }) => {
        const { chat } = requireChat(core, params);
        return { ...chat, accent_color_id: 0, max_reaction_count: 11 };
      },
      getchatmember: ({ params }) => {
        const chat = requireChat(core, params);
        return describeMember(core, chat, params.integer("user_id") ?? 0);
      },
      getchatadministrators: ({ params }) => listAdministrators(core, requireChat(core, params)),
      getchatmembercount: ({ params }) => requireChat(core, params).members.size + 1,
      setmessagereaction: ({ params }) => setReaction(core, params),
      leavechat: ({ params }) => {
        const { chat } = requireChat(core, params);
        if (chat.type === "private")
          throw badRequest("chat member status can't be changed in private chats");
        core.emit("bot_status", { chatId: chat.id, status: "left" });
        return true;
      },
    },
  };
}

/** A ChatMember of the bot with the rights that a status gives it. */
export function describeBot(status: BotStatus) {
  const member = { user: BOT_USER, status };
  if (status === "administrator") return { ...member, can_be_edited: false, ...ADMIN_RIGHTS };
  return status === "kicked" ? { ...member, until_date: 0 } : member;
}

const ADMIN_RIGHTS = {
  can_manage_chat: true,
  can_change_info: true,
  can_delete_messages: true,
  can_invite_users: true,
  can_restrict_members: true,
  can_pin_messages: true,
  can_manage_topics: true,
  can_promote_members: false,
  can_manage_video_chats: true,
  can_post_stories: false,
  can_edit_stories: false,
  can_delete_stories: false,
  is_anonymous: false,
};

function describeMember(core: TelegramCore, chat: ChatState, userId: number) {
  if (userId === BOT_USER.id) return describeBot(chat.botStatus);
  const user = core.state.users.get(userId);
  if (!user) throw badRequest("user not found");
  if (!chat.members.has(userId)) return { user, status: "left" };
  const isOwner = userId === ADMIN_ID && chat.chat.type !== "private";
  return isOwner ? { user, status: "creator", is_anonymous: false } : { user, status: "member" };
}

function listAdministrators(core: TelegramCore, chat: ChatState) {
  if (chat.chat.type === "private") {
    throw badRequest("there are no administrators in the private chat");
  }
  const ids = [...(chat.members.has(ADMIN_ID) ? [ADMIN_ID] : []), BOT_USER.id];
  return ids
    .map((id) => describeMember(core, chat, id))
    .filter(({ status }) => status === "creator" || status === "administrator");
}

/** A bot may set one reaction on a message; its own reactions give no update. */
function setReaction(core: TelegramCore, params: Params): true {
  const { chat } = requireChat(core, params);
  const messageId = params.integer("message_id") ?? 0;
  if (!findMessage(core.state, chat.id, messageId)) throw badRequest("message to react not found");
  const value = params.json("reaction");
  const emoji = (Array.isArray(value) ? value : []).map((entry: unknown) =>
    isRecord(entry) && entry.type === "emoji" ? String(entry.emoji) : "",
  );
  if (emoji.length > 1) throw badRequest("REACTIONS_TOO_MANY");
  if (!emoji.every(isReaction)) throw badRequest("REACTION_INVALID");
  core.emit("reactions", { chatId: chat.id, messageId, actorId: BOT_USER.id, emoji });
  return true;
}
