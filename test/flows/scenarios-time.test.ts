import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import { type Desk, type Lead, OPERATORS_GROUP } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import { endedEarlier } from "../support/outage.ts";
import type { Played } from "../support/played-world.ts";

const THREE_HOURS_MS = 3 * 3_600_000;
const IS_THERE = [() => true, () => false] as const;

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());
  afterEach(async () => {
    await desk.script([]);
    await desk.fault({ service: "slack", kind: "status", count: 0 });
  });

  const approvalOf = async (lead: Lead) => (await lead.trace()).approvals.at(-1);
  /** Documents that wait for the identity check. */
  const sendsDocuments = async () => {
    const lead = desk.lead();
    await lead.sends({ photo: {} }, { video_note: {} });
    return lead;
  };
  /** Every call that a request tells of has one result, right behind it and in its order. */
  const unpaired = (body: Played): string[] => {
    const ids = body.messages.flatMap(({ tool_calls = [] }: Played) =>
      tool_calls.map(({ id }: Played) => id),
    );
    const results = body.messages.flatMap(({ role, tool_call_id }: Played) =>
      role === "tool" ? [tool_call_id] : [],
    );
    return JSON.stringify(ids) === JSON.stringify(results) ? [] : [...ids, "≠", ...results];
  };
  const lastRequest = async () => (await desk.modelRequests()).at(-1)?.body;

  describe("S7: the client says stop while the payout waits", () => {
    let lena: Lead;
    beforeAll(async () => {
      lena = desk.lead();
      await lena.reachesPayout();
      await lena.hears();
    });

    test("is answered at once, and both cards say that the customer objected", async () => {
      expect(await lena.says("Стой, не отправляйте!")).toMatch(/ничего не делаем/);
      expect((await lena.trace()).messages.at(-2)).toMatchObject({ text: "Стой, не отправляйте!" });
      expect(await approvalOf(lena)).toMatchObject({ status: "frozen" });
      for (const card of [await lena.card(), await lena.groupCard()]) {
        expect(card.text).toContain("customer objected");
        expect(card.buttons.flat().map(({ label }) => label)).toEqual(["Unfreeze", "Reject"]);
      }
      expect(unpaired(await lastRequest())).toEqual([]);
    });

    test("nobody can approve it before somebody presses Unfreeze, which is written down", async () => {
      const { id } = await approvalOf(lena);
      const refused = desk.admin("POST", `/approvals/${id}/decision`, { decision: "approve" });
      await expect(refused).rejects.toThrow(/409.*frozen: the client objected/s);
      expect(await lena.says("Ладно, отправляйте")).not.toBe("");
      expect((await lena.card()).text).toContain("took it back");
      expect(await desk.payoutsOf(lena)).toEqual([]);
      expect(await desk.operator("U0BOB").presses("Unfreeze", await lena.card())).toMatch(
        /open again/,
      );
      const events = (await lena.trace()).audit.map((line: Played) => line.event_type);
      expect(events).toEqual(
        expect.arrayContaining(["approval.frozen", "approval.taken_back", "approval.unfrozen"]),
      );
      expect(await desk.payoutsOf(lena)).toEqual([]);
      await desk.operator("U0ALICE").presses("Approve", await lena.card());
      expect(await desk.payoutsOf(lena)).toHaveLength(1);
    });
  });

  describe("S8: the client asks something else while the payout waits", () => {
    test("is answered now, and every call id has exactly one result in the model's request", async () => {
      const lena = desk.lead();
      await lena.reachesPayout();
      await lena.hears();
      expect(await lena.says("До скольки вы работаете?")).toContain("10:00-22:00");
      expect(await approvalOf(lena)).toMatchObject({ status: "pending" });
      const body = await lastRequest();
      expect(unpaired(body)).toEqual([]);
      const waiting = body.messages.filter(
        ({ role, content }: Played) => role === "tool" && /waiting_approval/.test(content),
      );
      expect(waiting).toHaveLength(1);
    });
  });

  describe("S9: one answer calls [auto, needs approval, auto, invalid]", () => {
    test("autos run, the invalid one is told, and after a rejection each id has one result", async () => {
      const lena = desk.lead();
      await lena.passesKyc();
      await lena.says("Есть 2000 USDT в сети TRC20, хочу забрать баты в вашем офисе");
      await lena.says("Устраивает, оформляем");
      await lena.says(`Отправил: ${await lena.transfers("2000")}`);
      await desk.script([
        {
          tool_calls: [
            { name: "get_exchange_business_info", arguments: {} },
            { name: "issue_exchange_payout", arguments: {} },
            { name: "search_knowledge_base", arguments: { query: "opening hours", top_k: 3 } },
            { name: "issue_exchange_payout", arguments: { payoutMethod: 7 } },
          ],
        },
      ]);
      await lena.says("Когда подойти?");
      const states = async () => {
        const { candidates } = await lena.trace();
        const { message_id: asked } = candidates.find(
          (one: Played) => one.tool_name === "issue_exchange_payout",
        );
        return candidates
          .filter((one: Played) => one.message_id === asked)
          .map(({ status }: Played) => status);
      };
      expect(await states()).toEqual(["executed", "waiting_approval", "executed", "schema_failed"]);
      await desk.operator("U0ALICE").rejects(await lena.card(), "the safe is empty");
      expect(await states()).toEqual(["executed", "failed", "executed", "schema_failed"]);
      await lena.says("Спасибо");
      const body = await lastRequest();
      expect(unpaired(body)).toEqual([]);
      const asked = body.messages.findIndex(
        ({ tool_calls = [] }: Played) => tool_calls.length === 4,
      );
      const results = body.messages.slice(asked + 1, asked + 5).map(({ content }: Played) => {
        const { status, error } = JSON.parse(content);
        return error?.code ?? status;
      });
      expect(results).toEqual(["completed", "APPROVAL_REJECTED", "completed", "INVALID_ARGUMENTS"]);
    });
  });

  describe("S14: Slack is away while Telegram decides", () => {
    test("the press in Telegram decides, and the card in Slack shows it once Slack is back", async () => {
      const lena = await sendsDocuments();
      const before = await lena.card();
      await desk.fault({ service: "slack", kind: "status", status: 503, count: 1000 });
      const { message_id } = await lena.groupCard();
      // nothing is idle while Slack is asked again and again
      const press = { chat_id: OPERATORS_GROUP, user_id: 2002, message_id, label: "Approve" };
      const { answer } = await desk.world.post("telegram/buttons", press);
      expect(answer.text).toMatch(/approved/);
      const { id } = await approvalOf(lena);
      const late = desk.admin("POST", `/approvals/${id}/decision`, { decision: "reject" });
      await expect(late).rejects.toThrow(/Already approved by Bob/);
      expect((await lena.card()).text).toBe(before.text);
      await desk.fault({ service: "slack", kind: "status", count: 0 });
      await desk.advance(600);
      expect((await lena.card()).text).toContain("Approved by Bob");
      expect((await lena.card()).buttons).toEqual([]);
      expect(await desk.operator("U0ALICE").presses("Approve", before)).toMatch(/Already approved/);
    });
  });

  describe("S17: it is decided before Slack has shown a card at all", () => {
    test("the decision counts, and the card that comes later shows it", async () => {
      const lena = desk.lead();
      await lena.says("hello");
      await desk.fault({ service: "slack", kind: "status", status: 503, count: 1000 });
      await lena.writes({ photo: {} });
      await desk.until(async () => (await lena.trace()).approvals.length === 1);
      const { id } = await approvalOf(lena);
      await desk.admin("POST", `/approvals/${id}/decision`, { decision: "approve" });
      await desk.fault({ service: "slack", kind: "status", count: 0 });
      await desk.advance(120);
      expect((await lena.card()).text).toContain("Approved by");
      expect((await lena.trace()).contact.attributes.exchangeKyc.status).toBe("verified");
    });
  });

  describe("S18: nobody answers", () => {
    test("two reminders, the admins, and an honest end; a late press runs nothing", async () => {
      const lena = await sendsDocuments();
      const promised = await lena.hears();
      expect(promised).not.toMatch(/будет (?:одобрен|подтвержден)|will be approved/i);
      const name = await lena.cardName();
      const told = async () =>
        (await desk.slackCards())
          .map(({ text }) => text)
          .filter((text) => /^(?:⏰|🔺)/u.test(text) && text.includes(`${name} `));
      await desk.advance(30 * 60);
      expect(await told()).toHaveLength(1);
      await desk.advance(18 * 60);
      expect(await told()).toHaveLength(2);
      await desk.advance(6 * 60);
      expect((await told()).at(-1)).toMatch(/^🔺.*Admin/);
      const admin = await desk.world.get("telegram/chats/3001/messages").catch(() => []);
      const inSlack = await desk.world.get("slack/channels/D0ADMIN/messages").catch(() => []);
      expect([...admin, ...inSlack].some(({ text }: Played) => text.includes(name))).toBe(true);
      await desk.advance(6 * 60);
      expect(await lena.hears()).toMatch(/in time/);
      const card = await lena.card();
      expect(card.text).toContain("Expired: nobody decided in time");
      expect(await desk.operator("U0ALICE").presses("Approve", card)).toMatch(/expired/i);
      expect((await lena.trace()).contact.attributes.exchangeKyc?.status).not.toBe("verified");
    });

    test("what discharges received money stays, and /pending says how long the client waits", async () => {
      const paid = desk.lead();
      await paid.reachesPayout();
      await desk.advance(3 * 3600);
      expect(await approvalOf(paid)).toMatchObject({ status: "pending", expires_at: null });
      const { answer } = await desk.world.post("slack/commands", {
        ...{ channel: "C0OPERATORS", user: "U0ALICE", command: "/pending", text: "" },
      });
      expect(answer.text).toMatch(new RegExp(`${await paid.cardName()} .*3 h`));
      expect(answer.text).toMatch(/client's money is here/);
    });
  });

  describe("S19: what waits is over when the client is gone", () => {
    test("a client who blocks the bot: the card is closed, and their next turn works", async () => {
      const lena = await sendsDocuments();
      await desk.world.post("telegram/block", { user_id: lena.id, blocked: true });
      await desk.idle();
      expect(await approvalOf(lena)).toMatchObject({ status: "cancelled" });
      expect((await lena.card()).text).toContain("Cancelled: the client blocked the bot");
      expect((await lena.card()).buttons).toEqual([]);
      await desk.world.post("telegram/block", { user_id: lena.id, blocked: false });
      await lena.hears();
      expect(await lena.says("До скольки вы работаете?")).toContain("10:00-22:00");
      await lena.sends({ photo: {} }, { video_note: {} });
      expect(await approvalOf(lena)).toMatchObject({ status: "pending" });
    });

    test("an operator cancels it in chat: the client is told, and may ask anew", async () => {
      const lena = await sendsDocuments();
      await lena.hears();
      const { answer } = await desk.world.post("slack/commands", {
        ...{ channel: "C0OPERATORS", user: "U0ALICE", command: "/cancel" },
        text: `${await lena.cardName()} wrong person`,
      });
      await desk.idle();
      expect(answer.text).toMatch(/Cancelled, not executed: A-\d+/);
      expect((await lena.card()).text).toMatch(/Cancelled by Alice.*wrong person/);
      expect(await lena.hears()).toMatch(/cancelled/);
      await lena.sends({ photo: {} }, { video_note: {} });
      expect(await approvalOf(lena)).toMatchObject({ status: "pending" });
    });
  });

  describe("S15: the bot starts again while cards are open", () => {
    test("the first press on each works, and nothing is forgotten", async () => {
      const leads = [];
      for (let count = 0; count < 5; count += 1) leads.push(await sendsDocuments());
      await desk.restart();
      await desk.idle();
      for (const lead of leads)
        expect(await desk.operator("U0ALICE").presses("Approve", await lead.card())).toMatch(
          /^A-\d+ approved/,
        );
    });
  });

  describe("R10: nobody is there for three hours", () => {
    test("requests wait so much longer, their cards say so, and a lost card is posted anew", async () => {
      const lena = await sendsDocuments();
      const before = await approvalOf(lena);
      await desk.world.post("slack/rights", { channel: "C0OPERATORS", archived: true });
      const boris = await sendsDocuments();
      await desk.world.post("slack/rights", { channel: "C0OPERATORS", archived: false });
      await expect(boris.card()).rejects.toThrow(/there is no card/);
      await desk.restart(endedEarlier(THREE_HOURS_MS));
      await desk.until(async () => boris.card().then(...IS_THERE));
      await desk.idle();
      const after = await approvalOf(lena);
      const shift = Date.parse(after.expires_at) - Date.parse(before.expires_at);
      expect(shift).toBeGreaterThan(THREE_HOURS_MS);
      expect((await lena.card()).text).toContain(after.expires_at.slice(0, 16));
      // the hour that it had is over by the clock, and it may be decided all the same
      await desk.advance(45 * 60);
      expect(await desk.operator("U0ALICE").presses("Approve", await boris.card())).toMatch(
        /approved/,
      );
      expect(await desk.operator("U0ALICE").presses("Approve", await lena.card())).toMatch(
        /approved/,
      );
    });
  });

  describe("R10: words that waited for long", () => {
    test("get one apology and a fresh answer", async () => {
      const lena = desk.lead();
      await lena.says("Здравствуйте");
      const { update_id } = await lena.writes({ text: "ок" });
      await desk.idle();
      await lena.hears();
      const now = Math.floor(Date.parse((await lena.trace()).messages.at(-1).created_at) / 1000);
      const message = {
        message_id: 900_000 + update_id,
        date: now - 45 * 60,
        chat: { id: lena.id, type: "private", first_name: "Lena" },
        from: { id: lena.id, is_bot: false, first_name: "Lena" },
        text: "До скольки вы работаете?",
      };
      await desk.world.post("telegram/updates", [{ message }]);
      await desk.idle();
      expect(await lena.hears()).toMatch(/^Простите за поздний ответ\. .*10:00-22:00/s);
      expect(JSON.stringify(await lastRequest())).toMatch(/4\d minutes old/);
      expect(await lena.says("А в воскресенье?")).not.toMatch(/Простите/);
    });
  });
});
