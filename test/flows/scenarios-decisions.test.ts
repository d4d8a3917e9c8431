import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handCommand } from "../../src/store/folder-lock.ts";
import { openDesk } from "../support/desk.ts";
import { changeAlone } from "../support/desk-authority.ts";
import {
  type ChatMessage,
  type Desk,
  type Lead,
  OPERATORS_CHANNEL,
  OPERATORS_GROUP,
  type SlackMessage,
} from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const ALICE = 2001;
const BOB = 2002;
const PAYOUT = "issue_exchange_payout";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  const alice = () => desk.operator("U0ALICE");
  const bob = () => desk.operator("U0BOB");
  const payer = async (): Promise<Lead> => {
    const lead = desk.lead();
    await lead.passesKyc();
    await lead.says("Нужно десять тысяч бат, плачу рублями через СБП, привезите в отель");
    await lead.says("Да, подходит, давайте куда платить");
    await lead.sends({ photo: {}, caption: "Оплатил, чек во вложении" });
    return lead;
  };
  const waiting = async (): Promise<Lead> => {
    const lead = desk.lead();
    await lead.reachesPayout();
    await lead.hears();
    return lead;
  };
  const last = async (lead: Lead): Promise<Played> => (await lead.trace()).approvals.at(-1);
  /** Changes the rule of payouts; the only admin's change takes effect after ten minutes. */
  const payoutRule = async (change: object) => {
    const { policies } = await desk.admin("GET", "/policies");
    const changed = policies.map((row: Played) =>
      row.tool_name === PAYOUT ? { ...row, ...change } : row,
    );
    await changeAlone(desk, "PUT", "/policies", { policies: changed });
  };
  const auditOf = async (lead: Lead): Promise<Played[]> => (await lead.trace()).audit;

  describe("S1 and S11: a button of what is over, and one that is not one's own", () => {
    test("the superseded card decides nothing about the newer one", async () => {
      const lead = await payer();
      const old = await lead.card();
      await lead.sends({ photo: {}, caption: "Вот ещё чек" });
      expect(await alice().presses("Approve", old)).toMatch(/superseded by a newer request/);
      const { approvals, orders } = await lead.trace();
      expect(approvals.slice(-2).map(({ status }: Played) => status)).toEqual([
        "superseded",
        "pending",
      ]);
      expect(orders[0].status).toBe("awaiting_payment");
      expect((await auditOf(lead)).at(-1)).toMatchObject({ event_type: "stale_click" });
      const shown = (await desk.slackCards()).find(({ ts }) => ts === old.ts);
      expect(shown?.text).toContain("Superseded by a newer request");
      expect(shown?.buttons).toEqual([]);
    });

    test("a stranger's press leaves a refusal in private and a line in the trail", async () => {
      const lead = await waiting();
      expect(await desk.operator("U0EVE").presses("Approve", await lead.card())).toMatch(
        /no right/,
      );
      expect((await last(lead)).status).toBe("pending");
      expect((await auditOf(lead)).at(-1)).toMatchObject({ event_type: "approval.refused" });
    });
  });

  describe("S12: two people must approve a payout", () => {
    test("every entry gives the first one the same answer, and the second one's counts", async () => {
      await payoutRule({ approvals_required: 2 });
      const lead = await waiting();
      await payoutRule({ approvals_required: 1 });
      const name = await lead.cardName();
      expect(await alice().presses("Approve", await lead.card())).toMatch(/approval 1 of 2/);
      const counted = "Your approval is counted already.";
      expect(await alice().presses("Approve", await lead.card())).toBe(counted);
      expect(await desk.groupOperator(ALICE).presses("Approve", await lead.groupCard())).toBe(
        counted,
      );
      expect(await pressesInPending(ALICE, `Approve ${name}`)).toBe(counted);
      expect(await decidesByApi("Alice", (await last(lead)).id)).toMatchObject({
        error: { code: "conflict", message: counted },
      });
      expect(await desk.payoutsOf(lead)).toEqual([]);
      expect((await lead.card()).text).toContain("approvals: 1/2");
      expect(await bob().presses("Approve", await lead.card())).toMatch(/approved/);
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
      const { votes } = await lead.trace();
      const own = votes.filter((v: Played) => v.decision === "approve" && !v.voided_at);
      expect(new Set(own.map((v: Played) => v.staff_id)).size).toBe(2);
    });

    async function pressesInPending(user_id: number, label: string): Promise<string> {
      const here = { chat_id: OPERATORS_GROUP, user_id };
      const { message_id } = await desk.world.post("telegram/messages", {
        ...{ ...here, text: "/pending" },
      });
      const answer = async () =>
        (await desk.groupCards()).find((one) => one.from_bot && one.message_id > message_id);
      await desk.until(async () => (await answer()) !== undefined);
      return desk.groupOperator(user_id).presses(label, (await answer()) as ChatMessage);
    }

    async function decidesByApi(person: string, id: string): Promise<Played> {
      const { items } = await desk.admin("GET", "/staff");
      const staff = items.find(({ name }: Played) => name === person);
      const lines: string[] = [];
      const args = ["create", "--staff", staff.id];
      await handCommand(desk.dataDir, { command: "tokens", args, cwd: desk.dataDir }, (line) =>
        lines.push(line),
      );
      const [token = ""] = lines;
      return desk.adminAs(token, "POST", `/approvals/${id}/decision`, { decision: "approve" });
    }
  });

  describe("S16: Telegram delivers one press three times", () => {
    test("and it is one decision; each delivery is answered", async () => {
      const lead = await waiting();
      const card = await lead.groupCard();
      const update = { callback_query: callback(BOB, card, { id: `press-${lead.id}` }) };
      await desk.world.post("telegram/updates", [update, update, update]);
      await desk.idle();
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
      const decided = (await auditOf(lead)).filter(
        (line) => line.event_type === "approval.decided" && line.tool_name === PAYOUT,
      );
      expect(decided).toHaveLength(1);
    });
  });

  describe("S6: the card of a payout", () => {
    test("shows what the gateway is sent, field by field", async () => {
      const lead = await waiting();
      const card = await lead.card();
      await alice().presses("Approve", card);
      const [payout] = await desk.payoutsOf(lead);
      const { order_id, amount, currency } = payout;
      for (const value of [order_id, `${amount} ${currency}`, "cash at the office", "Demo Office"])
        expect(card.text).toContain(value);
      const { executions, approvals } = await lead.trace();
      expect(executions.at(-1).action_digest).toBe(approvals.at(-1).action_digest);
      expect(card.text).toContain(approvals.at(-1).action_digest.slice(0, 8));
    });
  });

  describe("S21: an approver lowers a payout", () => {
    test("in Slack's form: gateway, card, order and lead have the lower sum, and what is owed", async () => {
      const lead = await waiting();
      const card = await lead.card();
      const { view } = await click("Edit", card, "U0ALICE");
      expect(view.title).toBe(`Change ${await lead.cardName()}`);
      const [input] = view.inputs;
      expect(input.label).toBe("Sum, at most 62600 THB");
      const submit = (text: string) =>
        desk.world.post(`slack/views/${view.id}/submit`, {
          ...{ user: "U0ALICE", values: { [input.label]: text } },
        });
      expect(await submit("sixty thousand")).toMatchObject({ result: "errors" });
      await submit("60 000");
      await desk.idle();
      const [payout, ...others] = await desk.payoutsOf(lead);
      expect([payout?.amount, others]).toEqual(["60000", []]);
      const row = await last(lead);
      expect(row).toMatchObject({
        ...{ status: "approved", proposed_action_json: { amount: "62600" } },
        approved_action_json: { amount: "60000", stillOwed: "2600" },
        effective_action_json: { amount: "60000", stillOwed: "2600" },
      });
      expect((await lead.trace()).orders[0]).toMatchObject({
        ...{ status: "payout", amount_to: "62600", amount_paid_out: "60000" },
      });
      const after = (await lead.card()).text;
      expect(after).toContain("60000 THB");
      expect(after).toContain("2600 THB, the order says 62600 THB");
      expect(after).toMatch(/changed by Alice: Sum 62600 → 60000/);
      const said = await lead.hears();
      expect(said).toMatch(/60000 THB/);
      expect(said).toMatch(/2600 THB/);
      const asked = (await desk.modelRequests()).at(-1);
      expect(JSON.stringify(asked?.body.messages)).toContain("60000");
      const handover = (await desk.slackCards()).findLast(({ text }) =>
        text.startsWith("See that the client gets the money"),
      );
      expect(handover?.text).toContain("2600 THB of the order are still owed");
    });

    test("in Telegram by a forced reply; a higher sum changes nothing", async () => {
      const lead = await waiting();
      await repliesToEdit(lead, "62600.01");
      expect((await last(lead)).status).toBe("pending");
      await repliesToEdit(lead, "61000");
      expect((await last(lead)).effective_action_json).toMatchObject({ amount: "61000" });
      expect((await desk.payoutsOf(lead))[0]?.amount).toBe("61000");
    });

    test("by the API, which says what is wrong with a change", async () => {
      const lead = await waiting();
      const { id } = await last(lead);
      const path = `/approvals/${id}/decision`;
      const decide = (edit: object) => desk.admin("POST", path, { decision: "approve", edit });
      await expect(decide({ currency: "USD" })).rejects.toThrow(/422.*cannot be changed/);
      await expect(decide({ amount: "62601" })).rejects.toThrow(/422.*only be lowered/);
      await decide({ amount: "100" });
      await desk.idle();
      expect((await desk.payoutsOf(lead))[0]?.amount).toBe("100");
    });

    async function repliesToEdit(lead: Lead, text: string): Promise<void> {
      const here = { chat_id: OPERATORS_GROUP, user_id: BOB };
      const answer = await desk.groupOperator(BOB).presses("Edit", await lead.groupCard());
      expect(answer).toMatch(/Answer the question/);
      const asked = (await desk.groupCards()).at(-1);
      expect(asked?.text).toContain("at most 62600 THB");
      const reply_to_message_id = asked?.message_id;
      await desk.world.post("telegram/messages", { ...here, text, reply_to_message_id });
      await desk.idle();
    }
  });

  describe("S24: forged presses in Telegram", () => {
    let lead: Lead;
    let card: ChatMessage;
    beforeAll(async () => {
      lead = await waiting();
      card = await lead.groupCard();
    });
    const forges = async (change: object, more: { chat?: object } = {}) => {
      forged += 1;
      const query = callback(BOB, card, { id: `forged-${forged}`, ...more });
      await desk.world.post("telegram/updates", [{ callback_query: { ...query, ...change } }]);
      await desk.idle();
    };
    let forged = 0;

    test.each(["approve:constructor", "approve:", "constructor:x", "__proto__:__proto__", ":"])(
      "%j changes nothing",
      async (data) => {
        await forges({ data });
        expect((await last(lead)).status).toBe("pending");
        expect(await desk.payoutsOf(lead)).toEqual([]);
      },
    );

    test("a real one, sent from a group that is not the operators', is refused", async () => {
      await forges({}, { chat: { id: -1009999999999, type: "supergroup", title: "elsewhere" } });
      expect((await last(lead)).status).toBe("pending");
      expect((await auditOf(lead)).at(-1)).toMatchObject({
        ...{ event_type: "approval.refused", decision: "forbidden" },
      });
    });

    test("one of two days ago, and one under a new name, pay nothing twice", async () => {
      await forges({ id: "old" });
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
      await desk.advance(2 * 86_400);
      await forges({ id: "old" });
      await forges({ id: "new" });
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
      const refused = (await auditOf(lead)).filter(
        (line) => line.event_type === "approval.refused",
      );
      expect(refused.at(-1)).toMatchObject({ decision: "already_decided" });
    });
  });

  describe("S25: many requests at once", () => {
    test("are one list in both messengers, each decided by its own button", async () => {
      await desk.advance(3600);
      const leads: Lead[] = [];
      for (let count = 0; count < 5; count += 1) {
        const lead = desk.lead();
        leads.push(lead);
        await lead.sends({ photo: {} }, { video_note: {} });
      }
      const [first, second, third] = leads as [Lead, Lead, Lead];
      const [one, two, three] = [
        await first.cardName(),
        await second.cardName(),
        await third.cardName(),
      ];
      const isList = ({ text }: { text: string }) => /^Requests that wait: \d+/.test(text);
      const inSlack = async () => (await desk.slackCards()).findLast(isList) as SlackMessage;
      const inGroup = async () => (await desk.groupCards()).findLast(isList) as ChatMessage;
      expect((await inSlack()).text).toContain(one);
      expect(await alice().presses(`Approve ${one}`, await inSlack())).toMatch(/approved/);
      expect((await first.trace()).contact.attributes.exchangeKyc.status).toBe("verified");
      const group = desk.groupOperator(BOB);
      expect(await group.presses(`Open ${two}`, await inGroup())).toBe(`${two} stands below.`);
      const opened = (await desk.groupCards()).at(-1) as ChatMessage;
      expect(opened.text).toContain(two);
      expect(await group.presses("Approve", opened)).toMatch(/approved/);
      const { view } = await click(`Reject ${three}`, await inSlack(), "U0BOB");
      expect(view.inputs).toHaveLength(1);
      await desk.idle();
      expect((await last(third)).status).toBe("rejected");
      for (const shown of [(await inSlack()).text, (await inGroup()).text]) {
        expect(shown).toMatch(new RegExp(`${one}\\W+approved: Alice`));
        expect(shown).toMatch(new RegExp(`${two}\\W+approved: Bob`));
        expect(shown).toMatch(new RegExp(`${three}\\W+rejected: Bob`));
      }
      expect((await desk.slackCards()).filter(isList)).toHaveLength(1);
      for (const lead of leads.slice(3)) await alice().presses("Approve", await lead.card());
    });
  });

  describe("R5: whoever confirmed the receipt", () => {
    test("does not approve the payout while others can, and a colleague does", async () => {
      const lead = await payer();
      await alice().presses("Approve", await lead.card());
      await lead.says("Когда привезёте?");
      expect(await alice().presses("Approve", await lead.card())).toMatch(
        /You confirmed that this order's money came/,
      );
      expect(await desk.groupOperator(ALICE).presses("Approve", await lead.groupCard())).toMatch(
        /You confirmed/,
      );
      expect(await desk.payoutsOf(lead)).toEqual([]);
      expect(await bob().presses("Approve", await lead.card())).toMatch(/approved/);
      expect(await desk.payoutsOf(lead)).toHaveLength(1);
      expect((await lead.card()).text).not.toContain("also confirmed the receipt");
    });

    test("may where nobody else can, and the card says so", async () => {
      const lead = await payer();
      await payoutRule({ approver_role: "admin" });
      const admin = desk.operator("U0ADMIN");
      await admin.presses("Approve", await lead.card());
      await lead.says("Когда привезёте?");
      await payoutRule({ approver_role: "operator" });
      expect(await admin.presses("Approve", await lead.card())).toMatch(/approved/);
      expect((await lead.card()).text).toMatch(
        /Approved by Admin, .* Admin also confirmed the receipt/,
      );
    });

    test("the daily cap is a setting, and the refusal names what is left", async () => {
      await changeAlone(desk, "PUT", "/exchange/settings", { operator_daily_cap: "1000" });
      await desk.advance(601);
      const lead = await waiting();
      const said = await bob().presses("Approve", await lead.card());
      expect(said).toMatch(/capped at 1000 THB, and .* THB is left today.*62600 THB is more/);
      expect(await desk.payoutsOf(lead)).toEqual([]);
    });
  });

  const click = (label: string, { ts }: SlackMessage, user: string): Promise<Played> =>
    desk.world.post("slack/buttons", { channel: OPERATORS_CHANNEL, user, ts, label });

  function callback(
    userId: number,
    card: ChatMessage,
    { id, chat = { id: OPERATORS_GROUP, type: "supergroup" } }: { id: string; chat?: object },
  ) {
    return {
      id,
      from: { id: userId, is_bot: false, first_name: "Bob" },
      chat_instance: "1",
      data: card.buttons[0]?.[0]?.data,
      message: { message_id: card.message_id, date: 1, chat },
    };
  }
});
