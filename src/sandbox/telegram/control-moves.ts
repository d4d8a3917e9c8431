import { z } from "zod";
import { ControlError } from "../control-body.ts";
import type { TelegramCore } from "./core.ts";
import type { TelegramMessage } from "./events.ts";
import { ADMIN_ID, type TelegramChat, type TelegramUser } from "./identity.ts";
import { changeBotStatus, meetChat, meetUser, requireKnownChat, requireMessage } from "./people.ts";
import { isReaction } from "./reaction-emoji.ts";
import { nextMessageId } from "./state.ts";
import { injectUpdate, makeUpdates } from "./update-queue.ts";

export const reactionSchema = z.strictObject({
  chat_id: z.int(),
  user_id: z.int().min(1),
  message_id: z.int(),
  emoji: z.array(z.string()).max(3),
  /** As an anonymous administrator: the bot sees the group instead of a person. */
  anonymous: z.boolean().optional(),
});

/** A person sets the whole of their reactions to a message. Throws ControlError. */
export function playReaction(core: TelegramCore, input: z.infer<typeof reactionSchema>) {
  const { chat_id: chatId, message_id: messageId, emoji } = input;
  const unknown = emoji.find((entry) => !isReaction(entry));
  if (unknown !== undefined) {
    throw new ControlError({
      status: 400,
      code: "reaction_invalid",
      message: `Telegram has no reaction "${unknown}" (no skin tones, no variation selectors).`,
      path: "emoji",
    });
  }
  const { reactions } = requireMessage(core, chatId, messageId);
  const { chat, botStatus } = requireKnownChat(core, chatId);
  const user = meetUser(core, input.user_id);
  const actorId = input.anonymous ? chatId : user.id;
  const before = reactions.get(actorId) ?? [];
  if (before.join() === emoji.join()) return { update_id: null };
  const body = {
    chat,
    message_id: messageId,
    ...(input.anonymous ? { actor_chat: chat } : { user }),
    date: core.date(),
    old_reaction: before.map(toReactionType),
    new_reaction: emoji.map(toReactionType),
  };
  const isHeard = chat.type === "private" ? botStatus === "member" : botStatus === "administrator";
  const told = chat.type === "channel" ? countOf(core, { ...input, actorId }) : body;
  const kind = chat.type === "channel" ? "message_reaction_count" : "message_reaction";
  const updates = isHeard ? makeUpdates(core, [[kind, told]]) : [];
  core.emit("reactions", { chatId, messageId, actorId, emoji, updates });
  return { update_id: updates[0]?.update.update_id ?? null };
}

/** In a channel nobody is named: only how often each emoji stands there. */
function countOf(
  core: TelegramCore,
  change: { chat_id: number; message_id: number; actorId: number; emoji: string[] },
) {
  const { reactions } = requireMessage(core, change.chat_id, change.message_id);
  const after = new Map(reactions).set(change.actorId, change.emoji);
  const counts = new Map<string, number>();
  for (const emoji of [...after.values()].flat()) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
  return {
    chat: requireKnownChat(core, change.chat_id).chat,
    message_id: change.message_id,
    date: core.date(),
    reactions: [...counts].map(([emoji, total_count]) => ({
      type: toReactionType(emoji),
      total_count,
    })),
  };
}

export const blockSchema = z.strictObject({ user_id: z.int().min(1), blocked: z.boolean() });

/** A person blocks the bot or lets it in again. */
export function playBlock(core: TelegramCore, input: z.infer<typeof blockSchema>) {
  const user = meetUser(core, input.user_id);
  const chat = meetChat(core, user.id, user);
  const status = input.blocked ? "kicked" : "member";
  return { update_id: changeBotStatus(core, chat, { by: user, status }) };
}

export const rightsSchema = z.strictObject({
  chat_id: z.int(),
  admin: z.boolean(),
  /** False: the bot is put out of the group. */
  inside: z.boolean().optional(),
});

/** The group's owner makes the bot an administrator or takes that away. Throws ControlError 404. */
export function playRights(core: TelegramCore, input: z.infer<typeof rightsSchema>) {
  const chat = requireKnownChat(core, input.chat_id);
  const status = input.inside === false ? "kicked" : input.admin ? "administrator" : "member";
  return { update_id: changeBotStatus(core, chat, { by: meetUser(core, ADMIN_ID), status }) };
}

export const migrateSchema = z.strictObject({
  chat_id: z.int(),
  /** Holds the two service messages back: the bot learns it from the next error. */
  silent: z.boolean().optional(),
});

/** A group becomes a supergroup with a new id; ids of messages do not carry over. */
export function playMigration(core: TelegramCore, input: z.infer<typeof migrateSchema>) {
  const { chat: old, migratedTo } = requireKnownChat(core, input.chat_id);
  if (migratedTo !== undefined) return { migrate_to_chat_id: migratedTo };
  // ids of before a reset are not used again either
  const known = [...core.state.chats.keys(), ...core.state.lastMessageIds.keys()];
  const id = Math.min(FIRST_MIGRATED_ID, ...known) - 1;
  const chat: TelegramChat = { ...old, id, type: "supergroup" };
  const date = core.date();
  const messages: TelegramMessage[] = [
    {
      message_id: nextMessageId(core.state, old),
      from: meetUser(core, ADMIN_ID),
      chat: old,
      date,
      migrate_to_chat_id: id,
    },
    {
      message_id: nextMessageId(core.state, chat),
      from: GROUP_ANONYMOUS_BOT,
      sender_chat: chat,
      chat,
      date,
      migrate_from_chat_id: old.id,
    },
  ];
  const wanted = messages.map((message) => ["message", message] as const);
  const updates = input.silent ? [] : makeUpdates(core, wanted);
  core.emit("migrated", { fromChatId: old.id, chat, messages, updates });
  return { migrate_to_chat_id: id };
}

export const redeliverSchema = z.strictObject({ update_id: z.int() });

/** Delivers an update once more, although it was confirmed. Throws ControlError 404. */
export function playRedelivery(core: TelegramCore, input: z.infer<typeof redeliverSchema>) {
  const past = core.state.pastUpdates.get(input.update_id);
  if (!past) {
    throw new ControlError({
      status: 404,
      code: "update_not_found",
      message: `No update ${input.update_id}.`,
      path: "update_id",
    });
  }
  core.emit("updates", { updates: [injectUpdate(core, past.update)] });
  return { update_id: input.update_id };
}

/** Migrated groups count down from here, below every id that is given by hand. */
const FIRST_MIGRATED_ID = -1_003_000_000_000;

/** The platform's own account, in whose name such messages stand. */
const GROUP_ANONYMOUS_BOT: TelegramUser = {
  id: 1087968824,
  is_bot: true,
  first_name: "Group",
  username: "GroupAnonymousBot",
};

function toReactionType(emoji: string) {
  return { type: "emoji", emoji };
}
