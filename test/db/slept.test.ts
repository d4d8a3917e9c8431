import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handleApproval } from "../../src/desk/approval-steps.ts";
import { createHeartbeat } from "../../src/heartbeat.ts";
import { startOrderTimer } from "../../src/order-timer.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { exchangeOrders } from "../../src/store/schema/exchange.ts";
import { forEachEngine } from "../support/database.ts";
import { TENANT } from "../support/office.ts";
import { type Authority, openAuthority } from "../support/office-authority.ts";
import { addLead } from "../support/office-lead.ts";
import { asksLetter, letterRules, letterTool } from "../support/office-letter.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LETTER_RULE = letterRules().filter(({ tool_name }) => tool_name === "send_letter");
const quiet = { info() {}, warn() {} };

forEachEngine((open) => {
  let site: Authority;
  beforeEach(async () => {
    site = await openAuthority(open, { tools: [letterTool()], rules: LETTER_RULE });
  });
  afterEach(() => site.close());

  /** Real time goes on, and the product's with it; nobody beats meanwhile. */
  const sleeps = (ms: number) => {
    site.office.time.real += ms;
    site.office.time.now += ms;
  };
  const beats = () => {
    const { office } = site;
    const process = { bootId: "boot-1", role: "all", alone: false, log: quiet };
    const time = { clock: office.clock, realNow: () => office.time.real };
    return createHeartbeat({ db: office.db, ...process, ...time }).stop();
  };
  const steps = (id: string) => handleApproval(site.office.desk, { tenantId: TENANT, id });
  const statusOf = async (id: string) => (await site.office.approval(id)).status;
  /** A request that has `leftMs` to live, and a process that lives. */
  const asked = async (leftMs: number) => {
    await site.office.person();
    const { approval } = await asksLetter(site.office);
    site.office.time.now = (approval.expiresAt ?? 0) - leftMs;
    await beats();
    return approval.id;
  };

  describe("a machine that slept, whose work comes before its first beat", () => {
    it("ends nothing: it waits so much longer, and ends then", async () => {
      const id = await asked(30 * SECOND);
      sleeps(80 * SECOND);
      await steps(id);
      expect(await statusOf(id)).toBe("pending");
      await beats();
      await steps(id);
      expect(await statusOf(id)).toBe("pending");
      sleeps(30 * SECOND);
      await beats();
      await steps(id);
      expect(await statusOf(id)).toBe("expired");
    });

    it("reminds of nothing before the beat", async () => {
      await site.office.person();
      const { approval } = await asksLetter(site.office);
      site.office.time.now = (approval.nextStepAt ?? 0) - SECOND;
      await beats();
      sleeps(80 * SECOND);
      await steps(approval.id);
      expect((await site.office.approval(approval.id)).remindersSent).toBe(0);
      await beats();
      sleeps(SECOND);
      await steps(approval.id);
      expect((await site.office.approval(approval.id)).remindersSent).toBe(1);
    });

    it("takes a decision that was in time, not one after the time", async () => {
      const [late, inTime] = [await asked(-SECOND), await asked(30 * SECOND)];
      const person = await site.office.person();
      sleeps(80 * SECOND);
      expect((await site.office.decides(late, person)).code).toBe("already_decided");
      expect((await site.office.decides(inTime, person)).code).toBe("approved");
    });

    it("lets no change of authority take effect that nobody could object to", async () => {
      const maker = await site.office.person("admin");
      const { id } = await site.asks(maker, site.requisite("1111"));
      await site.sends();
      site.office.time.now += 9 * MINUTE;
      await beats();
      sleeps(10 * MINUTE);
      await site.stepsOn(id);
      await site.works();
      expect([await statusOf(id), await site.requisiteNow()]).toEqual(["pending", null]);
      await beats();
      await site.stepsOn(id);
      expect(await statusOf(id)).toBe("pending");
      sleeps(MINUTE);
      await beats();
      await site.stepsOn(id);
      expect(await statusOf(id)).toBe("approved");
    });

    it("closes no unpaid order before its payment had time to come in", async () => {
      const { office } = site;
      const lead = await addLead(office);
      const { now } = office.time;
      await office.tenant((tx) =>
        insertOrder(tx, {
          ...{ tenantId: TENANT, number: 900, quoteId: "Q", status: "awaiting_payment" },
          ...{ conversationId: lead.conversationId, contactId: lead.contactId },
          ...{ asset: "USDT", network: "TRC20", quoteAsset: "THB", amountMode: "source_amount" },
          ...{ amountFrom: "40", amountTo: "1240", rate: "31", paymentMethod: "crypto" },
          ...{ expiresAt: now + 90 * MINUTE, createdAt: now },
        }),
      );
      const orders = startOrderTimer(office.engine);
      await orders.stop();
      const isOpen = async () => {
        await orders.runOnce();
        const where = eq(exchangeOrders.number, 900);
        const rows = await office.tenant((tx) => tx.select().from(exchangeOrders).where(where));
        return rows.map(({ status }) => status);
      };
      sleeps(3 * 60 * MINUTE);
      expect(await isOpen()).toEqual(["awaiting_payment"]);
      for (let minute = 0; minute < 9; minute += 1) {
        sleeps(MINUTE);
        expect(await isOpen()).toEqual(["awaiting_payment"]);
      }
      sleeps(MINUTE);
      expect(await isOpen()).toEqual(["expired"]);
    });
  });

  describe("a machine whose played clock was moved", () => {
    it("has not slept: what is due ends", async () => {
      const id = await asked(30 * SECOND);
      site.office.time.now += MINUTE;
      await steps(id);
      expect(await statusOf(id)).toBe("expired");
    });
  });
});
