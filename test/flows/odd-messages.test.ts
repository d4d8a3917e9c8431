import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Person, Sent } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const TOO_BIG = 25 * 1024 * 1024;

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine, { coalesceMs: 300 });
  });
  afterAll(() => desk.close());

  describe.each([
    { where: "Telegram", newcomer: (): Person => desk.lead() },
    { where: "Slack", newcomer: () => desk.slackLead() },
  ])("a lead in $where", ({ where, newcomer }) => {
    const turnsOf = async (lead: Person) => {
      const { runs, messages }: Played = await lead.trace();
      const words = messages.filter(({ author }: Played) => author === "lead");
      return { runs: runs.length, words };
    };
    /** Telegram sends an album's items apart, Slack files of one message together. */
    const album = (caption: string): Sent[] =>
      where === "Telegram"
        ? [0, 1, 2].map((item) => ({
            photo: {},
            media_group_id: "13812345678901234",
            ...(item === 1 ? { caption } : {}),
          }))
        : [{ photo: {}, document: {}, voice: {}, caption }];

    const forwarded = (text: string): Sent => ({
      text,
      forward_origin: {
        ...{ type: "user", date: 1 },
        sender_user: { id: 77, is_bot: false, first_name: "Ann" },
      },
    });

    test("who sends an album with one caption is answered once", async () => {
      const lena = newcomer();
      const reply = await lena.sends(...album("both sides of my passport"));
      expect(reply).toMatch(/documents wait for a check by a person/);
      const { runs, words } = await turnsOf(lena);
      expect(runs).toBe(1);
      expect(words.map(({ text }: Played) => text).join("")).toBe("both sides of my passport");
      expect(words.flatMap(({ media }: Played) => media)).toHaveLength(3);
    });

    test("who corrects a message after the answer is answered anew", async () => {
      const lena = newcomer();
      expect(await lena.says("Quote me 1000 USDT on TRC20 please")).toContain("31300");
      expect(await lena.edits("Quote me 2500 USDT on TRC20 please")).toContain("78250");
    });

    test("who corrects nothing is not answered again", async () => {
      const lena = newcomer();
      expect(await lena.says("Quote me 1000 USDT on TRC20 please")).toContain("31300");
      expect(await lena.edits("Quote me 1000 USDT on TRC20 please")).toBe("");
      expect((await turnsOf(lena)).runs).toBe(1);
    });

    test("who corrects a message before the answer gets one answer, to the new words", async () => {
      const lena = newcomer();
      await lena.writes({ text: "Quote me 1000 USDT on TRC20 please" });
      const reply = await lena.edits("Quote me 2500 USDT on TRC20 please");
      expect([reply.includes("78250"), reply.includes("31300")]).toEqual([true, false]);
      expect((await turnsOf(lena)).runs).toBe(1);
    });

    test("who passes on somebody's message is answered, and people see whose it was", async () => {
      const lena = newcomer();
      await lena.says("hello");
      expect(await lena.sends(forwarded("Until when are you open?"))).toContain("10:00-22:00");
      const { words } = await turnsOf(lena);
      expect(words.at(-1).media).toMatchObject([
        { kind: "forward", forwarded: true, forwardedFrom: { name: "Ann" } },
      ]);
    });

    test("who writes five thousand characters is answered, and nothing of them is lost", async () => {
      const lena = newcomer();
      const most = where === "Telegram" ? 4096 : 5000; // Telegram's own client sends no more at once
      const long = `Until when are you open? ${"I would really like to know. ".repeat(200)}`;
      const text = long.slice(0, most).trim();
      expect(await lena.says(text)).not.toBe("");
      expect((await turnsOf(lena)).words[0].text).toBe(text);
    });

    test("who sends a file that nobody can fetch is answered, and people see its name and size", async () => {
      const lena = newcomer();
      expect(await lena.sends({ document: { file_size: TOO_BIG }, caption: "my ID" })).not.toBe("");
      expect((await lena.card()).text).toMatch(/document/i);
      const shown = JSON.stringify([await desk.slackCards(), await desk.groupCards()]);
      expect(shown).toMatch(/25(\.\d)? MB/);
      expect(await lena.says("Until when are you open?")).toContain("10:00-22:00");
    });
  });
});
