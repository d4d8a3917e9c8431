import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Lead, SlackMessage } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const OPERATORS_GROUP = -1002000000001;
const REVIEW_GROUP = -1002000000002;

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());
  afterEach(() => desk.script([]));

  const slack = (channel: string): Promise<Played[]> =>
    desk.world.get(`slack/channels/${channel}/messages`);
  const telegram = (chat: number): Promise<Played[]> =>
    desk.world.get(`telegram/chats/${chat}/messages`);
  const names = (message: Played): string[] =>
    (message.files ?? []).map(({ name }: { name: string }) => name);

  /** What Alice sees in Slack right above a card. */
  async function above(card: SlackMessage): Promise<Played> {
    const shown = (await slack("C0OPERATORS")).filter(({ ephemeral_for: only }) => !only);
    return shown[shown.findIndex(({ ts }) => ts === card.ts) - 1];
  }

  /** What she sees in the Telegram group above the card that names this, the nearest last. */
  async function aboveInGroup(name: string, count: number): Promise<Played[]> {
    const shown = await telegram(OPERATORS_GROUP);
    const at = shown.findLastIndex(
      ({ text, buttons }) => buttons.length > 0 && text.includes(name),
    );
    return shown.slice(at - count, at);
  }

  /** The lead's own thread in Slack and topic in Telegram, as texts. */
  async function mirrorOf(lead: Lead): Promise<{ thread: string[]; topic: string[] }> {
    const posts = await slack("C0REVIEW");
    const root = posts.find(({ text }) => text.startsWith(`Lead ${lead.id} ·`));
    const topics = await desk.world.get(`telegram/chats/${REVIEW_GROUP}/topics`);
    const topic = topics.find(({ name }: Played) => name.startsWith(`Lead ${lead.id} ·`));
    const texts = (all: Played[]) => all.map(({ text }) => text);
    return {
      thread: texts(posts.filter(({ thread_ts: thread }) => root && thread === root.ts)),
      topic: texts(
        (await telegram(REVIEW_GROUP)).filter(({ thread_id: id }) => id === topic?.thread_id),
      ),
    };
  }

  describe("a lead sends passport and round video", () => {
    test("Alice sees both above the card, in Slack and in the Telegram group", async () => {
      const lena = desk.lead();
      await lena.sends({ photo: {}, caption: "@alice_operator my passport" }, { video_note: {} });
      const card = await lena.card();
      const files = await above(card);
      expect(names(files)).toEqual(["photo.jpg", "video_note.mp4"]);
      expect(files.text).toBe(`Files for the card below, from Lead ${lena.id}`);
      const { approvals } = await lena.trace();
      const copies = await aboveInGroup(`A-${approvals.at(-1).number}`, 2);
      expect(copies).toMatchObject([
        { media: "photo", protected: true, text: "" },
        { media: "video_note", protected: true },
      ]);
      expect(await desk.operator("U0ALICE").presses("Approve", card)).toMatch(/approved/);
    });

    test("from Slack: they are carried over to both chats, and one that is too large is named", async () => {
      const from = { channel: "D0LEAD", user: "U0LEAD" };
      const files = [
        { name: "passport.png", mimetype: "image/png" },
        { name: "scan.pdf", mimetype: "application/pdf", size: 35_651_584 },
      ];
      await desk.world.post("slack/messages", { ...from, text: "my documents", files });
      await desk.idle();
      const shown = (await slack("C0OPERATORS")).filter(({ ephemeral_for: only }) => !only);
      const card = shown.findLast(({ buttons }) => buttons.length > 0);
      const posted = await above(card);
      expect(names(posted)).toEqual(["passport.png"]);
      const tooLarge = 'document "scan.pdf" (34.0 MB): too large';
      expect(posted.text).toContain(tooLarge);
      expect(posted.text).toContain("ask the client for a smaller file");
      const name = /\bA-\d+\b/.exec(card.text)?.[0] ?? "";
      expect(await aboveInGroup(name, 2)).toMatchObject([
        { media: "photo", protected: true },
        { text: expect.stringContaining(tooLarge) },
      ]);
    });
  });

  describe("a conversation", () => {
    test("has a thread and a topic of its own, a post for each turn", async () => {
      const [lena, omar] = [desk.lead(), desk.lead()];
      await lena.says("hello");
      await omar.says("How much baht do I get for 1000 USDT on TRC20?");
      await lena.says("<!channel> @alice_operator where is your office?");
      const { thread, topic } = await mirrorOf(lena);
      expect(thread).toHaveLength(2);
      expect(thread[0]).toMatch(/^> hello\n\S/);
      expect(thread[1]).toMatch(/^> <!channel> @alice_operator where is your office\?\n\S/);
      expect(topic.map((text) => text.replaceAll("\u2060", ""))).toEqual(thread);
      const other = await mirrorOf(omar);
      expect(other.thread).toHaveLength(1);
      expect(other.thread[0]).toMatch(/31300[\s\S]*\n⚙ compute_exchange_quote: ok$/);
      expect(other.topic).toEqual(other.thread);
      expect((await slack("C0REVIEW")).flatMap(({ pings }) => pings)).toEqual([]);
    });

    test("shows files as words, and what the bot asked people for", async () => {
      const lena = desk.lead();
      await lena.sends({ photo: {} }, { video_note: {} });
      const { thread } = await mirrorOf(lena);
      expect(thread.join("\n")).toContain("> [photo]");
      expect(thread.join("\n")).toContain("> [round video]");
    });
  });

  describe("a payout with a code", () => {
    test("shows the staff that it was sent, and no more", async () => {
      const code = "71730456";
      const lena = desk.lead();
      await lena.reachesPayout({ words: "сниму баты в банкомате без карты" });
      await desk.world.post("payout/next", { status: "completed", code });
      await desk.operator("U0ALICE").presses("Approve", await lena.card());
      await desk.advance(61);
      await desk.advance(61);
      expect((await lena.chat()).filter(({ text }) => text.includes(code))).toHaveLength(1);
      expect((await mirrorOf(lena)).thread).toContain("[code sent, ends in ••]");
      const seen = {
        slack: JSON.stringify([await slack("C0REVIEW"), await slack("C0OPERATORS")]).includes(code),
        telegram: JSON.stringify([
          await telegram(REVIEW_GROUP),
          await telegram(OPERATORS_GROUP),
        ]).includes(code),
        log: desk.logged.some((line) => line.includes(code)),
        database: await desk.databaseHolds(code),
      };
      expect(seen).toEqual({ slack: false, telegram: false, log: false, database: false });
    });
  });

  describe("no address of a file", () => {
    test("stands in any log or row", async () => {
      const { env } = await desk.world.get("info");
      const secret = env.TELEGRAM_BOT_TOKEN.split(":")[1];
      expect(desk.logged.some((line) => line.includes(secret) || line.includes("upload/v1"))).toBe(
        false,
      );
      expect(await desk.databaseHolds(secret)).toBe(false);
      expect(await desk.databaseHolds("upload/v1")).toBe(false);
    });
  });

  describe("a review group from which the bot was put out", () => {
    test("stops no answer and no card", async () => {
      const out = { chat_id: REVIEW_GROUP, admin: false, inside: false };
      await desk.world.post("telegram/rights", out);
      const lena = desk.lead();
      expect(await lena.says("hello")).not.toBe("");
      await lena.sends({ photo: {} }, { video_note: {} });
      expect((await lena.card()).buttons).toHaveLength(2);
      expect((await mirrorOf(lena)).thread[0]).toMatch(/^> hello\n/);
    });
  });
});
