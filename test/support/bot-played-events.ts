import { LARGEST_FILE_BYTES } from "../../src/domain/inbound.ts";
import { type PlayedMessenger, playSlack, playTelegram } from "./bot-played-messengers.ts";

/** What people do besides writing and pressing, the same way whichever the messenger is. */
export interface PlayedEvents extends PlayedMessenger {
  /** The lead's message with a picture; the message's id. */
  sendPhoto(caption: string): Promise<string>;
  say(text: string): Promise<string>;
  /** The lead changes a message. */
  edit(id: string, text: string): Promise<void>;
  /** Alice sets this emoji to a message in the operators' chat, or takes it back. */
  react(id: string, emoji: "good" | "wrong_tool", isOn: boolean): Promise<void>;
  /** The messenger's own word for it. */
  emoji: { good: string; wrong_tool: string };
  reactAsBot(id: string): Promise<void>;
  /** Three pictures sent together, the caption at the second. */
  album(caption: string): Promise<void>;
  /** The lead passes on what Ann wrote. */
  forward(text: string): Promise<void>;
  sendHugeFile(name: string): Promise<void>;
  /** Things without a word in them, of known kinds and of a future one; how many are turns. */
  sendOddities(): Promise<number>;
}

const LEAD = { chat_id: 1001, user_id: 1001 };

export async function playTelegramEvents(): Promise<PlayedEvents> {
  const telegram = await playTelegram();
  const emoji = { good: "👍", wrong_tool: "🤔" };
  const operators = Number(telegram.operatorsChat);
  const set = new Map<string, Set<string>>();
  const send = (content: object) => telegram.play("telegram/messages", { ...LEAD, ...content });
  const idOf = async (content: object) => String((await send(content)).message_id);
  const inject = (content: object) => {
    const from = { id: 1001, is_bot: false, first_name: "Lena" };
    const chat = { id: 1001, type: "private", first_name: "Lena" };
    const message = { message_id: nextId(), date: 1_790_000_000, from, chat, ...content };
    return telegram.play("telegram/updates", [{ message }]);
  };
  return {
    ...telegram,
    emoji,
    say: (text) => idOf({ text }),
    sendPhoto: (caption) => idOf({ photo: {}, caption }),
    edit: (id, text) => telegram.play("telegram/edits", { ...LEAD, message_id: Number(id), text }),
    async react(id, name, isOn) {
      const now = set.get(id) ?? new Set();
      if (isOn) now.add(emoji[name]);
      else now.delete(emoji[name]);
      set.set(id, now);
      const who = { chat_id: operators, user_id: 2001, message_id: Number(id) };
      await telegram.play("telegram/reactions", { ...who, emoji: [...now] });
    },
    reactAsBot: (id) =>
      telegram.call("setMessageReaction", {
        ...{ chat_id: operators, message_id: Number(id) },
        reaction: [{ type: "emoji", emoji: emoji.good }],
      }),
    async album(caption) {
      for (const own of [{}, { caption }, {}])
        await send({ photo: {}, media_group_id: "777", ...own });
    },
    async forward(text) {
      const sender_user = { id: 5, is_bot: false, first_name: "Ann" };
      await send({ text, forward_origin: { type: "user", date: 1, sender_user } });
    },
    sendHugeFile: (name) =>
      send({ document: { file_name: name, file_size: LARGEST_FILE_BYTES + 1 } }),
    async sendOddities() {
      const contact = { phone_number: "+4915100000000", first_name: "Bob", user_id: 77 };
      const oddities = [
        { location: { latitude: 7.9, longitude: 98.3 } },
        { poll: { id: "1", question: "?", options: [] } },
        { dice: { emoji: "🎲", value: 4 } },
        { sticker: { file_id: "S", file_unique_id: "s", type: "regular", width: 1, height: 1 } },
        { future_thing: { size: 3 } },
      ];
      await send({ contact });
      for (const content of oddities) await inject(content);
      return oddities.length + 1;
    },
  };
}

let lastId = 900_000;

function nextId(): number {
  lastId += 1;
  return lastId;
}

export async function playSlackEvents(): Promise<PlayedEvents> {
  const slack = await playSlack();
  const emoji = { good: "+1", wrong_tool: "thinking_face" };
  const lead = { channel: "D0LEAD", user: "U0LEAD" };
  const send = (content: object) => slack.play("slack/messages", { ...lead, ...content });
  const picture = { name: "passport.png", mimetype: "image/png" };
  const inject = (event: object) => {
    const message = { type: "message", channel_type: "im", ...lead, ts: `${nextId()}.000100` };
    return slack.play("slack/events", { ...message, ...event });
  };
  return {
    ...slack,
    emoji,
    say: async (text) => (await send({ text })).ts,
    sendPhoto: async (text) => (await send({ text, files: [picture] })).ts,
    edit: (ts, text) => slack.play("slack/edits", { ...lead, ts, text }),
    react: (ts, name, isOn) =>
      slack.play("slack/reactions", {
        ...{ channel: slack.operatorsChat, user: "U0ALICE", ts },
        ...{ name: `${emoji[name]}::skin-tone-4`, removed: !isOn },
      }),
    reactAsBot: (timestamp) =>
      slack.call("reactions.add", { channel: slack.operatorsChat, timestamp, name: emoji.good }),
    album: (text) => send({ text, files: [picture, picture, picture] }),
    forward: (text) =>
      inject({ text: "", attachments: [{ is_share: true, author_name: "Ann", text }] }),
    sendHugeFile: (name) =>
      inject({
        subtype: "file_share",
        text: "",
        files: [{ id: "F1", name, mimetype: "application/pdf", size: LARGEST_FILE_BYTES + 1 }],
      }),
    async sendOddities() {
      await inject({ text: "" });
      await inject({ text: "", blocks: [{ type: "hologram" }], attachments: "nonsense" });
      await inject({ subtype: "huddle_thread", text: "a notice" });
      await slack.play("slack/events", { type: "hologram_opened", user: "U0LEAD" });
      const file = { type: "file", file: "F1" };
      await slack.play("slack/events", { type: "reaction_added", user: "U0LEAD", item: file });
      return 2;
    },
  };
}
