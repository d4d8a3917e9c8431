import { describe, expect, test } from "vitest";
import type { Update } from "../../src/bot/telegram/api-types.ts";
import { parseUpdate, type UpdateContext } from "../../src/bot/telegram/parse-update.ts";
import { createPromptCodec } from "../../src/bot/telegram/prompt.ts";

const prompts = createPromptCodec("1:token");
const context: UpdateContext = {
  channelId: "channel-1",
  bot: { id: 7, username: "OurBot" },
  isCommand: (name) => ["pause", "pending"].includes(name),
  readPrompt: prompts.read,
  now: 1_000,
};
const lead = { id: 1001, is_bot: false, first_name: "Lena", last_name: "L", language_code: "ru" };
const privately = { id: 1001, type: "private" };
const group = { id: -100, type: "supergroup", title: "Operators" };

/** Shapes that the types do not know are part of the matter. */
function parse(update: object) {
  return parseUpdate(update as Update, context);
}

function message(fields: object) {
  return parse({
    update_id: 1,
    message: { message_id: 5, date: 1_790_000_000, chat: privately, from: lead, ...fields },
  });
}

describe("what a lead sends", () => {
  test("is read with its person, time and key", () => {
    expect(message({ text: "hi" })).toEqual({
      kind: "message",
      messenger: "telegram",
      channelId: "channel-1",
      eventKey: "message:1001:5",
      chatId: "1001",
      chatKind: "private",
      threadId: null,
      person: { id: "1001", teamId: "", name: "Lena L", languageCode: "ru", isBot: false },
      sentAt: 1_790_000_000_000,
      externalId: "5",
      text: "hi",
      media: [],
      replyToId: null,
    });
  });

  test.each([{ text: 5 }, { caption: 5 }, { text: { a: 1 } }])(
    "that is no text is read as none: %j",
    (fields) => expect(message(fields)).toMatchObject({ kind: "message", text: "" }),
  );

  const file = { file_id: "f", file_size: 9 };
  test.each([
    [{ photo: [{ file_id: "small" }, { file_id: "large" }] }, { kind: "photo", fileId: "large" }],
    [
      { document: { ...file, file_name: "a.pdf", mime_type: "application/pdf" } },
      {
        kind: "document",
        fileId: "f",
        fileName: "a.pdf",
        mimeType: "application/pdf",
        sizeBytes: 9,
      },
    ],
    [{ video: file }, { kind: "video" }],
    [
      { animation: file, document: file },
      { kind: "video", isAnimation: true },
    ],
    [{ video_note: file }, { kind: "video_note" }],
    [{ voice: file }, { kind: "voice" }],
    [{ audio: file }, { kind: "audio" }],
    [{ sticker: file }, { kind: "sticker" }],
    [{ location: { latitude: 1, longitude: 2 } }, { kind: "other" }],
    [{ poll: {} }, { kind: "other" }],
    [{ dice: {} }, { kind: "other" }],
    [{ future_thing: { a: 1 } }, { kind: "other" }],
    [
      { video_note: file, forward_origin: { type: "hidden_user" } },
      {
        kind: "video_note",
        forwarded: true,
      },
    ],
  ])("%j becomes media", (fields, media) => {
    expect(message(fields)).toMatchObject({ kind: "message", text: "", media: [media] });
  });

  test("keeps the caption of a file as its text", () => {
    expect(message({ photo: [file], caption: "receipt" })).toMatchObject({ text: "receipt" });
  });

  test("as a contact counts as a number only when it is the sender's own", () => {
    const contact = { phone_number: "+1555", user_id: 1001 };
    expect(message({ contact })).toMatchObject({ text: "+1555", media: [{ kind: "other" }] });
    expect(message({ contact: { ...contact, user_id: 2 } })).toMatchObject({ text: "" });
    expect(message({ contact: { phone_number: "+1555" } })).toMatchObject({ text: "" });
  });

  test.each([
    ["/start", "/start"],
    ["/START ref_42-abc", "/start ref_42-abc"],
    ["/start@ourbot ref", "/start ref"],
    ["/start ../../etc passwd", "/start"],
    ["/unknown thing", "/unknown thing"],
  ])("as %s is a message", (text, read) => {
    expect(message({ text })).toMatchObject({ kind: "message", text: read });
  });

  test.each([
    [{ new_chat_members: [] }],
    [{ pinned_message: {} }],
    [{ migrate_to_chat_id: -1 }],
    [{ text: "/pause@OtherBot" }],
    [{ from: undefined, text: "a channel's post" }],
  ])("is nothing to us when it is %j", (fields) => {
    expect(message(fields)).toBeNull();
  });
});

describe("a command of the staff", () => {
  test.each([
    ["/PAUSE lea now", privately, { name: "pause", args: "lea now" }],
    ["/pending@OurBot", group, { name: "pending", args: "" }],
    ["/nonsense@ourbot x", group, { name: "nonsense", args: "x" }],
  ])("%s", (text, chat, command) => {
    expect(message({ text, chat })).toMatchObject({ kind: "command", ...command });
  });

  test("that another bot may know is a mere message in a group", () => {
    expect(message({ text: "/weather", chat: group })).toMatchObject({ kind: "message" });
  });
});

