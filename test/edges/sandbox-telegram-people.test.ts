import { InlineKeyboard, InputFile } from "grammy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createInbox,
  type Json,
  openTelegramWorld,
  runBot,
  type TelegramWorld,
} from "../support/telegram-world.ts";

const LEAD = { chat_id: 1001, user_id: 1001 };

let world: TelegramWorld;
beforeEach(async () => {
  world = await openTelegramWorld({ buttonWaitMs: 300 });
});
afterEach(() => world.stop());

async function sendCard(): Promise<{ chat_id: number; message_id: number }> {
  const chat_id = Number(world.env.TELEGRAM_OPERATOR_CHAT_ID);
  const reply_markup = new InlineKeyboard().text("✅ Approve", "a:1").text("Reject", "r:1");
  const { message_id } = await world.makeBot().api.sendMessage(chat_id, "Card", { reply_markup });
  return { chat_id, message_id };
}

describe("a button", () => {
  test("answers with what the bot said and did", async () => {
    const bot = world.makeBot();
    bot.callbackQuery("a:1", async (context) => {
      await context.editMessageText("Approved");
      await context.answerCallbackQuery({ text: "Done", show_alert: true });
    });
    const stop = await runBot(bot, ["callback_query"]);
    const card = await sendCard();
    const pressed = await world.play("telegram/buttons", {
      ...card,
      user_id: 2001,
      label: "✅ Approve",
    });
    await stop();
    expect(pressed).toMatchObject({
      status: 200,
      body: {
        answer: { text: "Done", show_alert: true },
        responses: [{ message_id: card.message_id, text: "Approved", edited: true }],
      },
    });
  });

  test("can be pressed after it is gone, also by its words alone", async () => {
    const seen = createInbox<unknown>();
    const bot = world.makeBot();
    bot.on("callback_query:data", async (context) => {
      seen.push([context.callbackQuery.data, context.from.id, context.callbackQuery.message?.date]);
      await context.answerCallbackQuery("Already decided");
    });
    const stop = await runBot(bot);
    const card = await sendCard();
    await bot.api.editMessageText(card.chat_id, card.message_id, "Decided");
    const press = { ...card, user_id: 4001, label: "Approve" };
    const late = await world.play("telegram/buttons", press);
    await bot.api.deleteMessage(card.chat_id, card.message_id);
    await world.play("telegram/buttons", press);
    await stop();
    expect(late.body.answer).toEqual({ text: "Already decided", show_alert: false });
    expect(seen.values).toEqual([
      ["a:1", 4001, expect.any(Number)],
      ["a:1", 4001, 0],
    ]);
  });

  test("answers null when the bot stays silent, and the click waits for it", async () => {
    const card = await sendCard();
    const press = { ...card, user_id: 2001, label: "Reject" };
    const silent = await world.play("telegram/buttons", press);
    expect(silent.body).toEqual({ answer: null, responses: [] });
    const { body } = await world.call("getUpdates");
    expect(body.result).toMatchObject([
      { callback_query: { data: "r:1", from: { id: 2001 }, message: { text: "Card" } } },
    ]);
    const unknown = await world.play("telegram/buttons", { ...press, label: "Never there" });
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: "button_not_found" } } });
  });

  test("takes no answer after the platform's deadline", async () => {
    await world.stop();
    world = await openTelegramWorld({ buttonWaitMs: 0, callbackDeadlineMs: -1 });
    const card = await sendCard();
    await world.play("telegram/buttons", { ...card, user_id: 2001, label: "Reject" });
    const { body } = await world.call("getUpdates");
    const [update] = body.result as { callback_query: { id: string } }[];
    const answer = await world.call("answerCallbackQuery", {
      callback_query_id: update?.callback_query.id,
    });
    expect(answer.body).toEqual({
      ok: false,
      error_code: 400,
      description:
        "Bad Request: query is too old and response timeout expired or query ID is invalid",
    });
  });
});

