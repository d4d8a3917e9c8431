import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import { type Desk, OPERATORS_CHANNEL, OPERATORS_GROUP } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const LINK = "https://calendly.com/acme/intro";
const REVIEW_GROUP = -1_002_000_000_002;
const ADMIN = 3001;
const BOB = 2002;
const STRANGER = 4001;

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  /** What the person alone is answered in a Slack channel. */
  async function slack(user: string, command: string, text = "", channel = OPERATORS_CHANNEL) {
    const typed = { channel, user, command, text };
    const { answer } = await desk.world.post("slack/commands", typed);
    await desk.idle();
    return answer?.text ?? "";
  }
  /** What the bot then says in the chat: an answer, and as many more messages as are waited for. */
  async function telegram(user_id: number, text: string, chat_id = OPERATORS_GROUP, more = 0) {
    const { message_id } = await desk.world.post("telegram/messages", { chat_id, user_id, text });
    const said = async (): Promise<string[]> => {
      const all: Played[] = await desk.world.get(`telegram/chats/${chat_id}/messages`);
      return all.filter((one) => one.from_bot && one.message_id > message_id).map((o) => o.text);
    };
    await desk.until(async () => (await said()).length > more);
    await desk.idle();
    return said();
  }
  const auditOf = async (type: string): Promise<Played[]> => {
    const { items } = await desk.admin("GET", "/audit?limit=200");
    return items.filter((line: Played) => line.event_type === type);
  };

  describe("the booking link", () => {
    test("is there with the next message once an admin has set it in Slack", async () => {
      const lead = desk.lead();
      await desk.admin("DELETE", "/tools/booking");
      expect(await lead.says("Can I book a call with you?")).not.toContain("calendly.com");
      expect(await slack("U0ADMIN", "/booking", `set ${LINK}`)).toContain(LINK);
      expect(await lead.says("Can I book a call with you?")).toContain(LINK);
      expect((await auditOf("booking.set"))[0]).toMatchObject({
        summary: "The booking link was set to one of calendly.com",
      });
    });

    test("is read by an operator, who may not change it", async () => {
      expect(await slack("U0BOB", "/booking")).toContain(LINK);
      expect(await slack("U0BOB", "/booking", "off")).toMatch(/Only an admin/);
      expect((await auditOf("command.refused")).length).toBeGreaterThan(0);
      expect(await slack("U0BOB", "/booking")).toContain(LINK);
    });

    test("must be one of a calendar that we know, by https and without a password", async () => {
      for (const url of ["http://calendly.com/acme", "https://evil.test/x", "nonsense"])
        expect(await slack("U0ADMIN", "/booking", `set ${url}`)).toMatch(/cannot be used/);
      const withPassword = "set https://me:secret@calendly.com/acme";
      expect(await slack("U0ADMIN", "/booking", withPassword)).toMatch(/user name or password/);
      expect(await slack("U0BOB", "/booking")).toContain(LINK);
    });

    test("is gone with the next message once an admin takes it off in Telegram", async () => {
      const lead = desk.lead();
      expect((await telegram(ADMIN, "/booking off")).at(-1)).toMatch(/is removed/);
      expect(await lead.says("Can I book a call with you?")).not.toContain("calendly.com");
      expect((await telegram(BOB, "/booking")).at(-1)).toMatch(/No booking link is set/);
    });
  });

  describe("a tool", () => {
    test("is listed with its state, its risk and what it lacks", async () => {
      const lines = (await slack("U0BOB", "/tools")).split("\n");
      expect(lines.find((line: string) => line.startsWith("compute_exchange_quote"))).toMatch(
        / · on · drafts$/,
      );
      expect(lines.find((line: string) => line.startsWith("offer_booking_link"))).toMatch(
        /not offered: no booking link/,
      );
      expect(lines.find((line: string) => line.startsWith("issue_exchange_payout"))).toMatch(
        /moves money, a person approves/,
      );
    });

    test("switched off is not offered to the next message, and is again once it is on", async () => {
      const offered = async () => {
        await desk.lead().says("hello");
        const { body } = (await desk.modelRequests()).at(-1) as { body: Played };
        return body.tools.map((one: Played) => one.function.name);
      };
      expect(await slack("U0ADMIN", "/tool", "off compute_exchange_quote")).toMatch(/is off/);
      expect(await offered()).not.toContain("compute_exchange_quote");
      expect((await telegram(ADMIN, "/tool on compute_exchange_quote")).at(-1)).toMatch(/is on/);
      expect(await offered()).toContain("compute_exchange_quote");
      expect((await auditOf("tool.switched")).map(({ summary }) => summary)).toEqual(
        expect.arrayContaining([
          "compute_exchange_quote was switched off",
          "compute_exchange_quote was switched on",
        ]),
      );
    });

    test("is switched by admins alone, and by its exact name", async () => {
      expect(await slack("U0BOB", "/tool", "off send_email")).toMatch(/Only an admin/);
      expect(await slack("U0ADMIN", "/tool", "off no_such_tool")).toMatch(/There is no tool/);
      expect(await slack("U0ADMIN", "/tool", "off")).toMatch(/Use \/tool on NAME/);
    });
  });

  describe("set-up", () => {
    test("in private tells what is done and what may still be done", async () => {
      const list = (await telegram(ADMIN, "/setup", ADMIN)).at(-1) ?? "";
      expect(list).toMatch(/^Nothing keeps the desk closed/);
      expect(list).toMatch(/– No booking link: \/booking set .*may be left out/);
    });

    test("is for admins", async () => {
      expect(await slack("U0BOB", "/setup", "operators")).toMatch(/Only an admin/);
    });

    test("makes a Slack channel one for operators, once the bot is in it", async () => {
      const channel = "C0NEWDESK";
      await desk.world.post("slack/channels", { id: channel, name: "new", user: "U0ADMIN" });
      expect(await slack("U0ADMIN", "/setup", "operators", channel)).toMatch(/type \/invite/);
      await desk.world.post("slack/rights", { channel, member: true });
      const testCards = async () => {
        const shown: Played[] = await desk.world.get(`slack/channels/${channel}/messages`);
        return shown.filter(({ text }) => /^Test card/.test(text)).length;
      };
      expect(await slack("U0ADMIN", "/setup", "operators", channel)).toMatch(
        /takes effect by itself unless .*Nothing is changed yet/,
      );
      expect(await testCards()).toBe(0);
      await desk.idle(); // the time starts with the card
      await desk.advance(600);
      expect(await testCards()).toBe(1);
    });

    test("in a Telegram group names what is missing for reviews, and changes nothing", async () => {
      const [noTopics] = await telegram(ADMIN, "/setup review");
      expect(noTopics).toMatch(/Nothing was changed/);
      expect(noTopics).toMatch(/no topics/);
      await desk.world.post("telegram/rights", { chat_id: REVIEW_GROUP, admin: false });
      const [noRights] = await telegram(ADMIN, "/setup review", REVIEW_GROUP);
      expect(noRights).toMatch(/no administrator who may manage topics/);
      await desk.world.post("telegram/rights", { chat_id: REVIEW_GROUP, admin: true });
      const said = await telegram(ADMIN, "/setup review", REVIEW_GROUP);
      expect(said.join("\n")).toMatch(/serves review already/);
    });

    test("without a purpose explains what a group can be for", async () => {
      expect((await telegram(ADMIN, "/setup")).at(-1)).toMatch(/\/setup operators: cards/);
    });

    test("makes a Telegram group one for documents and shows a test card there", async () => {
      const said = await telegram(ADMIN, "/setup kyc", OPERATORS_GROUP, 1);
      expect(said.join("\n")).toMatch(/takes effect by itself/);
      expect(said.join("\n")).toMatch(/nothing → kyc: kept for identity documents/);
      await desk.idle();
      await desk.advance(600);
      expect((await desk.groupCards()).some(({ text }) => /^Test card/.test(text))).toBe(true);
      expect((await auditOf("destination.set"))[0]?.refs).toMatchObject({ purpose: "kyc" });
    });
  });

  test("an unknown word in a private Telegram chat is a command of staff, and a message of a lead", async () => {
    const lead = desk.lead();
    expect((await telegram(BOB, "/frob 7", BOB)).at(-1)).toMatch(/^I do not know \/frob\. Known/);
    expect(await lead.says("/frob Can I book a call with you?")).not.toMatch(/do not know \/frob/);
  });

  test("unknown words and strangers get a clear answer in private", async () => {
    expect(await slack("U0BOB", "/rocket")).toMatch(/do not know \/rocket.*\/booking/);
    expect(await slack("U0EVE", "/tools")).toMatch(/New on the staff\? Your id is U0EVE:/);
    expect((await telegram(STRANGER, "/help", STRANGER)).at(-1)).toMatch(/for the staff/);
    expect(await slack("U0ADMIN", "/help")).toMatch(
      /^\/pending: .*\n\/cancel .*\n\/booking \[set URL/,
    );
    expect(await slack("U0BOB", "/help")).not.toMatch(/^\/tool on/m);
    expect(await slack("U0BOB", "/whoami")).toBe("Bob, operator. Your id: U0BOB");
  });
});
