import { afterAll, beforeAll, expect, test } from "vitest";
import { withTenant } from "../../src/store/db.ts";
import { expireOrders } from "../../src/store/order-sweep.ts";
import { claimTransfers } from "../../src/store/transfers.ts";
import {
  type Desk,
  finish,
  type Lead,
  MINUTE,
  orderOf,
  startDesk,
  startLead,
  WALLET,
} from "./tools-support.ts";

let desk: Desk;
let sum = 700;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close());

/** A lead with payment details for a sum of its own. */
async function payer(): Promise<{ lead: Lead; amount: string }> {
  sum += 1;
  const lead = await startLead(desk);
  await orderOf(lead, { amount: String(sum) });
  return { lead, amount: String(sum) };
}

const verify = (lead: Lead, proof: string) => lead.does("verify_exchange_payment", { proof });

test("a token that only calls itself USDT pays nothing", async () => {
  const { lead, amount } = await payer();
  const hash = await desk.transfer({ amount, contract: "FAKE", symbol: "USDT" });
  expect(await verify(lead, hash)).toMatchObject({ ok: false, data: { reason: "wrong_token" } });
  expect(await lead.order()).toMatchObject({ status: "awaiting_payment", proofReceivedAt: null });
});

test("an address that differs in case is another address", async () => {
  const { lead, amount } = await payer();
  const hash = await desk.transfer({ amount, to: WALLET.replace("J", "j") });
  expect(await verify(lead, hash)).toMatchObject({
    ok: false,
    data: { reason: "wrong_recipient" },
  });
});

test("several transfers of one transaction count together", async () => {
  const { lead, amount } = await payer();
  const hash = await desk.transfer({ amount: String(Number(amount) - 150) });
  await desk.transfer({ amount: "150", tx_hash: hash });
  expect(await verify(lead, hash)).toMatchObject({
    ...{ ok: true, data: { amountReceived: amount } },
    external_id: hash, // as the chain calls it
  });
});

test("a transfer that is not final does not pay, and pays once it is", async () => {
  const { lead, amount } = await payer();
  const hash = await desk.transfer({ amount, confirmed: false });
  expect(await verify(lead, hash)).toMatchObject({
    ok: false,
    data: { reason: "unconfirmed", needsOperator: false },
  });
  expect(await lead.stage()).toBe("requisites_sent");
  await desk.chain.control(`/chain/transfers/${hash}/confirm`, {});
  expect(await verify(lead, hash)).toMatchObject({ ok: true, data: { status: "paid" } });
});

test.each([
  ["made before the order", { at: -5 * MINUTE }, "before_order"],
  ["older than a day", { at: -25 * 60 * MINUTE }, "too_old"],
  ["made after the time was over", { at: 16 * MINUTE, later: 17 * MINUTE }, "late"],
])(
  "a transfer %s goes to a person",
  async (_, { at, later }: { at: number; later?: number }, reason) => {
    const { lead, amount } = await payer();
    const hash = await desk.transfer({ amount, at: desk.clock.now + at });
    desk.clock.now += later ?? 0;
    expect(await verify(lead, hash)).toMatchObject({
      ok: false,
      data: { reason, needsOperator: true },
    });
    expect(await lead.order()).toMatchObject({ status: "awaiting_payment" });
    expect(await lead.stage()).toBe("payment_proof_waiting");
    expect(await lead.handoffs()).toEqual(["payment_review"]);
  },
);

test.each([
  ["98 %", 98, "underpaid"],
  ["120 %", 120, "overpaid"],
])("%s of the sum goes to a person and never pays out in silence", async (_, share, reason) => {
  const { lead, amount } = await payer();
  const received = ((BigInt(amount) * BigInt(share) * 10_000n) / 1_000_000n).toString();
  const hash = await desk.transfer({ amount: received });
  expect(await verify(lead, hash)).toMatchObject({
    ok: false,
    data: { reason, needsOperator: true, amountReceived: received },
  });
  expect(await lead.order()).toMatchObject({ status: "awaiting_payment", paidAt: null });
});

test("with a payment on its way neither a new sum nor a cancellation ends the order", async () => {
  const { lead, amount } = await payer();
  await verify(lead, await desk.transfer({ amount, confirmed: false }));
  const blocked = { ok: false, data: { blockedByPayment: true, needsOperator: true } };
  const other = { asset: "USDT", amount: "500", amountMode: "source_amount" };
  expect(await lead.does("compute_exchange_quote", other)).toMatchObject(blocked);
  expect(await lead.does("cancel_exchange_order")).toMatchObject(blocked);
  expect(await lead.order()).toMatchObject({ status: "awaiting_payment", amountFrom: amount });
  desk.clock.now += 60 * MINUTE;
  const { tenantId } = lead;
  await desk.tenant((tx) => expireOrders(tx, { tenantId, now: desk.clock.now }));
  expect(await lead.order()).toMatchObject({ status: "awaiting_payment" });
});

test("a hash for an expired order is passed on and the lead is told so", async () => {
  const { lead, amount } = await payer();
  const hash = await desk.transfer({ amount });
  desk.clock.now += 30 * MINUTE;
  const { tenantId } = lead;
  await desk.tenant((tx) => expireOrders(tx, { tenantId, now: desk.clock.now }));
  expect(await lead.order()).toMatchObject({ status: "expired" });
  const result = await verify(lead, hash);
  expect(result).toMatchObject({
    ok: false,
    data: { reason: "order_expired", needsOperator: true },
  });
  expect(result.summary).toMatch(/tell the client/);
  expect(await lead.handoffs()).toEqual(["payment_review"]);
  expect(await lead.does("fetch_exchange_requisites")).toMatchObject({
    ok: false,
    data: { blockedByPayment: true },
  });
});

