import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine, { coalesceMs: 1000 });
  });
  afterAll(() => desk.close());

  const modelSees = (text: string) =>
    vi.waitFor(async () => {
      const requests = await desk.modelRequests();
      expect(requests.some(({ body }) => JSON.stringify(body.messages).includes(text))).toBe(true);
    }, 30_000);
  const botTexts = async (lead: ReturnType<Desk["lead"]>) =>
    (await lead.chat()).filter(({ from_bot }) => from_bot).map(({ text }) => text);

  describe("several messages", () => {
    test("in a row are one turn of the model and one reply", async () => {
      const lena = desk.lead();
      const words = ["hello there", "I have a question", "are you open?"];
      await desk.script([{ content: "Hello! Tell me what you would like to change." }]);
      await Promise.all(words.map((text) => lena.writes({ text })));
      await desk.idle();
      expect(await botTexts(lena)).toHaveLength(1);
      const { runs, model_calls } = await lena.trace();
      expect([runs.length, model_calls.length]).toEqual([1, 1]);
      const { body } = (await desk.modelRequests()).at(-1) ?? {};
      for (const text of words) expect(JSON.stringify(body.messages)).toContain(text);
    });

    test("of which one comes while the model thinks: the old draft is dropped", async () => {
      const lena = desk.lead();
      await desk.script([
        { content: "An answer to the first question only.", delay_ms: 3000 },
        { content: "An answer to both of your questions." },
      ]);
      await lena.writes({ text: "where may I sit down?" });
      await modelSees("where may I sit down?");
      await lena.sends({ text: "and may I bring a dog?" });
      expect(await botTexts(lena)).toEqual(["An answer to both of your questions."]);
      const { messages, model_calls } = await lena.trace();
      const dropped = messages.filter(({ status }: Played) => status === "superseded");
      expect(dropped.map(({ text }: Played) => text)).toContain(
        "An answer to the first question only.",
      );
      expect(model_calls).toHaveLength(2);
    });
  });

  describe("an update", () => {
    test("that is delivered again changes nothing", async () => {
      const lena = desk.lead();
      const { update_id } = await lena.writes({ text: "hello" });
      await desk.idle();
      const before = await lena.trace();
      await desk.world.post("telegram/redeliver", { update_id });
      await desk.idle();
      const after = await lena.trace();
      expect(after.messages).toEqual(before.messages);
      expect(after.runs).toEqual(before.runs);
    });

    test("with what the bot cannot read breaks nothing: the next message is answered", async () => {
      const people = UNREADABLE.map((content) => ({ lead: desk.lead(), content }));
      const updates = people.map(({ lead, content }) => {
        const from = { id: lead.id, is_bot: false, first_name: "Lena", language_code: "en" };
        const chat = { id: lead.id, type: "private", first_name: "Lena" };
        return { message: { message_id: 1, date: 1_700_000_000, from, chat, ...content } };
      });
      await desk.world.post("telegram/updates", updates);
      await desk.idle();
      const question = { text: "How much baht do I get for 1000 USDT on TRC20?" };
      await Promise.all(people.map(({ lead }) => lead.writes(question)));
      await desk.idle();
      for (const { lead, content } of people)
        expect(await lead.hears(), JSON.stringify(content)).toContain("31300");
    });

    test("of a kind nobody knows, or without any sense, breaks nothing", async () => {
      await desk.world.post("telegram/updates", [
        { hologram: { id: 1 } },
        { message: null },
        { message: { message_id: 5 } },
        { message: { message_id: 5, chat: { id: "x" }, from: 3, date: "never" } },
        { callback_query: { id: "1" } },
        {
          callback_query: {
            id: "2",
            from: { id: 2001, is_bot: false, first_name: "A" },
            chat_instance: "1",
            data: "approve:nothing",
          },
        },
        { message_reaction: {} },
        { edited_message: { text: "?" } },
        {},
      ]);
      const lena = desk.lead();
      expect(await lena.says("How much baht do I get for 1000 USDT on TRC20?")).toContain("31300");
    });
  });

  describe("a lead", () => {
    test("who sends an unknown command, or a voice message, is answered politely", async () => {
      const lena = desk.lead();
      expect(await lena.says("/frobnicate now")).not.toBe("");
      expect(await lena.sends({ voice: {} })).not.toBe("");
      expect(await lena.says("How much baht do I get for 1000 USDT on TRC20?")).toContain("31300");
    });

    test("who blocks the bot is not written to, and is answered again after coming back", async () => {
      const lena = desk.lead();
      await lena.sends({ photo: {} }, { video_note: {} });
      await lena.hears();
      await desk.world.post("telegram/block", { user_id: lena.id, blocked: true });
      await desk.operator("U0ALICE").presses("Approve", await lena.card());
      expect(await lena.hears()).toBe("");
      const { contact, outbox } = await lena.trace();
      expect(contact.blocked_at).not.toBeNull();
      expect(outbox.filter(({ status }: Played) => ["queued", "sending"].includes(status))).toEqual(
        [],
      );
      expect(await lena.says("How much baht do I get for 1000 USDT on TRC20?")).toContain("31300");
    });
  });
});

const STICKER = { file_id: "S", file_unique_id: "s", type: "regular", width: 1, height: 1 };

/** Contents of messages: what Telegram knows and the bot does not, and what makes no sense. */
const UNREADABLE: object[] = [
  { sticker: { ...STICKER, is_animated: false, is_video: false } },
  { location: { latitude: 7.9, longitude: 98.3 } },
  { poll: { id: "1", question: "?", options: [] } },
  { text: "" },
  { text: "   " },
  { text: 7 },
  { hologram: { size: 3 } },
  { text: "word ".repeat(900) },
  { text: "a\ud800b\u0000c" },
];
