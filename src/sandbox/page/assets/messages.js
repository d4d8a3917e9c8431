import { isBot } from "./people.js";

/**
 * A message of either messenger, as the page shows it.
 * @typedef {object} Message
 * @property {string} id
 * @property {"telegram" | "slack"} messenger
 * @property {string} author
 * @property {boolean} fromBot
 * @property {string} text            all that can be read, without marks
 * @property {any[]} [entities]       Telegram: how parts of the text look
 * @property {any[]} [blocks]         Slack: the blocks that say more than the text
 * @property {{ label: string, [more: string]: any }[][]} buttons   Telegram: rows below the text
 * @property {{ emoji: string, users: string[] }[]} reactions
 * @property {string | null} thread
 * @property {string | null} replyTo
 * @property {string | null} privateFor   only this person sees it
 * @property {{ kind: string, url: string | null, name: string }[]} files
 * @property {boolean} isEdited
 * @property {boolean} asksReply      Telegram: the answer comes as a reply to it
 * @property {boolean} isProtected
 * @property {number} at              played time, milliseconds
 */

/** @returns {Message} */
export function messageOfTelegram(listed) {
  return {
    id: String(listed.message_id),
    messenger: "telegram",
    author: String(listed.user_id ?? ""),
    fromBot: listed.from_bot,
    text: listed.text,
    entities: listed.entities,
    buttons: listed.buttons,
    reactions: gather(listed.reactions.map(({ emoji, user_id }) => [emoji, String(user_id)])),
    thread: listed.thread_id === undefined ? null : String(listed.thread_id),
    replyTo: listed.reply_to_message_id === undefined ? null : String(listed.reply_to_message_id),
    privateFor: null,
    files: telegramFiles(listed),
    isEdited: listed.edited,
    asksReply: listed.force_reply === true,
    isProtected: listed.protected === true,
    at: listed.date * 1000,
  };
}

function telegramFiles({ media, file_id, file_name, contact }) {
  if (!media) return [];
  const url = file_id ? `/sandbox/api/telegram/files/${encodeURIComponent(file_id)}` : null;
  return [{ kind: media, url, name: file_name ?? contact?.phone_number ?? "" }];
}

/** @returns {Message} */
export function messageOfSlack(listed) {
  return {
    id: listed.ts,
    messenger: "slack",
    author: listed.user ?? "",
    fromBot: isBot(listed.user),
    text: listed.text,
    blocks: listed.blocks,
    buttons: listed.buttons.length > 0 ? [listed.buttons] : [],
    reactions: listed.reactions.map(({ name, users }) => ({ emoji: name, users })),
    thread: listed.thread_ts ?? null,
    replyTo: null,
    privateFor: listed.ephemeral_for ?? null,
    files: (listed.files ?? []).map(({ id, name, mimetype }) => ({
      kind: isImage(mimetype ?? name) ? "photo" : "document",
      url: `/sandbox/api/slack/files/${encodeURIComponent(id)}`,
      name,
    })),
    isEdited: listed.edited === true,
    asksReply: false,
    isProtected: false,
    at: Number(listed.ts.split(".")[0]) * 1000,
  };
}

function isImage(nameOrType) {
  return /^image\/|\.(png|jpe?g|gif|webp)$/i.test(nameOrType);
}

function gather(pairs) {
  const users = new Map();
  for (const [emoji, user] of pairs) users.set(emoji, [...(users.get(emoji) ?? []), user]);
  return [...users].map(([emoji, list]) => ({ emoji, users: list }));
}
