import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, openTelegramWorld, type TelegramWorld } from "../support/telegram-world.ts";

const OPERATORS = -1002000000001;
const REVIEW = -1002000000002;

let world: TelegramWorld;
beforeAll(async () => {
  world = await openTelegramWorld();
});
afterAll(() => world.stop());

async function sends(content: Json): Promise<number> {
  const { body } = await world.play("telegram/messages", {
    ...{ chat_id: 1001, user_id: 1001 },
    ...content,
  });
  return Number(body.message_id);
}

const copy = (body: Json) =>
  world.call("copyMessages", { chat_id: OPERATORS, from_chat_id: 1001, ...body });

describe("copyMessages", () => {
  test("copies in order, without the lead's words when so asked, and protected", async () => {
    const ids = [
      await sends({ photo: {}, caption: "@boss look" }),
      await sends({ video_note: {} }),
    ];
    const flags = { protect_content: true, remove_caption: true };
    const { body } = await copy({ message_ids: ids, ...flags });
    const made = (body.result as { message_id: number }[]).map(({ message_id: id }) => id);
    const shown = (await world.chat(OPERATORS)).slice(-2);
    expect(shown.map(({ message_id: id }) => id)).toEqual(made);
    expect(shown).toMatchObject([
      { media: "photo", text: "", protected: true, from_bot: true },
      { media: "video_note", protected: true, from_bot: true },
    ]);
  });

  test("copies into a topic", async () => {
    const topic = await world.call("createForumTopic", { chat_id: REVIEW, name: "Lena" });
    const { message_thread_id: thread } = topic.body.result as Json;
    const id = await sends({ document: { file_name: "passport.pdf" } });
    await copy({ chat_id: REVIEW, message_ids: [id], message_thread_id: thread });
    expect((await world.chat(REVIEW)).at(-1)).toMatchObject({
      media: "document",
      file_name: "passport.pdf",
      thread_id: thread,
    });
  });

  test("leaves out what is gone or protected, without a word", async () => {
    const kept = await sends({ photo: {} });
    const answer = await world.call("sendMessage", {
      ...{ chat_id: 1001, text: "a code", protect_content: true },
    });
    const { message_id: secret } = answer.body.result as { message_id: number };
    const { body } = await copy({ message_ids: [kept, secret, secret + 100] });
    expect(body.result).toHaveLength(1);
  });

  test.each<[string, (id: number) => Json, string]>([
    ["nothing is left", (id) => ({ message_ids: [id + 500] }), "there are no messages to forward"],
    [
      "the order is not that of the chat",
      (id) => ({ message_ids: [id, id] }),
      "message identifiers must be in a strictly increasing order",
    ],
    ["the source is unknown", (id) => ({ from_chat_id: 5, message_ids: [id] }), "chat not found"],
  ])("is refused when %s", async (_, body, description) => {
    const answer = await copy(body(await sends({ photo: {} })));
    expect(answer).toMatchObject({
      status: 400,
      body: { ok: false, error_code: 400, description: `Bad Request: ${description}` },
    });
  });

  test("is refused in a chat from which the bot was removed", async () => {
    const { body } = await copy({ chat_id: 777_777, message_ids: [await sends({ photo: {} })] });
    expect(body.description).toBe("Bad Request: chat not found");
  });
});
