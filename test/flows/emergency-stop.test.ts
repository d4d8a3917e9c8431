import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import { cardOf, changeAlone, typesInSlack, typesInTelegram } from "../support/desk-authority.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const BOB = 2002;
const ADMIN = 3001;

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  const tells = async (pattern: RegExp): Promise<boolean[]> => [
    (await desk.slackCards()).some(({ text }) => pattern.test(text)),
    (await desk.groupCards()).some(({ text }) => pattern.test(text)),
  ];

  describe("in the middle of a deal", () => {
    let lead: Lead;
    beforeAll(async () => {
      lead = desk.lead();
      await lead.reachesPayout();
      await lead.hears();
    });

    it("an operator stops payouts in Telegram, and both messengers are told who and why", async () => {
      const said = await typesInTelegram(desk, BOB, "/stop payouts Alice's phone was stolen");
      expect(said.join("\n")).toMatch(/^Payouts are stopped since .*: Alice's phone was stolen/m);
      expect(await tells(/^⛔ Bob stopped payouts: Alice's phone was stolen$/)).toEqual([
        true,
        true,
      ]);
      expect(await typesInSlack(desk, "U0BOB", "/pending")).toMatch(/^Payouts are stopped since/);
    });

    it("nobody can approve the payout then, and no money goes", async () => {
      expect(await desk.operator("U0ALICE").presses("Approve", await lead.card())).toMatch(
        /Payouts are stopped since/,
      );
      await desk.advance(60);
      expect(await desk.payoutsOf(lead)).toEqual([]);
    });

    it("an operator resumes nothing; an admin does, with a reason, after the list", async () => {
      expect(await typesInSlack(desk, "U0BOB", "/resume payouts confirm it is found")).toMatch(
        /Only an admin/,
      );
      expect(await typesInSlack(desk, "U0ADMIN", "/resume payouts")).toMatch(/^Use \/resume/);
      expect(await typesInSlack(desk, "U0ADMIN", "/resume payouts it is found")).toContain(
        "Then send: /resume payouts confirm it is found",
      );
      expect(await typesInSlack(desk, "U0ADMIN", "/resume payouts confirm it is found")).toBe(
        "Payouts go on.",
      );
      expect(await tells(/^▶ Admin resumed payouts: it is found$/)).toEqual([true, true]);
    });

    it("the payout is approved after it, and made once", async () => {
      await desk.operator("U0ALICE").presses("Approve", await lead.card());
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
      await desk.advance(120);
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
    });
  });

  describe("a payout that was approved and not sent", () => {
    it("waits while payouts are stopped, and is made once when they go on", async () => {
      const lead = desk.lead();
      await lead.reachesPayout();
      await desk.fault({ service: "payout", kind: "status", status: 503, count: 1000 });
      await desk.operator("U0ALICE").presses("Approve", await lead.card());
      await typesInSlack(desk, "U0BOB", "/stop payouts a test");
      await desk.fault({ service: "payout", kind: "status", status: 503, count: 0 });
      await desk.advance(120);
      expect(await desk.payoutsOf(lead)).toEqual([]);
      expect((await lead.trace()).executions.at(-1)).toMatchObject({
        status: "queued",
        attempts: 1,
      });
      await typesInTelegram(desk, ADMIN, "/resume payouts it is over");
      await typesInTelegram(desk, ADMIN, "/resume payouts confirm it is over");
      await desk.advance(120);
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
    });
  });

  describe("a stop of new orders", () => {
    it("in Slack makes no order of a yes, and says so kindly; a person is asked", async () => {
      const lead = desk.lead();
      await lead.passesKyc();
      await lead.says("Есть 900 USDT в сети TRC20, хочу забрать баты в вашем офисе");
      await typesInSlack(desk, "U0ALICE", "/stop orders no cash left");
      const said = await lead.says("Устраивает, оформляем");
      expect(said).toMatch(/Новые заявки мы сейчас ненадолго не принимаем/);
      expect(said).toMatch(/оператор/i);
      expect((await lead.trace()).orders).toEqual([]);
      expect(await typesInSlack(desk, "U0ADMIN", "/resume orders cash came")).toBe(
        "New orders are taken again.",
      );
      await lead.says("Есть 900 USDT в сети TRC20, хочу забрать баты в вашем офисе");
      await lead.says("Устраивает, оформляем");
      expect((await lead.trace()).orders).toHaveLength(1);
    });
  });

  describe("a suspension", () => {
    let lead: Lead;
    beforeAll(async () => {
      const { policies } = await desk.admin("GET", "/policies");
      const two = policies.map((row: Played) =>
        row.tool_name === "issue_exchange_payout" ? { ...row, approvals_required: 2 } : row,
      );
      await changeAlone(desk, "PUT", "/policies", { policies: two });
      lead = desk.lead();
      await lead.reachesPayout();
    });

    it("of somebody whose vote stood 1 of 2 leaves 0 of 2 on every card", async () => {
      await desk.operator("U0ALICE").presses("Approve", await lead.card());
      expect((await lead.card()).text).toContain("1/2");
      await typesInTelegram(desk, BOB, "/staff suspend Alice");
      expect((await lead.card()).text).toContain("0/2");
      expect((await lead.groupCard()).text).toContain("0/2");
      expect(await tells(/^⛔ Bob suspended Alice/)).toEqual([true, true]);
    });

    it("leaves the person no vote, no form and no command", async () => {
      const alice = desk.operator("U0ALICE");
      expect(await alice.presses("Approve", await lead.card())).toMatch(/no right/);
      await expect(alice.rejects(await lead.card(), "no")).rejects.toThrow(/no form/);
      expect(await typesInSlack(desk, "U0ALICE", "/resume payouts x")).toMatch(/for the staff/);
      expect(await desk.payoutsOf(lead)).toEqual([]);
    });

    it("of the last admin is refused, with what to do instead", async () => {
      const said = await typesInSlack(desk, "U0BOB", "/staff suspend Admin");
      expect(said).toMatch(/last active admin.*\/stop all.*npm run tokens -- create --staff /);
    });

    it("of somebody whom the name does not tell apart asks which", async () => {
      expect(await typesInSlack(desk, "U0BOB", "/staff suspend A")).toMatch(
        /several people.*\n– A\w+ · .*\n– A\w+ · /,
      );
      expect(await typesInSlack(desk, "U0BOB", "/staff suspend Zoe")).toMatch(/nobody called Zoe/);
    });

    it("ends when an admin asks for it and nobody says no", async () => {
      const asked = await typesInSlack(desk, "U0ADMIN", "/staff restore Alice");
      const name = /A-\d+/.exec(asked)?.[0] ?? "";
      expect((await cardOf(desk, name)).text).toContain("suspended → active");
      await desk.advance(600);
      await desk.operator("U0ALICE").presses("Approve", await lead.card());
      await desk.operator("U0BOB").presses("Approve", await lead.card());
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
    });
  });
});
