import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import type { PreparedAction } from "../../src/tools/contract.ts";
import {
  type Desk,
  finish,
  type Lead,
  orderOf,
  prepared,
  startDesk,
  startLead,
} from "./tools-support.ts";

let desk: Desk;
let sum = 800;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close());

const PAYOUT = "issue_exchange_payout";

async function paid(args: { [name: string]: string } = {}): Promise<{
  lead: Lead;
  action: PreparedAction;
  key: string;
}> {
  sum += 1;
  const amount = String(sum);
  const lead = await startLead(desk);
  await orderOf(lead, { amount, payoutMethod: "office_cash", ...args });
  await lead.does("verify_exchange_payment", { proof: await desk.transfer({ amount }) });
  return { lead, action: prepared(await lead.prepares(PAYOUT)), key: `key-${sum}` };
}

async function payouts(key: string): Promise<unknown[]> {
  const { body } = await desk.gateway.control("/payouts");
  return (body as { key: string }[]).filter((payout) => payout.key === key);
}

test("a definite no leaves the order paid for another try", async () => {
  const { lead, action, key } = await paid();
  await desk.gateway.control("/payout/next", { status: "failed" });
  expect(await lead.approved(action, PAYOUT, key)).toMatchObject({
    ok: false,
    error: { code: "PROVIDER_ERROR" },
  });
  expect(await lead.order()).toMatchObject({ status: "paid" });
  expect(await lead.stage()).toBe("payment_verified");
  expect(await lead.prepares(PAYOUT)).toMatchObject({ kind: "action" });
});

test("an answer that is lost is unknown, and the look-up finds the one payout", async () => {
  const { lead, action, key } = await paid();
  desk.gateway.fault({ service: "payout", kind: "drop_response_after_effect", count: 1 });
  const work = await lead.works(action.action, PAYOUT, key);
  expect(work.kind).toBe("unknown");
  expect(await lead.order()).toMatchObject({ status: "paid" });
  const found = await lead.looksUp(action.action, PAYOUT, key);
  expect(found).toMatchObject({ kind: "found", work: { kind: "write" } });
  expect(await payouts(key)).toHaveLength(1);
});

test("an answer about another sum is never taken as done", async () => {
  const { lead, action, key } = await paid();
  await desk.gateway.control("/payout/next", { amount: "1" });
  expect((await lead.works(action.action, PAYOUT, key)).kind).toBe("unknown");
  expect(await lead.order()).toMatchObject({ status: "paid", payoutCode: null });
});

test("a key that the gateway does not know is absent", async () => {
  const { lead, action } = await paid();
  expect(await lead.looksUp(action.action, PAYOUT, "never-sent")).toEqual({ kind: "absent" });
});

test("a payout that the gateway still works on is pending", async () => {
  const { lead, action, key } = await paid();
  await desk.gateway.control("/payout/next", { status: "pending" });
  expect(await lead.approved(action, PAYOUT, key)).toMatchObject({
    ok: true,
    data: { status: "pending", codeDelivered: false },
  });
  expect(await lead.looksUp(action.action, PAYOUT, key)).toMatchObject({
    kind: "found",
    work: { kind: "pending" },
  });
  expect(await lead.order()).toMatchObject({ status: "payout" });
});

test("a pending payout that completes later brings its code to the lead once", async () => {
  const { lead, action, key } = await paid({ payoutMethod: "cardless_atm" });
  await desk.gateway.control("/payout/next", { status: "pending" });
  await lead.approved(action, PAYOUT, key);
  await desk.gateway.control(`/payout/${key}/settle`, { status: "completed" });
  for (let look = 0; look < 2; look += 1) {
    const found = await lead.looksUp(action.action, PAYOUT, key);
    if (found?.kind !== "found") throw new Error("the payout was not found");
    expect((await finish(desk, found.work)).data).toMatchObject({ codeDelivered: true });
  }
  const codes = (await lead.sent()).filter((row) => row.content.kind === "secret_text");
  expect(codes).toHaveLength(1);
});

