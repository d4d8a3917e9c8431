import { GrammyError, InlineKeyboard } from "grammy";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, openTelegramWorld, type TelegramWorld } from "../support/telegram-world.ts";

let world: TelegramWorld;
beforeAll(async () => {
  world = await openTelegramWorld();
});
afterAll(() => world.stop());

async function send(body: Json) {
  const answer = await world.call("sendMessage", { chat_id: 1001, ...body });
  return answer.body;
}

async function sent(body: Json): Promise<Json> {
  return (await send(body)).result as Json;
}

describe("a text is refused with the platform's own words", () => {
  const bad = (description: string) => `Bad Request: ${description}`;
  const entities = (reason: string) => bad(`can't parse entities: ${reason}`);
  const html = (text: string) => ({ text, parse_mode: "HTML" });
  const v2 = (text: string) => ({ text, parse_mode: "MarkdownV2" });
  const keyboard = (...buttons: unknown[]) => ({
    text: "x",
    reply_markup: { inline_keyboard: [buttons] },
  });

  test.each<[string, Json, string]>([
    ["no text", {}, bad("message text is empty")],
    ["an empty text", { text: "" }, bad("message text is empty")],
    ["blanks", { text: " \n " }, bad("text must be non-empty")],
    ["a zero-width space", { text: "\u200b" }, bad("text must be non-empty")],
    ["4097 characters", { text: "x".repeat(4097) }, bad("message is too long")],
    ["4097 emoji", { text: "👍".repeat(4097) }, bad("message is too long")],
    ["32769 bytes", { text: "x".repeat(32_769) }, bad("text is too long")],
    ["an unknown mode", { text: "x", parse_mode: "BBCode" }, bad("unsupported parse_mode")],
    ["a paragraph", html("<p>x</p>"), entities('Unsupported start tag "p" at byte offset 0')],
    ["an open tag", html("<b>x"), entities(`Can't find end tag corresponding to start tag "b"`)],
    [
      "a wrong end tag",
      html("<b>12345678 </i>"),
      entities('Unmatched end tag at byte offset 12, expected "</b>", found "</i>"'),
    ],
    ["a stray end tag", html("é</b>"), entities("Unexpected end tag at byte offset 2")],
    ["a lone bracket", html("1 < 2"), entities('Unsupported start tag "" at byte offset 2')],
    [
      "a plain span",
      html("<span>x</span>"),
      entities('Tag "span" must have class "tg-spoiler" at byte offset 0'),
    ],
    [
      "a reserved dot",
      v2("Hello."),
      entities("Character '.' is reserved and must be escaped with the preceding '\\'"),
    ],
    [
      "a reserved hyphen",
      v2("a-b"),
      entities("Character '-' is reserved and must be escaped with the preceding '\\'"),
    ],
    ["an open star", v2("Hi é*x"), entities("Can't find end of Bold entity at byte offset 5")],
    ["an open link", v2("[a](b"), entities("Can't find end of a URL at byte offset 4")],
    ["an open code", v2("`x"), entities("Can't find end of Code entity at byte offset 0")],
    [
      "an open old mark",
      { text: "price_list *new", parse_mode: "Markdown" },
      entities("Can't find end of the entity starting at byte offset 5"),
    ],
    [
      "a button without action",
      keyboard({ text: "A" }),
      buttonError("Text buttons are unallowed in the inline keyboard"),
    ],
    [
      "an empty action",
      keyboard({ text: "A", callback_data: "" }),
      buttonError("Text buttons are unallowed in the inline keyboard"),
    ],
    [
      "a button without text",
      keyboard({ callback_data: "a" }),
      buttonError('Can\'t find field "text"'),
    ],
    [
      "65 bytes of data",
      keyboard({ text: "A", callback_data: "é".repeat(33) }),
      bad("BUTTON_DATA_INVALID"),
    ],
    [
      "a link of another kind",
      keyboard({ text: "A", url: "ftp://example.com" }),
      bad("inline keyboard button URL 'ftp://example.com' is invalid: Unsupported URL protocol"),
    ],
    [
      "101 buttons",
      keyboard(...new Array(101).fill({ text: "A", callback_data: "a" })),
      bad("reply markup is too long"),
    ],
    [
      "a markup of another type",
      { text: "x", reply_markup: "[]" },
      bad("object expected as reply markup"),
    ],
    [
      "a reply to nothing",
      { text: "x", reply_parameters: { message_id: 99_999 } },
      bad("message to be replied not found"),
    ],
    [
      "a topic outside a forum",
      { text: "x", message_thread_id: 5 },
      bad("message thread not found"),
    ],
    [
      "the general topic",
      { chat_id: -1002000000002, text: "x", message_thread_id: 1 },
      bad("message thread not found"),
    ],
    ["an unknown chat", { chat_id: 424_242, text: "x" }, bad("chat not found")],
  ])("%s", async (_, body, description) => {
    expect(await send(body)).toEqual({ ok: false, error_code: 400, description });
  });

  function buttonError(reason: string): string {
    return bad(`can't parse inline keyboard button: ${reason}`);
  }
});

