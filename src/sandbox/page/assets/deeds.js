import { post } from "./api.js";

/**
 * Where somebody acts: a chat of one messenger, and the account that acts there.
 * @typedef {{ messenger: string, chat: string | number, user: string | number }} Where
 */

function inTelegram({ chat, user }) {
  return { chat_id: Number(chat), user_id: Number(user) };
}

function inSlack({ chat, user }) {
  return { channel: String(chat), user: String(user) };
}

/**
 * Sends a message; `thread` is a Slack thread or a Telegram topic, `more` goes along as it is.
 * @param {Where} where
 */
export function write(where, text, { thread = null, replyTo = null, more = {} } = {}) {
  if (where.messenger === "slack") {
    const place = thread === null ? {} : { thread_ts: thread };
    return post("/slack/messages", { ...inSlack(where), ...wordsOf(text), ...place, ...more });
  }
  return post("/telegram/messages", {
    ...inTelegram(where),
    ...wordsOf(text),
    ...(thread === null ? {} : { thread_id: Number(thread) }),
    ...(replyTo === null ? {} : { reply_to_message_id: Number(replyTo) }),
    ...more,
  });
}

function wordsOf(text) {
  return text === null ? {} : { text };
}

/** Presses a button of a message; answers with what the person is shown. @param {Where} where */
export function press(where, message, { label, action_id, value }) {
  if (where.messenger === "slack") {
    const button = { ts: message.id, label, action_id, value };
    return post("/slack/buttons", { ...inSlack(where), ...button });
  }
  return post("/telegram/buttons", { ...inTelegram(where), message_id: Number(message.id), label });
}

/** Adds the reaction, or takes one's own away. @param {Where} where */
export function react(where, message, { emoji, slack, isMine }) {
  if (where.messenger === "slack") {
    const reaction = { ts: message.id, name: slack, removed: isMine };
    return post("/slack/reactions", { ...inSlack(where), ...reaction });
  }
  const set = { message_id: Number(message.id), emoji: isMine ? [] : [emoji] };
  return post("/telegram/reactions", { ...inTelegram(where), ...set });
}

/** Slack's slash command; in Telegram a command is a message. @param {Where} where */
export function command(where, text) {
  const [name = "", ...rest] = text.split(" ");
  return post("/slack/commands", { ...inSlack(where), command: name, text: rest.join(" ") });
}

/** Hears when a choice of a group of radio buttons changes. */
export function onChoice(name, listener) {
  for (const radio of document.getElementsByName(name)) {
    radio.addEventListener("change", () => listener(radio.value));
  }
}

export function choose(name, value) {
  for (const radio of document.getElementsByName(name)) radio.checked = radio.value === value;
}
