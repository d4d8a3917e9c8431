import { describe, expect, test } from "vitest";
import type { Update } from "../../src/bot/telegram/api-types.ts";
import {
  parseUpdate,
  type UpdateContext,
  whyIgnored,
} from "../../src/bot/telegram/parse-update.ts";
import { createPromptCodec } from "../../src/bot/telegram/prompt.ts";

const prompts = createPromptCodec("1:token");
const context: UpdateContext = {
  channelId: "channel-1",
  bot: { id: 7, username: "OurBot" },
  isCommand: (name) => name === "pending",
  readPrompt: prompts.read,
  now: 1_000,
};
const lead = { id: 1001, is_bot: false, first_name: "Lena" };
const privately = { id: 1001, type: "private" };
const group = { id: -100, type: "supergroup", title: "Operators" };
const DATE = 1_790_000_000;

/** Shapes that the types do not know are part of the matter. */
function parse(update: object) {
  return parseUpdate({ update_id: 44, ...update } as Update, context);
}

describe("an edited message", () => {
  const edited = (fields: object) =>
    parse({
      edited_message: {
        ...{ message_id: 5, date: DATE, edit_date: DATE + 60, chat: privately, from: lead },
        ...fields,
      },
    });

  test("is read with both times and a key of its own", () => {
    expect(edited({ text: "make that 2500" })).toMatchObject({
      ...{ kind: "edit", externalId: "5", text: "make that 2500", media: [] },
      ...{ eventKey: "edit:1001:5:44", chatKind: "private" },
      ...{ sentAt: (DATE + 60) * 1000, writtenAt: DATE * 1000 },
    });
  });

  test("has its new caption and its picture", () => {
    const photo = [{ file_id: "p", file_size: 9 }];
    expect(edited({ photo, caption: "both sides" })).toMatchObject({
      ...{ text: "both sides", media: [{ kind: "photo", sizeBytes: 9 }] },
    });
  });

  test.each([
    ["a command that was passed on", { text: "/pending", forward_date: DATE }],
    ["a command of another bot", { text: "/x@OtherBot", chat: group }],
    ["a bot's own", { text: "x", from: { ...lead, is_bot: true } }],
    ["a post of a channel", { text: "x", from: undefined }],
    ["a notice of the platform", { pinned_message: {} }],
  ])("is nothing to us when it is %s", (_name, fields) => {
    expect(edited(fields)).toBeNull();
  });

  test("is a command that says which message it was, so that it is not run", () => {
    expect(edited({ text: "/pending" })).toMatchObject({
      ...{ kind: "command", name: "pending", editOf: "message:1001:5" },
      eventKey: "edit:1001:5:44",
    });
  });

  test("is nothing to us when it was the answer to a prompt", () => {
    const form = {
      ...{ form: "reject_reason", subject: "a-1", title: "Reject", submitLabel: "Send" },
      fields: [{ name: "reason", label: "Reason", multiline: true, optional: false, maxLength: 9 }],
    };
    const html = prompts.write(form, { id: "1001", name: "Lena", chatId: "1001" }) ?? "";
    const prompt = { message_id: 4, from: { id: 7 }, text: html.replace(/<[^>]+>/g, "") };
    expect(edited({ text: "too late", reply_to_message: prompt })).toBeNull();
  });
});

describe("a reaction", () => {
  const emoji = (...list: string[]) => list.map((one) => ({ type: "emoji", emoji: one }));
  const changed = (before: object[], after: object[], fields: object = {}) =>
    parse({
      message_reaction: {
        ...{ chat: group, message_id: 9, user: lead, date: DATE },
        ...{ old_reaction: before, new_reaction: after, ...fields },
      },
    });

  test("is what came and what went", () => {
    expect(changed(emoji("👍", "🔥"), emoji("🔥", "🤔"))).toMatchObject({
      ...{ kind: "reaction", messageId: "9", chatId: "-100", chatKind: "group" },
      ...{ added: ["🤔"], removed: ["👍"], person: { id: "1001" }, sentAt: DATE * 1000 },
    });
  });

  const own = { type: "custom_emoji", custom_emoji_id: "1" };
  const paid = { type: "paid" };
  test("of kinds that only some can set is nothing to us", () => {
    expect(changed([], [own, paid])).toBeNull();
    expect(changed([own], [...emoji("👍"), paid])).toMatchObject({ added: ["👍"], removed: [] });
  });

  test("of an anonymous administrator names nobody, which is logged", () => {
    expect(changed([], emoji("👎"), { user: undefined, actor_chat: group })).toBeNull();
    const update = { update_id: 1, message_reaction: { actor_chat: group } } as Update;
    expect(whyIgnored(update)).toMatch(/names no person/);
  });

  test("that is only counted names nobody, which is logged", () => {
    const counted = { chat: group, message_id: 9, date: DATE, reactions: [] };
    expect(parse({ message_reaction_count: counted })).toBeNull();
    const update = { update_id: 1, message_reaction_count: counted } as unknown as Update;
    expect(whyIgnored(update)).toMatch(/names no person/);
  });
});