describe("a click", () => {
  const query = { id: "77", from: lead, data: "approve:a-1:x" };

  test("has everything in its data, even when the message is gone", () => {
    const gone = { chat: group, message_id: 9, date: 0 };
    expect(parse({ update_id: 1, callback_query: { ...query, message: gone } })).toMatchObject({
      kind: "click",
      eventKey: "click:77",
      chatId: "-100",
      messageId: "9",
      action: "approve",
      value: "a-1:x",
      sentAt: 1_000,
    });
    expect(parse({ update_id: 1, callback_query: query })).toMatchObject({ messageId: null });
  });

  test("without data is nothing to us", () => {
    expect(parse({ update_id: 1, callback_query: { id: "1", from: lead } })).toBeNull();
  });
});

describe("the answer to a prompt", () => {
  const form = {
    form: "reject_reason",
    subject: "a-1",
    title: "Reject",
    submitLabel: "Send",
    fields: [{ name: "reason", label: "Reason", multiline: true, optional: false, maxLength: 9 }],
  };
  const html = prompts.write(form, { id: "1001", name: "Lena", chatId: "-100" }) ?? "";
  const prompt = html.replace(/<[^>]+>/g, "");

  function reply(fields: object, chat: object = group) {
    const asked = { message_id: 4, from: { id: 7, is_bot: true }, text: prompt, ...fields };
    return message({ text: " too late ", chat, reply_to_message: asked });
  }

  test("is a submission that names form, subject and field", () => {
    expect(reply({})).toMatchObject({
      kind: "submission",
      form: "reject_reason",
      subject: "a-1",
      values: { reason: "too late" },
    });
  });

  test.each([
    ["somebody else wrote the prompt", { from: { id: 8 } }, group],
    ["the prompt was made for another chat", {}, privately],
    ["the subject was changed", { text: prompt.replace("a-1", "a-2") }, group],
    ["there is no prompt", { text: "hello" }, group],
  ])("is a message when %s", (_, fields, chat) => {
    expect(reply(fields, chat)).toMatchObject({ kind: "message", replyToId: "4" });
  });
});

describe("words that somebody else wrote", () => {
  const user = { type: "user", sender_user: { id: 4001, is_bot: false, first_name: "Eve" } };
  const passedOn: [string, object][] = [
    ["a forwarded message", { forward_origin: { ...user, date: 1 } }],
    ["a forwarded message of before 2024", { forward_date: 1 }],
    ["what another bot wrote", { via_bot: { id: 8, is_bot: true, first_name: "Inline" } }],
  ];
  test.each(passedOn)("are no command, in a group and in private: %s", (_, origin) => {
    for (const chat of [group, privately])
      for (const text of ["/pending", "/pending@OurBot now"]) {
        const read = message({ text, chat, ...origin });
        expect(read).toMatchObject({ kind: "message", text });
        expect(read).not.toHaveProperty("slashWord");
      }
    expect(message({ text: "/pending", ...origin })).toHaveProperty("isPassedOn", true);
    expect(message({ text: "/nonsense", ...origin })).not.toHaveProperty("slashWord");
  });

  test.each(passedOn)("answer no prompt: %s", (_, origin) => {
    const form = {
      ...{ form: "reject_reason", subject: "a-1", title: "Reject", submitLabel: "Send" },
      fields: [{ name: "r", label: "R", multiline: true, optional: false, maxLength: 9 }],
    };
    const html = prompts.write(form, { id: "1001", name: "Lena", chatId: "-100" }) ?? "";
    const text = html.replace(/<[^>]+>/g, "");
    const asked = { message_id: 4, from: { id: 7, is_bot: true }, text };
    const reply = { text: "no", chat: group, reply_to_message: asked };
    expect(message(reply)).toMatchObject({ kind: "submission" });
    expect(message({ ...reply, ...origin })).toMatchObject({ kind: "message" });
  });

  test("stay a text when they are no command", () => {
    const read = message({ text: "hello", forward_date: 1 });
    expect(read).toMatchObject({ kind: "message", text: "hello", media: [{ kind: "forward" }] });
    expect(read).not.toHaveProperty("isPassedOn");
  });

  test("beside a quotation of them, one's own command is one", () => {
    const quote = { text: "/pending", position: 0 };
    expect(message({ text: "hi", chat: group, quote })).toMatchObject({ kind: "message" });
    expect(
      message({ text: "/pending", chat: group, quote: { text: "hi", position: 0 } }),
    ).toMatchObject({ kind: "command", name: "pending" });
  });
});

describe("a change of membership", () => {
  function change(before: string, after: string, chat: object) {
    const members = { old_chat_member: { status: before }, new_chat_member: { status: after } };
    return parse({ update_id: 1, my_chat_member: { chat, from: lead, date: 1, ...members } });
  }
  test.each([
    ["member", "kicked", privately, "blocked"],
    ["kicked", "member", privately, "unblocked"],
    ["left", "administrator", group, "added"],
    ["member", "kicked", group, "removed"],
  ])("%s to %s", (before, after, chat, told) => {
    expect(change(before, after, chat)).toMatchObject({ kind: "membership", change: told });
  });
  test("that leaves the bot where it is tells nothing", () => {
    expect(change("member", "administrator", group)).toBeNull();
  });
});

test.each([
  [{ update_id: 1 }],
  [{ update_id: 1, edited_message: { text: "x" } }],
  [{ update_id: 1, message_reaction: {} }],
  [{ update_id: 1, message: {} }],
  [{ update_id: 1, my_chat_member: {} }],
  [{ update_id: 1, made_up: {} }],
])("the update %j is nothing to us", (update) => {
  expect(parse(update)).toBeNull();
});
