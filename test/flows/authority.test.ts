import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import { cardOf, changeAlone, typesInSlack, typesInTelegram } from "../support/desk-authority.ts";
import type { Desk } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const OTHER_WALLET = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf";
const WALLET = "exchange_wallet_usdt_trc20";
const ADMIN = 3001;
const BOB = 2002;

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  const walletShown = async (): Promise<string> => {
    const { items } = await desk.admin("GET", "/exchange/requisites");
    return items.find(({ name }: Played) => name === WALLET).value;
  };
  async function asksForWallet(value: string): Promise<Played> {
    const asked = await desk.admin("POST", "/exchange/requisites", { [WALLET]: value });
    await desk.idle();
    return asked;
  }
  const idOf = async (wanted: string): Promise<string> => {
    const { items } = await desk.admin("GET", "/staff");
    return items.find(({ name }: Played) => name === wanted).id;
  };
  const tells = async (pattern: RegExp): Promise<boolean[]> => [
    (await desk.slackCards()).some(({ text }) => pattern.test(text)),
    (await desk.groupCards()).some(({ text }) => pattern.test(text)),
  ];

  describe("with one admin", () => {
    it("nothing changes for ten minutes, then the change is in force and told everywhere", async () => {
      const before = await walletShown();
      const { approval } = await asksForWallet(OTHER_WALLET);
      const card = await cardOf(desk, approval);
      expect(card.text).toContain(`…okALUA → ${OTHER_WALLET}`);
      expect(card.text).toContain("Takes effect by itself");
      expect(card.buttons.map(({ label }) => label)).toEqual(["Reject"]);
      await desk.advance(590);
      expect(await walletShown()).toBe(before);
      await desk.advance(10);
      expect(await walletShown()).toBe("TXYZ…AeBf");
      expect((await cardOf(desk, approval)).text).toContain("Took effect by itself");
      expect(await tells(new RegExp(`^${approval} is in force\\..*Nobody rejected it`))).toEqual([
        true,
        true,
      ]);
      const { items } = await desk.admin("GET", "/audit?limit=200");
      expect(JSON.stringify(items)).not.toContain(OTHER_WALLET);
    });

    it("an operator ends it in time, and it never comes", async () => {
      const before = await walletShown();
      const { approval } = await asksForWallet("TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA");
      await desk.advance(300);
      await desk.operator("U0BOB").rejects(await cardOf(desk, approval), "not ours");
      await desk.advance(600);
      expect(await walletShown()).toBe(before);
      expect(await tells(new RegExp(`^${approval} was rejected by Bob`))).toEqual([true, true]);
    });

    it("a stranger ends nothing", async () => {
      const { approval } = await asksForWallet("TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA");
      const card = await cardOf(desk, approval);
      expect(await desk.operator("U0EVE").presses("Reject", card)).toMatch(/no right/);
      await desk.advance(600);
      expect(await walletShown()).toBe("TJtc…ALUA");
    });
  });

  describe("with a second admin", () => {
    let approval: string;
    beforeAll(async () => {
      await changeAlone(desk, "PATCH", `/staff/${await idOf("Bob")}`, { role: "admin" });
    });

    it("whoever asked cannot approve it", async () => {
      ({ approval } = await asksForWallet(OTHER_WALLET));
      const card = await cardOf(desk, approval);
      expect(card.buttons.map(({ label }) => label)).toEqual(["Approve", "Reject"]);
      expect(await desk.operator("U0ADMIN").presses("Approve", card)).toMatch(/your own account/);
      expect(await desk.operator("U0ALICE").presses("Approve", card)).toMatch(/Only an admin/);
      await desk.advance(900);
      expect(await walletShown()).toBe("TJtc…ALUA");
    });

    it("the other one approves in Slack, and every card says so", async () => {
      const card = await cardOf(desk, approval);
      expect(await desk.operator("U0BOB").presses("Approve", card)).toContain(approval);
      expect(await walletShown()).toBe("TXYZ…AeBf");
      const group = (await desk.groupCards()).findLast(({ text }) =>
        text.includes(` · ${approval}`),
      );
      expect(group?.text).toContain("Approved by Bob");
      expect(await tells(new RegExp(`^${approval} is in force\\..*Approved by Bob`))).toEqual([
        true,
        true,
      ]);
    });

    it("a chat of the staff is claimed by two", async () => {
      const [asked] = await typesInTelegram(desk, ADMIN, "/setup operators", -1_002_000_000_002);
      const name = /A-\d+/.exec(asked ?? "")?.[0] ?? "";
      expect(asked).toMatch(/another admin has to approve it/);
      const { destinations } = await desk.admin("GET", "/channels");
      expect(await desk.operator("U0BOB").presses("Approve", await cardOf(desk, name))).toContain(
        name,
      );
      const after = await desk.admin("GET", "/channels");
      expect(after.destinations).toHaveLength(destinations.length + 1);
      await typesInTelegram(desk, ADMIN, "/setup off", -1_002_000_000_002);
    });
  });

  describe("while a payout waits for a decision", () => {
    it("other requisites change nothing of it: it is made once", async () => {
      const lead = desk.lead();
      // the wallet that the played clients pay to
      const { approval } = await asksForWallet("TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA");
      await desk.operator("U0BOB").presses("Approve", await cardOf(desk, approval));
      await lead.reachesPayout();
      const payout = await lead.card();
      const other = await asksForWallet(OTHER_WALLET);
      await desk.operator("U0BOB").presses("Approve", await cardOf(desk, other.approval));
      await desk.operator("U0ALICE").presses("Approve", payout);
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
    });
  });

  describe("a person", () => {
    it("who was suspended comes back by a decision of two", async () => {
      expect(await typesInSlack(desk, "U0BOB", "/staff suspend Alice")).toMatch(/is suspended/);
      const asked = await typesInSlack(desk, "U0ADMIN", "/staff restore ali");
      const name = /A-\d+/.exec(asked)?.[0] ?? "";
      expect((await typesInTelegram(desk, BOB, "/staff")).at(-1)).toMatch(/Alice · .* · suspended/);
      await desk.operator("U0BOB").presses("Approve", await cardOf(desk, name));
      expect((await typesInTelegram(desk, BOB, "/staff")).at(-1)).toMatch(/Alice · .* · active/);
    });
  });
});