describe("a group that becomes a supergroup", () => {
  const basic = { id: -5, type: "group" };
  const told = (fields: object) => parse({ message: { message_id: 1, date: DATE, ...fields } });
  const moved = { kind: "moved", chatId: "-5", toChatId: "-1005", eventKey: "moved:-5:-1005" };

  test("is told in both chats as the same event", () => {
    expect(told({ chat: basic, from: lead, migrate_to_chat_id: -1005 })).toMatchObject(moved);
    const later = { chat: { ...group, id: -1005 }, from: { ...lead, is_bot: true } };
    expect(told({ ...later, migrate_from_chat_id: -5 })).toMatchObject(moved);
  });

  test("is told also without a person", () => {
    expect(told({ chat: basic, migrate_to_chat_id: -1005 })).toMatchObject(moved);
  });
});

describe("a forwarded message says whose it was", () => {
  const forwarded = (origin: object, content: object) =>
    parse({
      message: {
        ...{ message_id: 5, date: DATE, chat: privately, from: lead, ...content },
        forward_origin: { date: 1, ...origin },
      },
    });
  const channel = { id: -100, type: "channel", title: "News" };

  test.each([
    [
      { type: "user", sender_user: { id: 5, first_name: "Ann", last_name: "B" } },
      { kind: "user", name: "Ann B" },
    ],
    [
      { type: "hidden_user", sender_user_name: "Ann" },
      { kind: "hidden_user", name: "Ann" },
    ],
    [
      { type: "chat", sender_chat: group },
      { kind: "chat", name: "Operators" },
    ],
    [
      { type: "channel", chat: channel, message_id: 3 },
      { kind: "channel", name: "News" },
    ],
  ])("%j", (origin, forwardedFrom) => {
    const video_note = { file_id: "v", length: 240, duration: 1 };
    const mark = { forwarded: true, forwardedFrom };
    expect(forwarded(origin, { video_note })).toMatchObject({
      media: [{ kind: "video_note", ...mark }],
    });
    expect(forwarded(origin, { text: "look" })).toMatchObject({
      ...{ text: "look", media: [{ kind: "forward", ...mark }] },
    });
  });
});

describe("a thing without words is called what the messenger calls it", () => {
  const phone = { phone_number: "+49151", first_name: "Bob", user_id: 77 };
  test.each([
    [{ location: { latitude: 1, longitude: 2 } }, "location"],
    [{ venue: {}, location: {} }, "venue"],
    [{ poll: { id: "1" } }, "poll"],
    [{ dice: { emoji: "🎲", value: 4 } }, "dice"],
    [{ contact: phone }, "contact"],
    [{ future_thing: { size: 3 }, reply_markup: {} }, "future_thing"],
  ])("%j", (content, label) => {
    const base = { message_id: 5, date: DATE, chat: privately, from: lead };
    expect(parse({ message: { ...base, ...content } })).toMatchObject({
      ...{ kind: "message", text: "", media: [{ kind: "other", label }] },
    });
  });
});

test("files of an album share its id", () => {
  const photo = [{ file_id: "p" }];
  const base = { message_id: 5, date: DATE, chat: privately, from: lead };
  expect(parse({ message: { ...base, photo, media_group_id: "138" } })).toMatchObject({
    media: [{ kind: "photo", album: "138" }],
  });
});
