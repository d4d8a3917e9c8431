import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  const payoutCalls = ({ candidates }: Played) =>
    candidates.filter(({ tool_name }: Played) => tool_name === "issue_exchange_payout");

  describe("the card of a payout", () => {
    let lena: Lead;
    beforeAll(async () => {
      lena = desk.lead();
      await lena.reachesPayout();
    });

    test("shows every material field, the digest's head and SANDBOX, and Approve comes first", async () => {
      const { approvals, orders } = await lena.trace();
      const card = await lena.card();
      const { material_json: facts, action_digest: digest } = approvals.at(-1);
      for (const { label, value } of facts) expect(card.text).toContain(`${label}: ${value}`);
      const shown = facts.map(({ value }: Played) => value).join(" ");
      for (const fact of [`EX-${orders[0].number}`, "62600 THB", "cash at the office", "2000 USDT"])
        expect(shown).toContain(fact);
      expect(card.text).toContain(digest.slice(0, 8));
      expect(card.text).toContain("SANDBOX");
      expect(card.text).toContain("client says: Когда подойти?");
      expect(card.buttons.map(({ label }) => label)).toEqual(["Approve", "Reject", "Edit"]);
    });

    test("pressed by a stranger: nothing changes, a private answer, a line in the trail", async () => {
      const before = await lena.card();
      const answer = await desk.operator("U0EVE").presses("Approve", before);
      expect(answer).toMatch(/no right/);
      const { approvals, audit } = await lena.trace();
      expect(approvals.at(-1).status).toBe("pending");
      expect(audit.at(-1)).toMatchObject({ event_type: "approval.refused", user_id: null });
      expect(await lena.card()).toMatchObject({ text: before.text, buttons: before.buttons });
      expect(await desk.payoutsOf(lena)).toEqual([]);
      const heard = (await desk.slackCards()).find(({ text }) => text === answer);
      expect(heard?.ephemeral_for).toBe("U0EVE");
    });

    test("approved by two people at once: one payout, and the later one reads who and when", async () => {
      const card = await lena.card();
      await lena.hears();
      const answers = await Promise.all([
        desk.operator("U0ALICE").presses("Approve", card),
        desk.operator("U0BOB").presses("Approve", card),
      ]);
      const won = answers.filter((answer) => /approved\. It is being carried out/.test(answer));
      const lost = answers.filter((answer) =>
        /Already approved by (Alice|Bob) at \d{4}-/.test(answer),
      );
      expect([won.length, lost.length], answers.join(" | ")).toEqual([1, 1]);
      const [payout, ...others] = await desk.payoutsOf(lena);
      expect(others).toEqual([]);
      expect(payout).toMatchObject({ amount: "62600", currency: "THB" });
    });

    test("has moved order and deal, and the lead was told once", async () => {
      const { orders, conversation } = await lena.trace();
      expect([orders[0].status, conversation.stage]).toEqual(["payout", "payout_or_completion"]);
      const said = await lena.hears();
      expect(said).toMatch(/выда|выплат/i);
      expect(said.split("\n")).toHaveLength(1);
    });
  });

  describe("the card in the operators' Telegram group", () => {
    test("decides once, however often the press is delivered, and closes the card in Slack", async () => {
      const lena = desk.lead();
      await lena.reachesPayout();
      const group = -1002000000001;
      const { approvals } = await lena.trace();
      const name = `A-${approvals.at(-1).number}`;
      const shown = await desk.world.get(`telegram/chats/${group}/messages`);
      const card = shown.findLast(({ text }: Played) => text.includes(name));
      const callback = {
        id: `press-of-${lena.id}`,
        from: { id: 2002, is_bot: false, first_name: "Bob" },
        chat_instance: "1",
        data: card.buttons[0][0].data,
        message: { message_id: card.message_id, date: 1, chat: { id: group, type: "supergroup" } },
      };
      const update = { callback_query: callback };
      await desk.world.post("telegram/updates", [update, update, update]);
      await desk.idle();
      expect(await desk.payoutsOf(lena)).toHaveLength(1);
      const { audit, votes } = await lena.trace();
      const decided = audit.filter(
        (line: Played) =>
          line.event_type === "approval.decided" && line.tool_name === "issue_exchange_payout",
      );
      expect(decided).toHaveLength(1);
      expect(votes.filter((v: Played) => v.approval_id === approvals.at(-1).id)).toHaveLength(1);
      expect((await lena.card()).buttons).toEqual([]);
      expect((await lena.card()).text).toContain("Approved by Bob");
    });
  });

  describe("Reject with a reason", () => {
    test("reaches lead and model, and the same payout is not asked for again", async () => {
      const lena = desk.lead();
      await lena.reachesPayout();
      await desk.operator("U0ALICE").rejects(await lena.card(), "the safe is empty today");
      expect(await lena.hears()).toMatch(/оператор.*отклон|отклон.*оператор|отказ/is);
      expect((await lena.card()).text).toContain("Rejected by Alice");
      expect((await lena.card()).text).toContain("the safe is empty today");
      const [call] = payoutCalls(await lena.trace());
      expect(call.reply).toMatchObject({ ok: false, status: "declined" });
      expect(call.reply.error.message).toContain("the safe is empty today");
      const shown = (await desk.modelRequests()).some(({ body }) =>
        JSON.stringify(body.messages).includes("the safe is empty today"),
      );
      expect(shown).toBe(true);

      const asked = (await lena.trace()).approvals.length;
      await desk.script([{ tool_calls: [{ name: "issue_exchange_payout", arguments: {} }] }]);
      await lena.says("Выдайте всё-таки");
      const again = payoutCalls(await lena.trace()).at(-1);
      expect(again).toMatchObject({ status: "blocked_by_policy", code: "rejected_before" });
      expect((await lena.trace()).approvals).toHaveLength(asked);
      expect(await desk.payoutsOf(lena)).toEqual([]);
      expect((await lena.trace()).orders[0].status).toBe("paid");
    });
  });

  describe("a staff member who is the client", () => {
    test("cannot approve the own payout, from either account; a colleague can", async () => {
      const alice = desk.lead(2001);
      await alice.sends({ photo: {} }, { video_note: {} });
      await desk.operator("U0BOB").presses("Approve", await alice.card());
      await alice.says("Есть 2000 USDT в сети TRC20, хочу забрать баты в вашем офисе");
      await alice.says("Устраивает, оформляем");
      await alice.says(`Отправила: ${await alice.transfers("2000")}`);
      await alice.says("Когда подойти?");
      const card = await alice.card();
      expect(await desk.operator("U0ALICE").presses("Approve", card)).toMatch(/your own account/);
      expect(await desk.payoutsOf(alice)).toEqual([]);
      expect(await desk.operator("U0BOB").presses("Approve", card)).toMatch(/approved/);
      expect(await desk.payoutsOf(alice)).toHaveLength(1);
    });
  });

  describe("time", () => {
    test("ends an identity card honestly and never a payout's", async () => {
      const [paid, asked] = [desk.lead(), desk.lead()];
      await paid.reachesPayout();
      await asked.sends({ photo: {} }, { video_note: {} });
      await asked.hears();
      await paid.hears();
      await desk.advance(2 * 3600);
      const kyc = await asked.card();
      expect(kyc.text).toMatch(/Expired: nobody decided in time/);
      expect(kyc.buttons).toEqual([]);
      expect(await asked.hears()).not.toBe("");
      expect(await desk.operator("U0ALICE").presses("Approve", kyc)).toMatch(/expired/i);
      expect((await asked.trace()).contact.attributes.exchangeKyc?.status).not.toBe("verified");
      await desk.advance(30 * 86_400);
      expect((await paid.trace()).approvals.at(-1)).toMatchObject({
        status: "pending",
        expires_at: null,
      });
      await desk.operator("U0BOB").presses("Approve", await paid.card());
      expect(await desk.payoutsOf(paid)).toHaveLength(1);
    });
  });
});
