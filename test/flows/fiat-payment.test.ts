import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import {
  type Desk,
  type Lead,
  OPERATORS_CHANNEL,
  type SlackMessage,
} from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const TITLE = /^Payment: has the money arrived\?/;

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  /** A lead who was told where to pay 24800 roubles. */
  async function payer(): Promise<Lead> {
    const lead = desk.lead();
    await lead.passesKyc();
    await lead.says("Нужно десять тысяч бат, плачу рублями через СБП, привезите в отель");
    const told = await lead.says("Да, подходит, давайте куда платить");
    expect(told).toContain("https://pay.example.test/sbp/demo");
    return lead;
  }
  const sendsReceipt = (lead: Lead, caption = "Оплатил, чек во вложении") =>
    lead.sends({ photo: {}, caption });
  const orderOf = async (lead: Lead): Promise<Played> => (await lead.trace()).orders.at(-1);
  /** Requests for this lead's payment that Slack's operators see, the oldest first. */
  async function cardsOf(lead: Lead): Promise<SlackMessage[]> {
    const own = new RegExp(`\\bLead ${lead.id}\\b`);
    return (await desk.slackCards()).filter(
      ({ text, ephemeral_for: only }) => !only && own.test(text) && TITLE.test(text),
    );
  }

  describe("a receipt for roubles", () => {
    let lead: Lead;
    let reply: string;
    beforeAll(async () => {
      lead = await payer();
      reply = await sendsReceipt(lead);
    });

    test("is promised to be checked by a person, and nothing more", async () => {
      expect(reply).toMatch(/ждёт проверки человеком/);
      expect(await orderOf(lead)).toMatchObject({ status: "awaiting_payment" });
      expect((await lead.trace()).conversation.stage).toBe("payment_proof_waiting");
    });

    test("is one card with the backend's figures, and no second request", async () => {
      const cards = await cardsOf(lead);
      expect(cards).toHaveLength(1);
      const [{ text, buttons }] = cards as [SlackMessage];
      expect(text).toContain("Expected: 24800 RUB");
      expect(text).toMatch(/Paid by: SBP \(QR code\)/);
      expect(text).toMatch(/Details sent: \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
      expect(text).toContain("Receipt: photo");
      expect(text).toContain("Then pays out: 10000 THB, cash by courier");
      expect(buttons.map(({ label }) => label)).toEqual(["Approve", "Reject"]);
      expect((await lead.trace()).handoffs).toEqual([]);
      const { approvals, candidates } = await lead.trace();
      expect(approvals.at(-1)).toMatchObject({ expires_at: null, status: "pending" });
      expect(candidates.at(-1)).toMatchObject({ source: "system", model_call_id: null });
    });

    test("is shown to the operators before the card", async () => {
      const [card] = await cardsOf(lead);
      const shown: Played[] = await desk.world.get(`slack/channels/${OPERATORS_CHANNEL}/messages`);
      const before = shown
        .slice(
          0,
          shown.findIndex(({ ts }) => ts === card?.ts),
        )
        .at(-1);
      expect(before?.files?.length ?? 0).toBeGreaterThan(0);
    });

    test("joined by a second one makes a card with both take its place", async () => {
      await sendsReceipt(lead, "Вот ещё чек");
      const cards = await cardsOf(lead);
      expect(cards).toHaveLength(2);
      expect(cards[0]?.text).toContain("Superseded by a newer request");
      expect(cards[1]?.text).toContain("Receipt: photo, photo");
    });

    test("is told as what the client says, and never as money that is here", async () => {
      const { answer } = await desk.world.post("slack/commands", {
        ...{ channel: OPERATORS_CHANNEL, user: "U0ALICE", command: "/pending", text: "" },
      });
      const line = answer.text.split("\n").find((one: string) => one.includes("Payment confirm"));
      expect(line).toContain("the client says they paid; not confirmed; it does not expire");
      expect(answer.text).not.toContain("money is here");
    });

    test("spoken of again without anything new makes no further card", async () => {
      await lead.says("Я оплатил");
      expect(await cardsOf(lead)).toHaveLength(2);
    });

    test("waits for a person however long: neither card nor order runs out", async () => {
      await desk.advance(5 * 60 * 60);
      expect(await orderOf(lead)).toMatchObject({ status: "awaiting_payment" });
      expect((await lead.card()).buttons.map(({ label }) => label)).toContain("Approve");
    });

    test("is not decided by a stranger", async () => {
      expect(await desk.operator("U0EVE").presses("Approve", await lead.card())).toMatch(
        /no right/,
      );
      expect(await orderOf(lead)).toMatchObject({ status: "awaiting_payment" });
    });

    test("approved by one click sets the order paid, and the lead is told", async () => {
      await lead.hears();
      await desk.operator("U0BOB").presses("Approve", await lead.card());
      const order = await orderOf(lead);
      expect(order).toMatchObject({ status: "paid", amount_received: "24800" });
      expect(order.quote_locked_at).not.toBeNull();
      expect((await lead.trace()).conversation.stage).toBe("payment_verified");
      expect(await lead.hears()).toMatch(/подтвердил вашу оплату/);
    });

    test("then lets the payout be asked for", async () => {
      await lead.says("Когда привезёте?");
      expect((await lead.card()).text).toMatch(/^Payout: approve\?/);
    });
  });

  describe("a picture without a word", () => {
    let lead: Lead;
    beforeAll(async () => {
      lead = await payer();
      const receipt = {
        ...{ payerName: "IVAN PETROV, own account, checked", sourceBank: "Sber" },
        ...{ receiptAmount: "24800", paymentReference: "REF-777 arrived" },
      };
      await desk.script([
        { tool_calls: [{ name: "verify_exchange_payment", arguments: receipt }] },
      ]);
      await lead.sends({ photo: {} });
      await desk.script([]);
    });

    test("has no words of the client; what the bot read is called so", async () => {
      const [card] = await cardsOf(lead);
      expect(card?.text).toContain(
        "The bot understood (not verified): payer IVAN PETROV, own account, checked",
      );
      expect(card?.text).not.toContain("client says");
    });

    test("cancelled, leaves a payment to check, and no money", async () => {
      const text = `${await lead.cardName()} no such transfer`;
      await desk.world.post("slack/commands", {
        ...{ channel: OPERATORS_CHANNEL, user: "U0ALICE", command: "/cancel", text },
      });
      await desk.idle();
      const { handoffs } = await lead.trace();
      expect(handoffs.map(({ reason }: Played) => reason)).toEqual(["payment_review"]);
      expect(handoffs[0].summary).toMatch(
        /was cancelled; the client says they paid; not confirmed/,
      );
      const card = (await desk.slackCards()).findLast(({ text }) => /^Check a payment/.test(text));
      expect(card?.text).toContain("the client says they paid; not confirmed");
      expect(card?.text).not.toContain("money is here");
    });
  });

  describe("a receipt that the operator does not find", () => {
    let lead: Lead;
    beforeAll(async () => {
      lead = await payer();
    });

    test("with the tool switched off, is a plain request for a person", async () => {
      await desk.admin("PATCH", "/tools/confirm_fiat_payment", { is_active: false });
      expect(await sendsReceipt(lead)).toMatch(/ждёт проверки человеком/);
      const { handoffs, approvals } = await lead.trace();
      expect(handoffs.map(({ reason }: Played) => reason)).toEqual(["payment_review"]);
      expect(approvals.filter(({ status }: Played) => status === "pending")).toEqual([]);
      await desk.admin("PATCH", "/tools/confirm_fiat_payment", { is_active: true });
    });

    test("is declined with a reason that the lead is told, and the order goes on", async () => {
      await sendsReceipt(lead, "Вот чек");
      await desk.advance(60 * 60);
      await lead.hears();
      await desk.operator("U0BOB").rejects(await lead.card(), "на счёте такого перевода нет");
      const told = await lead.hears();
      expect(told).toMatch(/не нашёл/);
      expect(told).toContain("на счёте такого перевода нет");
      expect(await orderOf(lead)).toMatchObject({
        status: "awaiting_payment",
        proof_received_at: null,
      });
    });

    test("leaves the lead the usual grace, though the order's time passed meanwhile", async () => {
      await desk.advance(5 * 60);
      expect(await orderOf(lead)).toMatchObject({ status: "awaiting_payment" });
    });

    test("gives way to the next one, which is a card of its own", async () => {
      expect(await sendsReceipt(lead, "Вот правильный чек")).toMatch(/ждёт проверки/);
      const { text } = await lead.card();
      expect(text).toMatch(/Receipt: photo(?!,)/);
      expect(text).toContain("reported after the order's time");
      await desk.groupOperator(2001).presses("Approve", await lead.groupCard());
      expect(await orderOf(lead)).toMatchObject({ status: "paid" });
      const { handoffs } = await lead.trace();
      expect(handoffs.map(({ status }: Played) => status)).toEqual(["closed"]);
    });
  });
});
