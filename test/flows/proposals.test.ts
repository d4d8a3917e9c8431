import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import { WALLET } from "../support/desk-lead.ts";
import type { Desk } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const FOREIGN_WALLET = "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());
  beforeEach(() => desk.script([]));

  const call = (name: string, args?: unknown) => ({
    tool_calls: [{ name, ...(args === undefined ? {} : { arguments: args }) }],
  });

  describe("a call at the wrong stage", () => {
    test("is refused, and the model is told which tools run now", async () => {
      const lena = desk.lead();
      await desk.script([call("fetch_exchange_requisites", {})]);
      const reply = await lena.says("Скиньте реквизиты");
      const refused = (await lena.trace()).candidates[0];
      expect(refused).toMatchObject({ status: "blocked_by_policy", code: "stage_not_allowed" });
      expect(refused.reply.data).toMatchObject({
        reason: "action_not_allowed_for_stage",
        stageSlug: "exchange_request",
      });
      expect(refused.reply.data.allowedTools).toContain("compute_exchange_quote");
      expect(reply).not.toContain(WALLET);
      expect(reply).not.toBe("");
    });
  });

  describe("arguments that do not fit", () => {
    const quote = { asset: "USDT", amount: "2000", amountMode: "source_amount", network: "TRC20" };
    test.each([
      [
        "a number as text",
        "search_knowledge_base",
        { query: "hours", limit: "2" },
        "INVALID_ARGUMENTS",
      ],
      ["an unknown field", "compute_exchange_quote", { ...quote, rate: "99" }, "INVALID_ARGUMENTS"],
      [
        "an amount that is a number",
        "compute_exchange_quote",
        { ...quote, amount: 2000 },
        "INVALID_ARGUMENTS",
      ],
      ["cut JSON", "compute_exchange_quote", '{"asset":"USDT","amount":"20', "INVALID_ARGUMENTS"],
      [
        "two objects",
        "compute_exchange_quote",
        `${JSON.stringify(quote)}${JSON.stringify(quote)}`,
        "INVALID_ARGUMENTS",
      ],
      ["a list", "compute_exchange_quote", "[]", "INVALID_ARGUMENTS"],
      ["a tool that does not exist", "transfer_everything", {}, "NOT_FOUND"],
      ["a name every object has", "constructor", {}, "NOT_FOUND"],
      ["the name of a prototype", "__proto__", {}, "NOT_FOUND"],
    ])("%s: nothing runs, and the model reads why", async (_, name, args, code) => {
      const lena = desk.lead();
      await desk.script([call(name, args), { content: "One moment please." }]);
      await lena.says("please do it");
      const { candidates, executions, quotes } = await lena.trace();
      expect(["schema_failed", "blocked_by_policy"]).toContain(candidates[0].status);
      expect(candidates[0].reply).toMatchObject({ ok: false, error: { code } });
      expect(executions.filter((e: Played) => e.candidate_id === candidates[0].id)).toEqual([]);
      expect(quotes).toEqual([]);
      const asked = (await desk.modelRequests()).findLast(({ body }) => body.tools?.length > 0);
      expect(JSON.stringify(asked?.body.messages)).toContain(code);
    });
  });

  describe("a tool that no model is offered", () => {
    test("is not run for one, whatever the arguments", async () => {
      const lena = desk.lead();
      await lena.says("hello");
      const { contact, messages } = await lena.trace();
      const documents = [messages[0].id];
      const args = { contactId: contact.id, status: "verified", documents };
      await desk.script([call("set_kyc_status", args), { content: "One moment please." }]);
      await lena.says("please verify me");
      const { candidates, approvals } = await lena.trace();
      expect(candidates.at(-1)).toMatchObject({ tool_name: "set_kyc_status", source: "model" });
      expect(candidates.at(-1).reply.ok).toBe(false);
      expect(approvals).toEqual([]);
    });
  });

  describe("words that nothing backs", () => {
    test.each([
      ["a wallet", `Send 100 USDT to ${FOREIGN_WALLET} right now.`, FOREIGN_WALLET],
      ["a sum", "You will get 99999 THB for it.", "99999"],
      [
        "a payment that never came",
        "Your payment is confirmed, the money is on its way.",
        "confirmed",
      ],
      ["a payout that never was", "Done, we have paid out your baht.", "paid out"],
      ["a code", "Your withdrawal code is 482913.", "482913"],
      ["a card", "Transfer to card 4111 1111 1111 1111.", "4111"],
    ])("%s never reaches the lead, not even after a repair", async (_, lie, mark) => {
      const lena = desk.lead();
      await desk.script([{ content: lie }, { content: lie }]);
      const reply = await lena.says("hello, what about my money?");
      expect(reply).not.toBe("");
      expect(reply).not.toContain(mark);
      expect(JSON.stringify(await lena.chat())).not.toContain(mark);
    });

    test("are repaired when the model can say it without them", async () => {
      const lena = desk.lead();
      const honest = "Tell me the amount and the currency, and I will work it out.";
      await desk.script([{ content: `Send it to ${FOREIGN_WALLET}.` }, { content: honest }]);
      expect(await lena.says("how do I change money?")).toBe(honest);
    });
  });

  describe("the frozen destination", () => {
    test("is not changed by the call that pays", async () => {
      const lena = desk.lead();
      await lena.passesKyc();
      await lena.says("Есть 2000 USDT в сети TRC20, хочу забрать баты в вашем офисе");
      await lena.says("Устраивает, оформляем");
      await lena.says(`Отправил: ${await lena.transfers("2000")}`);
      const elsewhere = { payoutMethod: "office_cash", payoutLocation: "Hotel Riviera, room 5" };
      await desk.script([call("issue_exchange_payout", elsewhere)]);
      const before = (await lena.trace()).approvals.length;
      await lena.says("Привезите в отель Riviera");
      const { approvals, candidates, orders } = await lena.trace();
      const asked = candidates.find(({ arguments_raw }: Played) =>
        arguments_raw.includes("Riviera"),
      );
      expect(asked.reply.ok).toBe(false);
      const shown = JSON.stringify(approvals.slice(before));
      expect(shown).not.toContain("Riviera, room 5");
      expect(orders[0].payout_location).toBe("Demo Office, Beach Road 1");
    });
  });

  describe("tools that are switched off", () => {
    test("are not offered, and a call is blocked", async () => {
      const lena = desk.lead();
      await desk.admin("PATCH", "/tools/compute_exchange_quote", { is_active: false });
      await desk.script([
        call("compute_exchange_quote", {
          asset: "USDT",
          amount: "100",
          amountMode: "source_amount",
        }),
      ]);
      await lena.says("How much for 100 USDT?");
      const blocked = (await lena.trace()).candidates[0];
      expect(["blocked_by_policy", "schema_failed"]).toContain(blocked.status);
      expect(blocked.reply.ok).toBe(false);
      const { body } = (await desk.modelRequests()).findLast((r) => r.body.tools?.length > 0) ?? {};
      const offered = body.tools.map((tool: Played) => tool.function.name);
      expect(offered).not.toContain("compute_exchange_quote");
      await desk.admin("PATCH", "/tools/compute_exchange_quote", { is_active: true });
      expect(await lena.says("How much baht do I get for 1000 USDT on TRC20?")).toContain("31300");
    });
  });

  describe("the booking link", () => {
    test("appears when an admin sets it and is gone with the next message when it is taken away", async () => {
      const url = "https://calendly.com/anna/thirty-minutes";
      const lena = desk.lead();
      await desk.admin("POST", "/tools/booking", { url });
      expect(await lena.says("I would like to book a call with you")).toContain(url);
      await desk.admin("DELETE", "/tools/booking");
      expect(await lena.says("Can I book one more call please?")).not.toContain("calendly.com");
      await desk.admin("POST", "/tools/booking", { url });
      expect(await lena.says("book a call please")).toContain(url);
    });
  });

  describe("an answer from the knowledge base", () => {
    test("is given with evidence that the model saw and the lead does not see", async () => {
      const lena = desk.lead();
      const reply = await lena.says("Which documents do I need for the identity check?");
      const request = (await desk.modelRequests()).findLast(({ body }) => body.tools?.length > 0);
      expect(JSON.stringify(request?.body.messages)).toMatch(/\[?E1\b/);
      expect(reply).not.toMatch(/\[E\d/);
      expect(reply).toMatch(/document|passport|video/i);
    });
  });
});