test.each([
  ["a longer run of digits", `${"ab".repeat(32)}f`, "hash_needed"],
  ["two hashes", `${"ab".repeat(32)} ${"cd".repeat(32)}`, "several_hashes"],
  ["a hash that the chain does not know", "ef".repeat(32), "unknown_hash"],
])("%s is no proof and the lead is asked", async (_, proof, reason) => {
  const { lead } = await payer();
  expect(await verify(lead, proof)).toMatchObject({
    ok: false,
    data: { reason, needsOperator: false },
  });
});

test("a chain that cannot be asked leaves it to a person", async () => {
  const { lead, amount } = await payer();
  const hash = await desk.transfer({ amount });
  desk.chain.fault({ service: "chain", kind: "status", status: 503, count: 1 });
  expect(await verify(lead, hash)).toMatchObject({
    ok: false,
    data: { reason: "chain_unavailable", needsOperator: true },
  });
  expect(await verify(lead, hash)).toMatchObject({ ok: true });
});

test("two orders that one transfer fits: a person decides whose it is", async () => {
  const first = await payer();
  const second = await startLead(desk);
  await orderOf(second, { amount: first.amount });
  const hash = await desk.transfer({ amount: first.amount });
  expect(await verify(second, hash)).toMatchObject({
    ok: false,
    data: { reason: "ambiguous_payment", needsOperator: true },
  });
});

test("one hash handed in twice at once is counted once and told as paid twice", async () => {
  const { lead, amount } = await payer();
  const proof = await desk.transfer({ amount });
  const works = await Promise.all([
    lead.works({ proof }, "verify_exchange_payment"),
    lead.works({ proof }, "verify_exchange_payment"),
  ]);
  const results = await Promise.all(works.map((work) => finish(desk, work)));
  expect(results.map((result) => result.ok)).toEqual([true, true]);
});

test("a transfer claimed by two orders at once belongs to one of them, also across tenants", async () => {
  const claim = (tenantId: string, orderId: string) =>
    withTenant(desk.db, tenantId, (tx) =>
      claimTransfers(
        tx,
        { tenantId, orderId, chain: "tron", txHash: "12".repeat(32), now: desk.clock.now },
        [
          { logIndex: 0, amount: "5", from: "a" },
          { logIndex: 1, amount: "6", from: "a" },
        ],
      ),
    );
  const claims = await Promise.all([claim("desk", "o1"), claim("desk", "o2"), claim("two", "o3")]);
  expect(claims.filter(Boolean)).toHaveLength(1);
});

test("nobody holds another's money by claiming it for an order of another sum", async () => {
  const owner = await payer();
  const other = await payer();
  const hash = await desk.transfer({ amount: owner.amount });
  expect(await verify(other.lead, hash)).toMatchObject({ data: { reason: "underpaid" } });
  expect(await verify(owner.lead, hash)).toMatchObject({ ok: true });
  expect(await verify(other.lead, hash)).toMatchObject({ data: { reason: "tx_reused" } });
});

test("a payment that was counted before is told as paid, another hash goes to a person", async () => {
  const { lead, amount } = await payer();
  const hash = await desk.transfer({ amount });
  await verify(lead, hash);
  expect(await verify(lead, hash)).toMatchObject({ ok: true });
  const more = await desk.transfer({ amount });
  expect(await verify(lead, more)).toMatchObject({
    ok: false,
    data: { reason: "second_payment", needsOperator: true },
  });
  expect(await lead.order()).toMatchObject({ status: "paid" });
});

test("the sweep reminds once and then lets the order expire", async () => {
  const { lead } = await payer();
  const { tenantId } = lead;
  const sweep = async () => {
    const swept = await desk.tenant((tx) => expireOrders(tx, { tenantId, now: desk.clock.now }));
    const ours = (orders: { conversationId: string }[]) =>
      orders.filter((order) => order.conversationId === lead.conversationId).length;
    return { remind: ours(swept.remind), expired: ours(swept.expired) };
  };
  expect(await sweep()).toEqual({ remind: 0, expired: 0 });
  desk.clock.now += 16 * MINUTE;
  expect(await sweep()).toEqual({ remind: 1, expired: 0 });
  desk.clock.now += MINUTE;
  expect(await sweep()).toEqual({ remind: 0, expired: 0 });
  desk.clock.now += 9 * MINUTE;
  expect(await sweep()).toEqual({ remind: 0, expired: 1 });
  expect(await lead.order()).toMatchObject({ status: "expired", idempotencyKey: null });
});

test("soon after a start no order expires: it is reminded of first, also when its time is long over", async () => {
  const { lead } = await payer();
  const { tenantId } = lead;
  desk.clock.now += 180 * MINUTE; // nobody was there
  const notBefore = desk.clock.now + 10 * MINUTE;
  const sweep = () =>
    desk.tenant((tx) => expireOrders(tx, { tenantId, now: desk.clock.now, notBefore }));
  const reminded = (await sweep()).remind.map(({ conversationId }) => conversationId);
  expect(reminded).toContain(lead.conversationId);
  desk.clock.now = notBefore - 1;
  await sweep();
  expect(await lead.order()).toMatchObject({ status: "awaiting_payment" });
  desk.clock.now = notBefore;
  await sweep();
  expect(await lead.order()).toMatchObject({ status: "expired" });
});
