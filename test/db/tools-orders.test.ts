import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import { markKycPending, markKycRejected, setKyc } from "../../src/store/kyc.ts";
import { type Desk, MINUTE, orderOf, prepared, startDesk, startLead } from "./tools-support.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close());

const usdt = (amount: string) => ({ asset: "USDT", amount, amountMode: "source_amount" });

test("a second call for payment details does not buy time", async () => {
  const lead = await startLead(desk);
  await orderOf(lead, { amount: "500" });
  const first = await lead.order();
  desk.clock.now += 5 * MINUTE;
  const again = await lead.does("fetch_exchange_requisites");
  expect(again.data.expiresAt).toBe(new Date(first?.expiresAt ?? 0).toISOString());
});

test("an expired order comes back at a fresh price with new time", async () => {
  const lead = await startLead(desk);
  const before = await orderOf(lead, { amount: "500" });
  desk.clock.now += 20 * MINUTE;
  const again = await lead.does("fetch_exchange_requisites");
  expect(again.data).toMatchObject({ orderId: `EX-${before.number}`, revived: true });
  const order = await lead.order();
  expect(order?.expiresAt).toBe(desk.clock.now + 15 * MINUTE);
  expect(order?.quoteId).not.toBe(before.quoteId);
});

test("a sum asked for in baht stays one when the mode is not said again", async () => {
  const lead = await startLead(desk);
  const target = { asset: "USDT", amount: "10000", amountMode: "target_amount" };
  const order = await orderOf(lead, target, "order");
  const again = await lead.does("compute_exchange_quote", { asset: "USDT", amount: "10000" });
  expect(again.data).toMatchObject({ amountTo: "10000", amountFrom: order.amountFrom });
  expect(await lead.order()).toMatchObject({ id: order.id, status: "awaiting_payment" });
});

test("the same terms again give the same order", async () => {
  const lead = await startLead(desk);
  const order = await orderOf(lead, { amount: "500" });
  const again = await lead.does("create_exchange_order", usdt("500.0"));
  expect(again.data).toMatchObject({ orderId: `EX-${order.number}`, idempotent: true });
});

test("an offer that has ended is made anew and needs a new yes", async () => {
  const lead = await startLead(desk);
  await lead.does("compute_exchange_quote", usdt("500"));
  desk.clock.now += 16 * MINUTE;
  await lead.says("yes");
  const late = await lead.does("create_exchange_order", usdt("500"));
  expect(late).toMatchObject({
    ok: false,
    data: { reason: "requote_needed", amountFrom: "500", amountTo: "15650" },
  });
  expect(await lead.order()).toBeNull();
  await lead.says("yes, still");
  expect(await lead.does("create_exchange_order", usdt("500"))).toMatchObject({ ok: true });
});

test("terms that were never quoted make no order", async () => {
  const lead = await startLead(desk);
  await lead.does("compute_exchange_quote", usdt("500"));
  await lead.says("make it 900");
  for (let call = 0; call < 2; call += 1)
    expect(await lead.does("create_exchange_order", usdt("900"))).toMatchObject({
      ok: false,
      data: { reason: "requote_needed" },
    });
  expect(await lead.order()).toBeNull();
});

test("the payout's place is fixed with the order", async () => {
  const lead = await startLead(desk);
  const order = await orderOf(lead, { amount: "510", payoutMethod: "office_cash" });
  const changed = { ...usdt("510"), payoutMethod: "courier_cash", payoutLocation: "Hotel" };
  expect(await lead.does("create_exchange_order", changed)).toMatchObject({
    ok: false,
    data: { reason: "destination_frozen", needsOperator: false },
  });
  await lead.does("verify_exchange_payment", { proof: await desk.transfer({ amount: "510" }) });
  const changes: JsonObject[] = [{ payoutMethod: "courier_cash" }, { location: "Hotel" }];
  for (const args of changes)
    expect(await lead.prepares("issue_exchange_payout", args)).toMatchObject({
      kind: "refused",
      result: { ok: false, data: { needsOperator: false } },
    });
  const same = { payoutMethod: "office", location: "demo office, beach road 1" };
  expect(prepared(await lead.prepares("issue_exchange_payout", same)).action).toMatchObject({
    location: order.payoutLocation,
  });
});

test("of several offices one has to be named", async () => {
  const lead = await startLead(desk);
  await desk.setSecret("exchange_office_address", "Beach Road 1, Pattaya\nRawai 7, Phuket");
  await lead.does("compute_exchange_quote", usdt("520"));
  await lead.says("yes, cash in the office");
  const office = { ...usdt("520"), payoutMethod: "office_cash" };
  expect(await lead.does("create_exchange_order", office)).toMatchObject({
    ok: false,
    data: { reason: "location_needed", options: ["Beach Road 1, Pattaya", "Rawai 7, Phuket"] },
  });
  const named = { ...office, payoutLocation: "Phuket" };
  expect((await lead.does("create_exchange_order", named)).data).toMatchObject({
    payoutLocation: "Rawai 7, Phuket",
  });
  await desk.setSecret("exchange_office_address", "Demo Office, Beach Road 1");
});

