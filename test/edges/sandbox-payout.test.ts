import { createHmac } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPayoutPart } from "../../src/sandbox/payout.ts";
import { type PlayedPart, playPart } from "../support/sandbox-part.ts";

let gateway: PlayedPart;
beforeEach(async () => {
  gateway = await playPart(createPayoutPart);
});
afterEach(() => gateway.close());

const order = (fields: Record<string, unknown> = {}) => ({
  order_id: "EX-1",
  amount: "62600",
  currency: "THB",
  method: "office_cash",
  location: "Beach Road 1",
  destination: null,
  ...fields,
});

interface Answer {
  id: string;
  status: string;
  code: string;
  code_expires_at: string;
}

async function pay(key: string, body: unknown, signature?: string) {
  const text = JSON.stringify(body);
  const signed = createHmac("sha256", gateway.env.PAYOUT_SECRET ?? "")
    .update(text)
    .digest("hex");
  const answer = await fetch(`${gateway.env.PAYOUT_URL}/payouts`, {
    method: "POST",
    headers: { "Idempotency-Key": key, "X-Signature": signature ?? signed },
    body: text,
  });
  return { status: answer.status, body: (await answer.json()) as Answer };
}

async function lookUp(key: string) {
  const answer = await fetch(`${gateway.env.PAYOUT_URL}/payouts/by-key/${key}`);
  return { status: answer.status, body: (await answer.json()) as Answer };
}

const paidOut = async () => (await gateway.control("/payouts")).body;

test("a signed payout completes, cash over the counter without a code", async () => {
  const answer = await pay("k1", order());
  expect(answer).toMatchObject({
    status: 200,
    body: { order_id: "EX-1", amount: "62600", currency: "THB", status: "completed" },
  });
  expect(answer.body).not.toHaveProperty("code");
  expect(await lookUp("k1")).toEqual(answer);
  expect(await paidOut()).toMatchObject([
    { key: "k1", order_id: "EX-1", amount: "62600", currency: "THB", destination: null },
  ]);
});

test.each(["cardless_atm", "atm"])("%s gives a code that ends", async (method) => {
  const { body } = await pay("k1", order({ method }));
  expect(body.code).toMatch(/^\d{6}$/);
  expect(Date.parse(body.code_expires_at)).toBeGreaterThan(gateway.world.clock.now());
});

test("the same key and body is the same payout; another body is a conflict", async () => {
  const first = await pay("k1", order({ method: "atm" }));
  expect(await pay("k1", order({ method: "atm" }))).toEqual(first);
  expect((await pay("k1", order({ amount: "62601" }))).status).toBe(409);
  expect(await paidOut()).toHaveLength(1);
});

test("a wrong or missing signature pays nothing", async () => {
  for (const signature of ["", "00", "ab".repeat(32)])
    expect((await pay("k1", order(), signature)).status).toBe(401);
  expect(await paidOut()).toEqual([]);
  expect((await lookUp("k1")).status).toBe(404);
});

test("a payout without a key or with a number for an amount is refused", async () => {
  expect((await pay("", order())).status).toBe(400);
  expect((await pay("k1", order({ amount: 62600 }))).status).toBe(400);
  expect(await paidOut()).toEqual([]);
});

test("a lost answer leaves the payout recorded, over a restart too", async () => {
  gateway.fault({ service: "payout", kind: "drop_response_after_effect", count: 1 });
  await expect(pay("k1", order())).rejects.toThrow();
  gateway = await gateway.restart();
  expect(await lookUp("k1")).toMatchObject({ status: 200, body: { status: "completed" } });
  expect(await pay("k1", order())).toMatchObject({ status: 200 });
  expect(await paidOut()).toHaveLength(1);
});

test("a gateway that is down records nothing", async () => {
  gateway.fault({ service: "payout", kind: "down", count: 1 });
  await expect(pay("k1", order())).rejects.toThrow();
  expect(await paidOut()).toEqual([]);
});

test("the next payout can be scripted to fail, the one after completes", async () => {
  await gateway.control("/payout/next", { status: "failed", reason: "limit" });
  expect((await pay("k1", order())).body).toMatchObject({ status: "failed", reason: "limit" });
  expect((await pay("k1", order())).body).toMatchObject({ status: "failed" });
  expect((await pay("k2", order())).body).toMatchObject({ status: "completed" });
});

test("a pending payout settles later and then has its code", async () => {
  await gateway.control("/payout/next", { status: "pending" });
  const pending = await pay("k1", order({ method: "cardless_atm" }));
  expect(pending.body.status).toBe("pending");
  expect(pending.body).not.toHaveProperty("code");
  await gateway.control("/payout/k1/settle", { status: "completed" });
  expect((await lookUp("k1")).body).toMatchObject({ status: "completed", id: pending.body.id });
  expect((await lookUp("k1")).body.code).toMatch(/^\d{6}$/);
  expect((await gateway.control("/payout/nope/settle", { status: "failed" })).status).toBe(404);
});

test("an answer about another sum can be played", async () => {
  await gateway.control("/payout/next", { amount: "1" });
  expect((await pay("k1", order())).body).toMatchObject({ amount: "1", status: "completed" });
});
