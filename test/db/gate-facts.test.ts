import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadRoundFacts } from "../../src/store/gate-facts.ts";
import { insertOrder, type NewOrder } from "../../src/store/orders.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";

let number = 70_000;

forEachEngine((open) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open);
  });
  afterAll(() => office.close());

  async function orders(lead: OfficeLead, over: Partial<NewOrder>) {
    const { now } = office.time;
    number += 1;
    const order: NewOrder = {
      ...{ tenantId: TENANT, number, contactId: lead.contactId, quoteId: "Q", status: "paid" },
      ...{ conversationId: lead.conversationId, asset: "USDT", network: "TRC20" },
      ...{ quoteAsset: "THB", amountMode: "source_amount", amountFrom: "40", amountTo: "1300" },
      ...{ rate: "32.5", paymentMethod: "crypto", expiresAt: now, createdAt: now, ...over },
    };
    await office.tenant((tx) => insertOrder(tx, order));
    return number;
  }
  const factsOf = ({ conversationId }: OfficeLead) =>
    office.tenant((tx) =>
      loadRoundFacts(tx, { tenantId: TENANT, conversationId, runId: null, now: office.time.now }),
    );

  describe("the order that a decision rests on", () => {
    it("is the one that money came for, also beside a newer one", async () => {
      const lead = await addLead(office);
      const owed = await orders(lead, { amountTo: "100000" });
      await orders(lead, { status: "awaiting_payment", amountTo: "10" });
      expect((await factsOf(lead)).order).toMatchObject({ number: owed, amountTo: "100000" });
    });

    it("is the newest when nothing is owed", async () => {
      const lead = await addLead(office);
      await orders(lead, { status: "completed" });
      const newest = await orders(lead, { status: "awaiting_payment" });
      expect((await factsOf(lead)).order).toMatchObject({ number: newest });
    });
  });

  describe("the sum of a day", () => {
    it("is of one currency: that of the order", async () => {
      const lead = await addLead(office);
      await orders(lead, { status: "completed", amountTo: "900" });
      await orders(lead, { status: "completed", quoteAsset: "RUB", amountTo: "50000" });
      await orders(lead, { status: "awaiting_payment", amountTo: "100.5" });
      expect(await factsOf(lead)).toMatchObject({ dayTotal: "1000.5", firstDeal: false });
    });

    it("leaves out what came to nothing, and what is a day old", async () => {
      const lead = await addLead(office);
      await orders(lead, { status: "cancelled", amountTo: "900" });
      await orders(lead, { status: "completed", createdAt: office.time.now - 86_500_000 });
      await orders(lead, { status: "awaiting_payment", amountTo: "7" });
      expect(await factsOf(lead)).toMatchObject({ dayTotal: "7" });
    });

    it("is nothing for somebody who never had an order", async () => {
      const facts = await factsOf(await addLead(office));
      expect(facts).toMatchObject({ order: null, dayTotal: "0", firstDeal: true });
    });
  });
});