test("a bank payout needs an account, which is repeated with the payment details", async () => {
  const lead = await startLead(desk);
  await lead.does("compute_exchange_quote", usdt("530"));
  await lead.says("yes, to my bank");
  const bank = { ...usdt("530"), payoutMethod: "bank_transfer" };
  expect(await lead.does("create_exchange_order", bank)).toMatchObject({
    ok: false,
    data: { reason: "destination_needed" },
  });
  await lead.does("create_exchange_order", {
    ...bank,
    payoutDestination: { bank: "Kasikorn", account: "123-4-56789-0" },
  });
  expect((await lead.does("fetch_exchange_requisites")).data).toMatchObject({
    payoutMethod: "thai_bank_transfer",
    payoutDestination: expect.stringContaining("123-4-56789-0"),
  });
});

test("payment details that the desk lacks are asked of a person, without the secret's name", async () => {
  const lead = await startLead(desk);
  const rail = { amount: "540", paymentRail: "bybit" };
  await orderOf(lead, rail, "order");
  const result = await lead.does("fetch_exchange_requisites");
  expect(result).toMatchObject({ ok: false, data: { needsOperator: true } });
  expect(JSON.stringify(result)).not.toContain("exchange_");
  expect(await lead.stage()).toBe("order_created");
  expect(await lead.handoffs()).toEqual(["operator_request"]);
});

test.each([
  ["too little", { asset: "USDT", amount: "10" }, { reason: "below_min", limit: "50" }],
  ["too much", { asset: "USDT", amount: "50000" }, { reason: "above_max", limit: "20000" }],
  ["nothing", { asset: "USDT", amount: "0" }, { reason: "amount_not_positive" }],
  ["a coin without rate", { asset: "TON", amount: "5" }, { reason: "rate_not_configured" }],
])("%s gets a reason instead of a price", async (_, args, data) => {
  const lead = await startLead(desk);
  expect(await lead.does("compute_exchange_quote", args)).toMatchObject({ ok: false, data });
  expect(await lead.stage()).toBe("exchange_request");
});

test("a flagged order is made and its flags stand on the payout's card", async () => {
  const lead = await startLead(desk);
  await desk.settings({ riskAmountThreshold: "15000", riskFirstDealReview: true });
  await orderOf(lead, { amount: "550", payoutMethod: "office_cash" });
  await desk.settings({});
  await lead.does("verify_exchange_payment", { proof: await desk.transfer({ amount: "550" }) });
  const card = prepared(await lead.prepares("issue_exchange_payout"));
  expect(card.material.at(-1)?.value).toBe("amount_over_threshold, first_deal");
});

test("cancelling without an order closes the request", async () => {
  const lead = await startLead(desk, { kyc: "missing" });
  await lead.does("compute_exchange_quote", usdt("500"));
  await lead.does("create_exchange_order", usdt("500"));
  expect(await lead.stage()).toBe("kyc_collection");
  expect(await lead.does("cancel_exchange_order")).toMatchObject({
    ok: true,
    data: { status: "cancelled", orderId: null },
  });
  expect(await lead.stage()).toBe("cancelled");
  await lead.does("compute_exchange_quote", usdt("500"));
  expect(await lead.stage()).toBe("quote_calculated");
});

test("the same request to a person is one request and one card", async () => {
  const lead = await startLead(desk);
  const asked = { reason: "operator_request", summary: "wants 31.9" };
  const first = await lead.does("handoff_to_operator", asked);
  const again = await lead.does("handoff_to_operator", { ...asked, reason: "haggling" });
  expect(again.data).toMatchObject({ handoffId: first.data.handoffId, alreadyOpen: true });
  const cards = (await lead.sent()).filter((row) => row.purpose === "card");
  expect(cards).toHaveLength(1);
  expect(cards[0]?.content).toMatchObject({ card: { clientSays: { text: "wants 31.9" } } });
});

test("documents of another message are another question about the same client", async () => {
  const lead = await startLead(desk, { kyc: "missing" });
  const first = await lead.says("", [{ kind: "photo" }]);
  const second = await lead.says("", [{ kind: "photo" }]);
  const text = await lead.says("no picture");
  const stranger = await startLead(desk, { kyc: "missing" });
  const ask = (documents: string[], contactId = lead.contactId) =>
    lead.prepares("set_kyc_status", { contactId, status: "verified", documents });
  const [one, two] = [prepared(await ask([first])), prepared(await ask([second]))];
  expect(one.businessKey).not.toBe(two.businessKey); // a check that was passed blocks no later one
  expect(one.action).not.toEqual(two.action);
  expect(await ask([text])).toMatchObject({ kind: "refused" });
  expect(await ask([first], stranger.contactId)).toMatchObject({ kind: "refused" });
});

test("pending and rejected documents never take a verification back", async () => {
  const lead = await startLead(desk, { kyc: "missing" });
  const status = async () => (await lead.does("check_exchange_verification")).data.status;
  await desk.tenant((tx) => markKycPending(tx, lead));
  expect(await status()).toBe("pending");
  await desk.tenant((tx) => markKycRejected(tx, lead));
  expect(await status()).toBe("rejected");
  await desk.tenant((tx) => setKyc(tx, lead, { status: "verified", verificationId: "KYC-9" }));
  await desk.tenant((tx) => markKycPending(tx, lead));
  expect(await status()).toBe("verified");
});
