import { afterAll, beforeAll, expect, test } from "vitest";
import { payoutCodeOf } from "../support/payout-code-of.ts";
import {
  type Desk,
  orderOf,
  prepared,
  startDesk,
  startLead,
  WALLET,
  writtenBy,
} from "./tools-support.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close());

test("USDT to cash in the office: quote, order, wallet, transfer, approved payout", async () => {
  const lead = await startLead(desk, { language: "ru" });
  await lead.says("Есть две тысячи USDT в сети трон");
  const quote = await lead.does("compute_exchange_quote", {
    asset: "USDT",
    amount: "2000",
    amountMode: "source_amount",
    network: "TRC20",
  });
  expect(quote).toMatchObject({
    ok: true,
    data: { amountFrom: "2000", rate: "31.3", amountTo: "62600", quoteAsset: "THB" },
  });
  expect(quote.data.display).toBe("Вы отдаёте 2000 USDT (TRC20) и получаете 62600 THB");
  expect(JSON.stringify(quote)).not.toMatch(/margin|base|32\.00/i);
  expect(await lead.stage()).toBe("quote_calculated");

  await lead.says("Устраивает, оформляем");
  expect(await lead.does("check_exchange_verification")).toMatchObject({
    data: { verified: true },
  });
  const created = await lead.does("create_exchange_order", {
    asset: "USDT",
    amount: "2000",
    payoutMethod: "office_cash",
  });
  expect(created.data).toMatchObject({
    status: "awaiting_payment",
    ttlMin: 15,
    idempotent: false,
    payoutLocation: "Demo Office, Beach Road 1",
  });
  expect(created.data.orderId).toMatch(/^EX-2\d{4}$/);
  const requisites = await lead.does("fetch_exchange_requisites");
  expect(requisites.data).toMatchObject({ kind: "crypto", address: WALLET, ttlMin: 15 });
  expect(requisites.data.instructions).toMatch(/2000 USDT[\s\S]*TRC20[\s\S]*15 мин[\s\S]*AML/);
  expect(await lead.stage()).toBe("requisites_sent");

  const hash = await desk.transfer({ amount: "2000", at: desk.clock.now });
  const checked = await lead.does("verify_exchange_payment", { proof: `Отправил: 0x${hash}` });
  expect(checked).toMatchObject({ ok: true, data: { amountReceived: "2000", status: "paid" } });
  expect(await lead.stage()).toBe("payment_verified");
  expect(await lead.order()).toMatchObject({ status: "paid", quoteLockedAt: desk.clock.now });

  const action = prepared(
    await lead.prepares("issue_exchange_payout", { payoutMethod: "office_cash" }),
  );
  expect(action.businessKey).toBe(`payout:${created.data.orderId}`);
  expect(action.action).toEqual({
    orderId: created.data.orderId,
    amount: "62600",
    currency: "THB",
    method: "office_cash",
    location: "Demo Office, Beach Road 1",
    destination: null,
  });
  expect(action.material.map((fact) => fact.value).join(" ")).toMatch(/62600 THB.*payer not bound/);
  expect(await lead.stage()).toBe("payment_verified");
  const paid = await lead.approved(action, "issue_exchange_payout", "key-d01");
  expect(paid).toMatchObject({ ok: true, data: { status: "payout", codeDelivered: false } });
  expect(await lead.order()).toMatchObject({ status: "payout" });
  expect(await lead.stage()).toBe("payout_or_completion");
  expect(await lead.does("get_exchange_business_info")).toMatchObject({
    data: { workingHours: "10:00-22:00 ICT", officeAddress: "Demo Office, Beach Road 1" },
  });
});