test("a pending payout that fails in the end leaves the order paid and asks a person", async () => {
  const { lead, action, key } = await paid({ payoutMethod: "cardless_atm" });
  await desk.gateway.control("/payout/next", { status: "pending", code: "123456" });
  await lead.approved(action, PAYOUT, key);
  expect(await lead.stage()).toBe("payout_or_completion");
  await desk.gateway.control(`/payout/${key}/settle`, { status: "failed" });
  const found = await lead.looksUp(action.action, PAYOUT, key);
  if (found?.kind !== "found") throw new Error("the payout was not found");
  expect(await finish(desk, found.work)).toMatchObject({ ok: false, data: { status: "paid" } });
  expect(await lead.order()).toMatchObject({ status: "paid", payoutCode: null });
  expect(await lead.stage()).toBe("payment_verified");
  expect(await lead.handoffs()).toEqual(["payout_review"]);
  expect(await lead.prepares(PAYOUT)).toMatchObject({ kind: "action" });
});

test("a look-up that tells of another sum says nothing about the payout", async () => {
  const { lead, action, key } = await paid();
  await desk.gateway.control("/payout/next", { amount: "1" });
  await lead.works(action.action, PAYOUT, key);
  expect(await lead.looksUp(action.action, PAYOUT, key)).toMatchObject({ kind: "unreachable" });
});

test("an approver may lower the sum, and nothing else of the order", async () => {
  const { lead, action, key } = await paid();
  const changed = { reason: "order_changed" };
  const edits: JsonObject[] = [
    { amount: "99999999" },
    { location: "elsewhere" },
    { currency: "USD" },
  ];
  for (const edit of edits) {
    const edited = { ...action, action: { ...action.action, ...edit } };
    expect(await lead.approved(edited, PAYOUT, key)).toMatchObject({ ok: false, data: changed });
  }
  const whole = String(action.action.amount);
  const owed = String(Number(whole) - 1000);
  const wrongRest = { ...action, action: { ...action.action, amount: "1000", stillOwed: "1" } };
  expect(await lead.approved(wrongRest, PAYOUT, key)).toMatchObject({ ok: false, data: changed });
  const lowered = { ...action, action: { ...action.action, amount: "1000", stillOwed: owed } };
  expect(await lead.approved(lowered, PAYOUT, key)).toMatchObject({
    ok: true,
    data: { amount: "1000", stillOwed: owed },
  });
  expect(await lead.order()).toMatchObject({ amountTo: whole, amountPaidOut: "1000" });
});

test("a lowered bank transfer is not over: people see that the client gets the rest", async () => {
  const { lead, action, key } = await paid({
    payoutMethod: "thai_bank_transfer",
    payoutDestination: "Kasikorn 123-4-56789-0",
  });
  const whole = String(action.action.amount);
  const stillOwed = String(Number(whole) - 1000);
  const lowered = { ...action, action: { ...action.action, amount: "1000", stillOwed } };
  await lead.approved(lowered, PAYOUT, key);
  expect(await lead.order()).toMatchObject({ status: "payout", completedAt: null });
  expect(await lead.handoffs()).toEqual(["payout_handover"]);
  expect(JSON.stringify(await lead.sent())).toContain(
    `${stillOwed} THB of the order are still owed`,
  );
});

test("prepared with a lowered sum, the card and the action name the rest", async () => {
  const { lead, action } = await paid();
  const whole = String(action.action.amount);
  const tool = desk.tools.find(({ name }) => name === PAYOUT);
  const { tenantId, conversationId, contactId } = lead;
  const scope = { tenantId, conversationId, contactId, runId: null, language: "en" as const };
  const { now } = desk.clock;
  const prepare = (amount: string) =>
    desk.tenant(async (tx) => tool?.prepare?.(tx, {} as never, { ...scope, now }, { amount }));
  expect(await prepare("1000")).toMatchObject({
    kind: "action",
    action: { ...action.action, amount: "1000", stillOwed: String(Number(whole) - 1000) },
    businessKey: action.businessKey,
  });
  expect(await prepare(`${whole}.01`)).toMatchObject({
    kind: "refused",
    result: { data: { reason: "more_than_ordered" } },
  });
});

test("an order that was paid out meanwhile is not paid out again", async () => {
  const { lead, action, key } = await paid();
  await lead.approved(action, PAYOUT, key);
  expect(await lead.approved(action, PAYOUT, `${key}-again`)).toMatchObject({
    ok: false,
    data: { reason: "order_changed" },
  });
  expect(await payouts(`${key}-again`)).toHaveLength(0);
});

