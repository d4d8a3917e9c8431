import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withOwner } from "../../src/store/db.ts";
import { payoutCodeFor } from "../../src/store/payout-codes.ts";
import { policiesOf } from "../../src/store/policies.ts";
import { ensureTenant, tenantById } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";
import { TENANT } from "../support/office.ts";
import { openPayingOffice, type PayingOffice } from "../support/paying-office.ts";

forEachEngine((open) => {
  let office: PayingOffice;
  let operator: string;
  beforeAll(async () => {
    office = await openPayingOffice(open);
    operator = await office.person();
  });
  afterAll(() => office.close());

  describe("the code of a payout", () => {
    /** An order whose code the gateway has given; asks for it as the delivery does. */
    async function paidOut() {
      const lead = await office.paidLead({ payoutMethod: "cardless_atm" });
      const { id } = await lead.asks();
      await office.decides(id, operator);
      await lead.worksAll();
      const own = { channelId: "tg", chatId: lead.conversationId.replace("conversation", "chat") };
      const order = { tenantId: TENANT, orderId: lead.order.id };
      const read = (chat = own) =>
        office.tenant((tx) => payoutCodeFor(tx, office.secrets, order, chat));
      return { lead, own, read };
    }

    it("goes to the chat in which the order was made, and to no other", async () => {
      const { own, read } = await paidOut();
      expect(await read()).toMatch(/\d{4}/);
      expect(await read({ ...own, chatId: "chat-of-mallory" })).toBeNull();
      expect(await read({ ...own, channelId: "another-bot" })).toBeNull();
    });

    it("goes nowhere when the conversation was moved behind our back", async () => {
      const { lead, own, read } = await paidOut();
      const mallory = { ...own, chatId: "chat-of-mallory" };
      await office.attacks(sql`update conversations set chat_id = ${mallory.chatId}
        where id = ${lead.conversationId}`);
      expect(await read(mallory)).toBeNull();
      expect(await read()).toBeNull();
      expect((await office.told("conversations")).ids).toEqual([lead.conversationId]);
    });

    it("goes nowhere when the order was given to another conversation", async () => {
      const { lead, read } = await paidOut();
      const other = await office.paidLead();
      await office.attacks(sql`update exchange_orders set conversation_id = ${other.conversationId}
        where id = ${lead.order.id}`);
      const chatId = other.conversationId.replace("conversation", "chat");
      expect(await read({ channelId: "tg", chatId })).toBeNull();
      expect((await office.told("exchange_orders")).ids).toContain(lead.order.id);
    });
  });

  describe("an office whose own row was deleted", () => {
    it("does not begin anew with the looser rules of a set-up", async () => {
      await office.attacks(sql`delete from tenants where id = ${TENANT}`);
      const made = { id: TENANT, name: "Office", now: office.time.now };
      await withOwner(office.db, (tx) => ensureTenant(tx, made));
      const tenant = await withOwner(office.db, (tx) => tenantById(tx, TENANT));
      expect(tenant).toMatchObject({ state: "open", agentRole: "support" });
      expect(tenant?.payoutsStoppedAt).toBe(office.time.now);
      expect(tenant?.payoutsStoppedReason).toContain("something other than Countersign");
      expect((await office.told("tenants")).ids).toEqual([TENANT]);
      expect((await office.tenant((tx) => policiesOf(tx, TENANT))).list).not.toBeNull();
    });

    it("gets no new lists where the old ones were deleted, too", async () => {
      await office.attacks(sql`delete from row_lists`);
      await office.attacks(sql`delete from tenants where id = ${TENANT}`);
      const made = { id: TENANT, name: "Office", now: office.time.now };
      await withOwner(office.db, (tx) => ensureTenant(tx, made));
      expect((await office.tenant((tx) => policiesOf(tx, TENANT))).list).toBeNull();
    });
  });
});