test("roubles by QR: identity first, then order and link, and a person checks the receipt", async () => {
  const lead = await startLead(desk, { kyc: "missing", language: "ru" });
  await lead.says("Нужно десять тысяч бат");
  const terms = { asset: "RUB", amount: "10000", amountMode: "target_amount" };
  const quote = await lead.does("compute_exchange_quote", terms);
  expect(quote.data).toMatchObject({ amountFrom: "24800", rate: "2.48", amountTo: "10000" });
  await lead.says("Да, подходит");
  expect(await lead.does("create_exchange_order", terms)).toMatchObject({
    ok: false,
    data: { needsVerification: true, status: "missing" },
  });
  expect(await lead.stage()).toBe("kyc_collection");

  const documents = [
    await lead.says("", [{ kind: "photo" }]),
    await lead.says("", [{ kind: "video_note", forwarded: true }]),
  ];
  const review = { contactId: lead.contactId, status: "verified", documents };
  const card = prepared(await lead.prepares("set_kyc_status", review));
  expect(card.businessKey).toMatch(new RegExp(`^kyc:${lead.contactId}:`));
  expect(card.material.map((fact) => fact.value).join("; ")).toMatch(
    /photo, round video \(forwarded\).*no proof/,
  );
  await lead.approved(card, "set_kyc_status", "key-kyc");
  expect(await lead.stage()).toBe("risk_review");

  await lead.says("Проверили? Тогда продолжаем");
  expect(await lead.does("check_exchange_verification")).toMatchObject({
    data: { verified: true },
  });
  const created = await lead.does("create_exchange_order", {
    ...terms,
    paymentMethod: "sbp_qr",
    payoutMethod: "courier_cash",
  });
  expect(created.data).toMatchObject({ ttlMin: 20, amountFrom: "24800" });
  expect((await lead.does("fetch_exchange_requisites")).data).toMatchObject({
    kind: "fiat",
    paymentUrl: "https://pay.example.test/sbp/demo",
    ttlMin: 20,
  });
  const photo = await lead.says("Оплатил", [{ kind: "photo" }]);
  const work = await lead.works({ receiptAmount: "24800" }, "verify_exchange_payment");
  const checked = await writtenBy(desk, work);
  expect(checked.result).toMatchObject({ ok: false, data: { needsOperator: true } });
  expect(await lead.stage()).toBe("payment_proof_waiting");
  expect(await lead.order()).toMatchObject({ status: "awaiting_payment" });
  expect(checked.proposes).toMatchObject([
    {
      tool: "confirm_fiat_payment",
      args: { receipts: [photo], stated: { receiptAmount: "24800" } },
    },
  ]);
  expect(await lead.handoffs()).toEqual([]); // the card that asks for the decision is the request
  const otherwise = checked.proposes?.[0]?.otherwise;
  await desk.tenant(async (tx) => otherwise?.(tx));
  expect(await lead.handoffs()).toEqual(["payment_review"]); // unless no such card could be made
});

test("another sum before payment cancels the order and frees its terms", async () => {
  const lead = await startLead(desk);
  const first = await orderOf(lead, { amount: "1000" }, "order");
  await lead.says("wait, make that 2500");
  const quote = await lead.does("compute_exchange_quote", {
    asset: "USDT",
    amount: "2500",
    amountMode: "source_amount",
  });
  expect(quote.data).toMatchObject({ amountTo: "78250", cancelledOrders: [`EX-${first.number}`] });
  expect(await lead.stage()).toBe("quote_calculated");
  expect(await lead.order()).toMatchObject({ status: "cancelled", idempotencyKey: null });
  await lead.says("yes go");
  await lead.does("create_exchange_order", { asset: "USDT", amount: "2500" });
  expect(await lead.order()).toMatchObject({ status: "awaiting_payment", amountFrom: "2500" });
  expect(await lead.stage()).toBe("order_created");
});

test("a chain proof goes wrong three ways", async () => {
  const lead = await startLead(desk);
  await orderOf(lead, { amount: "450" });
  const used = await desk.transfer({ amount: "450" });
  await lead.does("verify_exchange_payment", { proof: used });
  const paid = await lead.order();
  expect(paid).toMatchObject({ status: "paid", amountTo: "14085" });

  const second = await startLead(desk);
  await orderOf(second, { amount: "450" });
  const unconfirmed = await desk.transfer({ amount: "450", confirmed: false });
  expect(await second.does("verify_exchange_payment", { proof: unconfirmed })).toMatchObject({
    ok: false,
    data: { reason: "unconfirmed", needsOperator: false },
  });
  const fake = await desk.transfer({ amount: "450", contract: "FAKE", symbol: "USDT" });
  expect(await second.does("verify_exchange_payment", { proof: fake })).toMatchObject({
    ok: false,
    data: { reason: "wrong_token" },
  });
  expect(await second.does("verify_exchange_payment", { proof: used })).toMatchObject({
    ok: false,
    data: {
      reason: "tx_reused",
      needsOperator: true,
      duplicateOrderId: `EX-${paid?.number}`,
    },
  });
  expect(await second.order()).toMatchObject({ status: "awaiting_payment" });
  expect(await second.handoffs()).toEqual(["payment_review"]);
});

test("a code of the gateway goes to the lead alone", async () => {
  const lead = await startLead(desk);
  const order = await orderOf(lead, { amount: "600", payoutMethod: "cardless_atm" });
  await lead.does("verify_exchange_payment", { proof: await desk.transfer({ amount: "600" }) });
  const action = prepared(await lead.prepares("issue_exchange_payout"));
  const result = await lead.approved(action, "issue_exchange_payout", "key-code");
  expect(result.data).toMatchObject({ codeDelivered: true, status: "payout" });
  const place = { tenantId: lead.tenantId, orderId: order.id };
  const code = await desk.tenant((tx) => payoutCodeOf(tx, desk.secrets, place));
  expect(code).toMatch(/^\d{6}$/);
  expect(JSON.stringify(result)).not.toContain(code);
  const told = (await lead.sent()).filter((row) => row.content.kind === "secret_text");
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ chatId: lead.contactId, content: { orderId: order.id } });
  expect(JSON.stringify(told)).not.toContain(code);
  const again = await lead.looksUp(action.action, "issue_exchange_payout", "key-code");
  expect(again?.kind).toBe("found");
  const second = await lead.prepares("issue_exchange_payout");
  expect(second).toMatchObject({
    kind: "refused",
    result: { data: { reason: "already_paid_out" } },
  });
});