describe("files", () => {
  test("that people send are small and valid, and can be fetched", async () => {
    await world.play("telegram/messages", { ...LEAD, photo: {}, caption: "my passport" });
    await world.play("telegram/messages", { ...LEAD, video_note: {} });
    await world.play("telegram/messages", { ...LEAD, document: { file_name: "bill.pdf" } });
    const { body } = await world.call("getUpdates");
    const messages = (body.result as { message: Json }[]).map(({ message }) => message);
    const sizes = messages[0]?.photo as { file_id: string; file_size: number }[];
    expect(sizes.map(({ file_size }) => file_size)).toEqual(
      sizes.map(({ file_size }) => file_size).sort((a, b) => a - b),
    );
    const note = messages[1]?.video_note as { file_id: string };
    const document = messages[2]?.document as { file_id: string };
    const heads = await Promise.all(
      [sizes.at(-1)?.file_id ?? "", note.file_id, document.file_id].map(download),
    );
    expect(heads.map((bytes) => bytes.subarray(0, 8).toString("latin1"))).toEqual([
      "\xff\xd8\xff\xdb\x00\x43\x00\x01",
      "\x00\x00\x00\x1cftyp",
      "%PDF-1.4",
    ]);
    expect(messages[2]?.document).toMatchObject({
      file_name: "bill.pdf",
      mime_type: "application/pdf",
    });
  });

  test("that the bot sends come back as they were, also by their id and after a restart", async () => {
    const bytes = Buffer.from("a,b\n1,2\n");
    const { api } = world.makeBot();
    const sent = await api.sendDocument(1001, new InputFile(bytes, "orders.csv"), {
      caption: "<b>Orders</b>",
      parse_mode: "HTML",
    });
    expect(sent).toMatchObject({ caption: "Orders", document: { file_name: "orders.csv" } });
    const again = await api.sendDocument(1001, sent.document.file_id);
    expect(again.document.file_id).toBe(sent.document.file_id);
    await world.restart();
    expect(await download(sent.document.file_id)).toEqual(bytes);
  });

  test("are refused when too big, empty, or no picture", async () => {
    const { api } = world.makeBot();
    const picture = (bytes: Buffer) => api.sendPhoto(1001, new InputFile(bytes, "x.jpg"));
    await expect(picture(Buffer.alloc(0))).rejects.toThrow("file must be non-empty");
    await expect(picture(Buffer.from("no picture"))).rejects.toThrow("IMAGE_PROCESS_FAILED");
    await expect(picture(Buffer.alloc(10 * 1024 * 1024 + 1))).rejects.toThrow(
      "too big for a photo",
    );
    await expect(api.sendPhoto(1001, "nonsense")).rejects.toThrow("wrong file identifier");
    const huge = { file_size: 21 * 1024 * 1024 };
    await world.play("telegram/messages", { ...LEAD, document: huge });
    const [listed] = await world.chat(1001);
    await expect(api.getFile(String(listed?.file_id))).rejects.toThrow("file is too big");
    await expect(api.getFile("nonsense")).rejects.toThrow(
      "wrong file_id or the file is temporarily unavailable",
    );
  });

  async function download(fileId: string): Promise<Buffer> {
    const { file_path } = await world.makeBot().api.getFile(fileId);
    const { TELEGRAM_API_ROOT, TELEGRAM_BOT_TOKEN } = world.env;
    const response = await fetch(`${TELEGRAM_API_ROOT}/file/bot${TELEGRAM_BOT_TOKEN}/${file_path}`);
    return Buffer.from(await response.arrayBuffer());
  }
});

describe("people", () => {
  test("who are new bring their names and a chat of their own", async () => {
    await world.play("telegram/messages", {
      chat_id: 7007,
      user_id: 7007,
      text: "/start ref_42",
      first_name: "Нина",
      language_code: "ru",
    });
    const { body } = await world.call("getUpdates");
    const [{ message }] = body.result as [{ message: Json }];
    expect(message).toEqual({
      message_id: expect.any(Number),
      date: expect.any(Number),
      from: { id: 7007, is_bot: false, first_name: "Нина", language_code: "ru" },
      chat: { id: 7007, type: "private", first_name: "Нина" },
      text: "/start ref_42",
      entities: [{ type: "bot_command", offset: 0, length: 6 }],
    });
  });

  test("share contacts, edit their words, and answer messages", async () => {
    const contact = { phone_number: "+15550100", user_id: 1001 };
    await world.play("telegram/messages", { ...LEAD, contact });
    const { body } = await world.play("telegram/messages", { ...LEAD, text: "one" });
    await world.play("telegram/edits", { ...LEAD, message_id: body.message_id, text: "two" });
    const updates = (await world.call("getUpdates")).body.result;
    expect(updates).toMatchObject([
      { message: { contact } },
      { message: { text: "one" } },
      {
        edited_message: { message_id: body.message_id, text: "two", edit_date: expect.any(Number) },
      },
    ]);
  });

  test("who send nothing or the wrong thing are told what is wrong", async () => {
    const empty = await world.play("telegram/messages", LEAD);
    expect(empty).toMatchObject({ status: 400, body: { error: { code: "nothing_to_send" } } });
    const wrong = await world.play("telegram/messages", { ...LEAD, text: 5 });
    expect(wrong).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_body", path: "text" } },
    });
  });

  test("and their messages get numbers that grow over a reset and a restart", async () => {
    const first = await world.play("telegram/messages", { ...LEAD, text: "a" });
    await world.play("reset");
    expect(await world.chat(1001)).toEqual([]);
    expect((await world.call("getUpdates")).body.result).toEqual([]);
    await world.restart();
    const second = await world.play("telegram/messages", { ...LEAD, text: "b" });
    expect(second.body.message_id).toBeGreaterThan(Number(first.body.message_id));
    expect(second.body.update_id).toBeGreaterThan(Number(first.body.update_id));
  });
});

describe("a played fault", () => {
  test("drops the answer of a send that was stored, but not of a poll", async () => {
    const fault = { service: "telegram", kind: "drop_response_after_effect", count: 1 };
    await world.play("faults", fault);
    await world.call("getUpdates");
    await expect(world.call("sendMessage", { chat_id: 1001, text: "once" })).rejects.toThrow();
    expect(await world.chat(1001)).toMatchObject([{ text: "once" }]);
    expect((await world.call("sendMessage", { chat_id: 1001, text: "two" })).status).toBe(200);
  });

  test("answers 429 with the wait in body and header, also after a restart", async () => {
    const fault = { service: "telegram", kind: "status", status: 429, retry_after: 7, count: 1 };
    await world.play("faults", fault);
    await world.restart();
    const answer = await world.call("sendMessage", { chat_id: 1001, text: "x" });
    expect(answer).toEqual({
      status: 429,
      body: {
        ok: false,
        error_code: 429,
        description: "Too Many Requests: retry after 7",
        parameters: { retry_after: 7 },
      },
    });
    expect(await world.chat(1001)).toEqual([]);
  });
});