describe("a text is stored as the platform shows it", () => {
  test.each<[string, Json, Json]>([
    ["cleaned", { text: " a\u0000b\tc\r\nd\u202e " }, { text: "a b c\nd" }],
    [
      "with HTML marks",
      {
        text: "<b>A &amp; B</b> <a href='https://x.example/?a=1&amp;b=2'>link</a>",
        parse_mode: "html",
      },
      {
        text: "A & B link",
        entities: [
          { type: "bold", offset: 0, length: 5 },
          { type: "text_link", offset: 6, length: 4, url: "https://x.example/?a=1&b=2" },
        ],
      },
    ],
    [
      "with code in a language",
      { text: '<pre><code class="language-js">x()</code></pre>', parse_mode: "HTML" },
      { text: "x()", entities: [{ type: "pre", offset: 0, length: 3, language: "js" }] },
    ],
    [
      "with MarkdownV2 marks and escapes",
      { text: "*bold _both_* 50\\.5\\! ||x||", parse_mode: "MarkdownV2" },
      {
        text: "bold both 50.5! x",
        entities: [
          { type: "bold", offset: 0, length: 9 },
          { type: "italic", offset: 5, length: 4 },
          { type: "spoiler", offset: 16, length: 1 },
        ],
      },
    ],
    [
      "with a quote of two lines",
      { text: ">one\n>two\nafter", parse_mode: "MarkdownV2" },
      { text: "one\ntwo\nafter", entities: [{ type: "blockquote", offset: 0, length: 7 }] },
    ],
    [
      "with the sender's marks moved by the cleaning",
      { text: "  👍 bold", entities: [{ type: "bold", offset: 5, length: 4 }] },
      { text: "👍 bold", entities: [{ type: "bold", offset: 3, length: 4 }] },
    ],
    [
      "with commands, links and mentions found",
      { text: "/start@some_bot see https://x.example/a. or @someone" },
      {
        entities: [
          { type: "bot_command", offset: 0, length: 15 },
          { type: "url", offset: 20, length: 19 },
          { type: "mention", offset: 44, length: 8 },
        ],
      },
    ],
    ["with exactly 4096 emoji", { text: "👍".repeat(4096) }, { text: "👍".repeat(4096) }],
    ["protected", { text: "secret", protect_content: true }, { has_protected_content: true }],
  ])("%s", async (_, body, shown) => {
    expect(await sent(body)).toMatchObject(shown);
  });
});

describe("who may be written to", () => {
  test("is not a known user who never wrote, until they do", async () => {
    const body = { chat_id: 4001, text: "Hi" };
    expect(await send(body)).toEqual({
      ok: false,
      error_code: 403,
      description: "Forbidden: bot can't initiate conversation with a user",
    });
    await world.play("telegram/messages", { chat_id: 4001, user_id: 4001, text: "/start" });
    expect(await send(body)).toMatchObject({ ok: true });
  });

  test("is not a user who blocked the bot, until they write again", async () => {
    await world.play("telegram/messages", { chat_id: 6001, user_id: 6001, text: "hi" });
    await world.play("telegram/block", { user_id: 6001, blocked: true });
    expect(await send({ chat_id: 6001, text: "x" })).toMatchObject({
      error_code: 403,
      description: "Forbidden: bot was blocked by the user",
    });
    await world.play("telegram/messages", { chat_id: 6001, user_id: 6001, text: "/start" });
    expect(await send({ chat_id: 6001, text: "x" })).toMatchObject({ ok: true });
    const { body } = await world.call("getUpdates", { limit: 100 });
    const changes = (body.result as { my_chat_member?: Json }[]).flatMap(
      (u) => u.my_chat_member ?? [],
    );
    expect(changes.slice(-2)).toMatchObject([
      { old_chat_member: { status: "member" }, new_chat_member: { status: "kicked" } },
      { old_chat_member: { status: "kicked" }, new_chat_member: { status: "member" } },
    ]);
  });

  test("is a migrated group only under its new id", async () => {
    const chat_id = -4012345678;
    await world.play("telegram/messages", { chat_id, user_id: 2001, text: "in the group" });
    const { body } = await world.play("telegram/migrate", { chat_id });
    expect(await send({ chat_id, text: "x" })).toEqual({
      ok: false,
      error_code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: body.migrate_to_chat_id },
    });
    expect(await send({ chat_id: body.migrate_to_chat_id, text: "x" })).toMatchObject({
      ok: true,
      result: { message_id: 2, chat: { type: "supergroup" } },
    });
  });
});