test("a bank transfer is over with the gateway's yes", async () => {
  const { lead, action, key } = await paid({
    payoutMethod: "thai_bank_transfer",
    payoutDestination: "Kasikorn 123-4-56789-0",
  });
  expect(action.action).toMatchObject({ destination: { text: "Kasikorn 123-4-56789-0" } });
  await lead.approved(action, PAYOUT, key);
  expect(await lead.order()).toMatchObject({ status: "completed", completedAt: desk.clock.now });
  await lead.does("compute_exchange_quote", { asset: "USDT", amount: "300" });
  expect(await lead.stage()).toBe("quote_calculated");
});

test("a method without a provider is paid out by hand, and an operator is told", async () => {
  const { lead, action, key } = await paid();
  await desk.settings({ payoutProviders: { office_cash: "manual" } });
  expect(await lead.approved(action, PAYOUT, key)).toMatchObject({
    ok: true,
    data: { reason: "manual_payout", needsOperator: true, status: "payout" },
  });
  expect(await lead.approved(action, PAYOUT, `${key}-again`)).toMatchObject({
    ok: false,
    data: { reason: "order_changed" },
  });
  await desk.settings({});
  expect(await lead.handoffs()).toEqual(["office_payout"]);
  expect(await payouts(key)).toHaveLength(0);
});

test("an expired code is said to be expired", async () => {
  const { lead, action, key } = await paid({ payoutMethod: "cardless_atm" });
  await lead.approved(action, PAYOUT, key);
  desk.clock.now += 25 * 3_600_000;
  expect(await lead.prepares(PAYOUT)).toMatchObject({
    kind: "refused",
    result: { data: { codeExpired: true, needsOperator: true } },
  });
});

test("nothing is paid out before the payment is known", async () => {
  const lead = await startLead(desk);
  await orderOf(lead, { amount: "620", payoutMethod: "office_cash" });
  expect(await lead.prepares(PAYOUT)).toMatchObject({
    kind: "refused",
    result: { data: { reason: "not_paid" } },
  });
});

const DELIVERY: { [method: string]: { payoutLocation: string } } = {
  courier_cash: { payoutLocation: "Soi 5" },
};

test.each(["office_cash", "courier_cash", "cardless_atm", "atm"])(
  "%s is handed over by a person: one card, however often the payout is written",
  async (payoutMethod) => {
    const { lead, action, key } = await paid({ payoutMethod, ...DELIVERY[payoutMethod] });
    await lead.approved(action, PAYOUT, key);
    for (let look = 0; look < 2; look += 1) {
      desk.clock.now += 11 * 60_000;
      const found = await lead.looksUp(action.action, PAYOUT, key);
      if (found?.kind !== "found") throw new Error("the payout was not found");
      await finish(desk, found.work);
    }
    expect(await lead.handoffs()).toEqual(["payout_handover"]);
    const cards = (await lead.sent()).flatMap(({ content }) =>
      content.kind === "card" ? [content.card] : [],
    );
    expect(cards.map(({ buttons }) => buttons.map(({ label }) => label))).toEqual([
      ["Handed over"],
    ]);
  },
);

test("nobody is asked to hand over what the gateway still works on, or sends to a bank", async () => {
  const pending = await paid();
  await desk.gateway.control("/payout/next", { status: "pending" });
  await pending.lead.approved(pending.action, PAYOUT, pending.key);
  expect(await pending.lead.handoffs()).toEqual([]);
  const bank = await paid({
    payoutMethod: "thai_bank_transfer",
    payoutDestination: "Kasikorn 123-4-56789-0",
  });
  await bank.lead.approved(bank.action, PAYOUT, bank.key);
  expect(await bank.lead.handoffs()).toEqual([]);
});

test("a payout that a person affirms is handed over by a person, too", async () => {
  const { lead, action } = await paid();
  const tool = desk.tools.find(({ name }) => name === PAYOUT);
  const { tenantId, conversationId, contactId } = lead;
  const scope = { tenantId, conversationId, contactId, runId: null, language: "en" as const };
  for (let time = 0; time < 2; time += 1)
    await desk.tenant(async (tx) =>
      tool?.affirm?.(tx, { ...scope, now: desk.clock.now }, action.action),
    );
  expect(await lead.order()).toMatchObject({ status: "payout" });
  expect(await lead.handoffs()).toEqual(["payout_handover"]);
});
