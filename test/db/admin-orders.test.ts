import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { insertAccount } from "../../src/store/contact-accounts.ts";
import { queryRows, withTenant } from "../../src/store/db.ts";
import { openHandoff } from "../../src/store/handoffs.ts";
import { insertOrder, lastOrder, type NewOrder } from "../../src/store/orders.ts";
import { insertProposals } from "../../src/store/proposals.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";
import { openHandoffs } from "../support/open-handoffs.ts";

let part: AdminPart;
let operator: { id: string; token: string };
let orders = 0;
beforeAll(async () => {
  part = await startAdminPart();
  operator = await part.addPerson("default", "operator");
});
afterAll(() => part.close());

const TENANT = "default";
const tenant = <T>(work: Parameters<typeof withTenant<T>>[2]) =>
  withTenant(part.database.db, TENANT, work);
const complete = (which: string, body: object = { status: "completed" }, token = operator.token) =>
  part.call("PATCH", `/exchange/orders/${which}`, { body, token });

/** An order in a conversation of its own, with a code and a handoff. */
async function order(change: Partial<NewOrder> = {}) {
  orders += 1;
  const now = part.deps.clock.now();
  const conversationId = `conversation-${orders}`;
  const client = { tenantId: TENANT, contactId: `contact-${orders}`, userId: `${7000 + orders}` };
  const made = await tenant(async (tx) => {
    await insertAccount(tx, { ...client, messenger: "telegram", teamId: "" });
    const inserted = await insertOrder(tx, {
      ...{
        tenantId: TENANT,
        conversationId,
        contactId: client.contactId,
        number: 20000 + orders,
      },
      ...{ quoteId: `quote-${orders}`, status: "payout", asset: "USDT", network: "trc20" },
      ...{ quoteAsset: "THB", amountMode: "source_amount", amountFrom: "450", amountTo: "14040" },
      ...{ rate: "31.2", paymentMethod: "crypto_transfer", payoutMethod: "cardless_atm" },
      ...{ payoutCode: randomBytes(40), payoutCodeExpiresAt: now + 60_000 },
      ...{ expiresAt: now + 60_000, createdAt: now },
      ...change,
    });
    if (!inserted) throw new Error("no order");
    const asked = { tenantId: TENANT, conversationId, orderId: inserted.id, now };
    await openHandoff(tx, { ...asked, reason: "office_payout", summary: "pay out" });
    return inserted;
  });
  return { ...made, name: `EX-${made.number}` };
}

const stored = (conversationId: string) =>
  tenant((tx) => lastOrder(tx, { tenantId: TENANT, conversationId }));

it("is completed by an operator: the code is gone and nobody is asked any more", async () => {
  const { name, conversationId } = await order();
  const answer = await complete(name);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ status: "completed" });
  expect(answer.body.completed_at).toBeTruthy();
  expect(await stored(conversationId)).toMatchObject({
    status: "completed",
    payoutCode: null,
    payoutCodeExpiresAt: null,
  });
  expect(await tenant((tx) => openHandoffs(tx, { tenantId: TENANT, conversationId }))).toEqual([]);
  const trail = await tenant((tx) =>
    queryRows<{ user_id: string; summary: string }>(
      tx,
      sql`select user_id, summary from audit_log where event_type = 'order.completed'`,
    ),
  );
  expect(trail).toEqual([{ user_id: operator.id, summary: `${name} completed` }]);
});

it("is found by its row's id, too", async () => {
  const { id } = await order();
  expect((await complete(id)).body).toMatchObject({ id, status: "completed" });
  expect((await complete("EX-999999")).status).toBe(404);
});

it.each(["awaiting_payment", "paid", "completed", "cancelled", "expired"] as const)(
  "is not completed while it is %s",
  async (status) => {
    const { name, conversationId } = await order({ status });
    const answer = await complete(name);
    expect(answer.status).toBe(409);
    expect(answer.body.error.message).toContain(status);
    expect(await stored(conversationId)).toMatchObject({ status });
  },
);

it.each(["paid", "payout", "cancelled"])("does not become %s by hand", async (status) => {
  const { name } = await order();
  const answer = await complete(name, { status });
  expect(answer.status).toBe(409);
  expect(answer.body.error.path).toBe("status");
});

it("is not completed by ADMIN_TOKEN, nor with other fields", async () => {
  const { name } = await order();
  const set = await part.call("PATCH", `/exchange/orders/${name}`, {
    body: { status: "completed" },
  });
  expect(set.status).toBe(403);
  expect(set.body.error.code).toBe("personal_token_required");
  expect((await complete(name, { status: "completed", amountTo: "1" })).status).toBe(400);
});

it("waits for a provider that is still making the payout", async () => {
  const { name, number, conversationId } = await order();
  const now = part.deps.clock.now();
  await tenant((tx) =>
    insertProposals(tx, {
      ...{ candidates: [], checks: [], gates: [] },
      executions: [
        {
          ...{ id: newId(), tenantId: TENANT, conversationId, candidateId: newId() },
          ...{ toolName: "issue_exchange_payout", payloadJson: {}, actionDigest: "d" },
          ...{ businessKey: `payout:EX-${number}`, hasSideEffect: true, status: "unknown" },
          ...{ attempts: 1, runAfter: now, createdAt: now },
        },
      ],
    }),
  );
  const answer = await complete(name);
  expect(answer.status).toBe(409);
  expect(answer.body.error.message).toContain("still being made");
});