describe("a message of the bot", () => {
  test("is edited, refuses the same content, and loses a keyboard that an edit leaves out", async () => {
    const { api } = world.makeBot();
    const reply_markup = new InlineKeyboard().text("Approve", "a:1").text("Reject", "r:1");
    const { message_id } = await api.sendMessage(1001, "Card", { reply_markup });
    await expect(api.editMessageText(1001, message_id, "Card", { reply_markup })).rejects.toThrow(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
    await api.editMessageText(1001, message_id, "Done");
    const [listed] = (await world.chat(1001)).filter((entry) => entry.message_id === message_id);
    expect(listed).toMatchObject({ text: "Done", buttons: [], edited: true });
    await api.editMessageReplyMarkup(1001, message_id, { reply_markup });
    await expect(api.editMessageText(1001, 99_999, "x")).rejects.toThrow(
      "message to edit not found",
    );
  });

  test("with a forced reply can't be edited, nor can a person's", async () => {
    const { api } = world.makeBot();
    const forced = await api.sendMessage(1001, "Why?", {
      reply_markup: { force_reply: true, input_field_placeholder: "Reason" },
    });
    const edit = api.editMessageText(1001, forced.message_id, "x");
    await expect(edit).rejects.toThrow("message can't be edited");
    const { body } = await world.play("telegram/messages", {
      chat_id: 1001,
      user_id: 1001,
      text: "Because",
      reply_to_message_id: forced.message_id,
    });
    const theirs = api.editMessageText(1001, Number(body.message_id), "x");
    await expect(theirs).rejects.toBeInstanceOf(GrammyError);
  });

  test("is deleted once", async () => {
    const { api } = world.makeBot();
    const { message_id } = await api.sendMessage(1001, "gone soon");
    expect(await api.deleteMessage(1001, message_id)).toBe(true);
    await expect(api.deleteMessage(1001, message_id)).rejects.toThrow(
      "message to delete not found",
    );
  });

  test("goes to a topic of the forum, and an answer there names the topic", async () => {
    const { api } = world.makeBot();
    const forum = Number(world.env.TELEGRAM_REVIEW_CHAT_ID);
    const topic = await api.createForumTopic(forum, "Lena");
    const message_thread_id = topic.message_thread_id;
    const mirrored = await api.sendMessage(forum, "Lena: hello", { message_thread_id });
    expect(mirrored).toMatchObject({ is_topic_message: true, message_thread_id });
    await world.play("telegram/messages", {
      chat_id: forum,
      user_id: 2001,
      text: "I take over",
      reply_to_message_id: mirrored.message_id,
    });
    expect(await world.chat(forum)).toMatchObject([
      { text: "Lena: hello", thread_id: message_thread_id, from_bot: true },
      { text: "I take over", thread_id: message_thread_id, from_bot: false },
    ]);
  });
});

describe("the door", () => {
  test("knows its token, its methods, and nothing else", async () => {
    expect((await world.get("/sandbox/telegram/bot1:wrong/getMe")).body).toEqual({
      ok: false,
      error_code: 401,
      description: "Unauthorized",
    });
    expect(await world.call("getMoon")).toEqual({
      status: 404,
      body: { ok: false, error_code: 404, description: "Not Found: method not found" },
    });
    expect((await world.call("GETME")).body.result).toMatchObject({ is_bot: true });
  });

  test("keeps commands by scope and language", async () => {
    const { api } = world.makeBot();
    const scope = { type: "all_private_chats" } as const;
    await api.setMyCommands([{ command: "start", description: "Begin" }], { scope });
    expect(await api.getMyCommands({ scope })).toEqual([
      { command: "start", description: "Begin" },
    ]);
    expect(await api.getMyCommands()).toEqual([]);
    await expect(api.setMyCommands([{ command: "No!", description: "x" }])).rejects.toThrow(
      "BOT_COMMAND_INVALID",
    );
  });

  test("says who is what in a group", async () => {
    const { api } = world.makeBot();
    const group = Number(world.env.TELEGRAM_OPERATOR_CHAT_ID);
    const statuses = [2001, 3001, 4002, 4001].map(async (id) => {
      try {
        return (await api.getChatMember(group, id)).status;
      } catch (error) {
        return (error as GrammyError).description;
      }
    });
    expect(await Promise.all(statuses)).toEqual([
      "member",
      "creator",
      "Bad Request: user not found",
      "left",
    ]);
    expect(await api.getChatAdministrators(group)).toHaveLength(2);
  });
});
