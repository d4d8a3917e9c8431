import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findPayout } from "../../src/desk/payout-code/find-payout.ts";
import { resumePayouts } from "../../src/desk/resume-payouts.ts";
import { settleRestored } from "../../src/store/after-restore.ts";
import { withOwner, withTenant } from "../../src/store/db.ts";
import { openHandoff } from "../../src/store/handoffs.ts";
import { changeOrder, lastOrder } from "../../src/store/orders.ts";
import { payoutStopOf, stopPayouts } from "../../src/store/payout-stop.ts";
import { payoutsToCheck } from "../../src/store/payouts-to-check.ts";
import { toolExecutionQueue } from "../../src/store/schema/tools.ts";
import { staffById } from "../../src/store/staff.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";
import { openHandoffs } from "../support/open-handoffs.ts";

const REASON = "the gateway's key is being changed";
const BACKED_UP_AT = Date.UTC(2026, 9, 31, 22, 15);

forEachEngine((open) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open);
    await office.person();
  });
  afterAll(() => office.close());
  beforeEach(() => resume().then(() => office.jobs.take("execution")));

  const stop = (reason = REASON) =>
    office.tenant((tx) =>
      stopPayouts(tx, { tenantId: TENANT, by: "someone", reason, now: office.time.now }),
    );
  const asksToResume = (confirmed: boolean) =>
    office.tenant((tx) =>
      resumePayouts(tx, office.jobs, {
        ...{ tenantId: TENANT, by: "an-admin", reason: "looked through", confirmed },
        now: office.time.now,
      }),
    );
  /** A confirmation counts once the list was shown. */
  const resume = async (confirmed = true) => {
    const shown = await asksToResume(false);
    return confirmed ? asksToResume(true) : shown;
  };
  const set = (lead: OfficeLead, to: Partial<typeof toolExecutionQueue.$inferInsert>) =>
    office.tenant((tx) =>
      tx
        .update(toolExecutionQueue)
        .set(to)
        .where(eq(toolExecutionQueue.conversationId, lead.conversationId)),
    );
  const restored = () =>
    withOwner(office.db, (tx) =>
      settleRestored(tx, {
        ...{ backupAt: BACKED_UP_AT, now: office.time.now, realNow: office.time.real },
      }),
    );

  describe("while payouts are stopped", () => {
    it("a payout that is proposed is denied, no approval is asked for, and a person is", async () => {
      const lead = await addLead(office);
      await stop();
      const [proposed] = await lead.proposes([
        call("issue_exchange_payout", { amount: "40", order: lead.order }),
      ]);
      expect(proposed?.state).toMatchObject({
        status: "blocked_by_policy",
        reply: { status: "denied", error: { message: expect.stringContaining("operator") } },
      });
      expect(await office.candidate(proposed?.candidateId ?? "")).toMatchObject({
        code: "payouts_stopped",
      });
      await expect(lead.approval()).rejects.toThrow();
      const of = { tenantId: TENANT, conversationId: lead.conversationId };
      expect(await office.tenant((tx) => openHandoffs(tx, of))).toMatchObject([
        { reason: "payout_review" },
      ]);
    });

    it("everything else goes on", async () => {
      const lead = await addLead(office);
      await stop();
      const [read] = await lead.proposes([call("read_price", { item: "tea" })]);
      expect(read?.state.kind).toBe("run");
    });

    it("an Approve tells the operator since when and why, and decides nothing", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      await stop();
      const decided = await office.decides(approval.id, await office.person());
      expect(decided).toMatchObject({ accepted: false, code: "payouts_stopped" });
      expect(decided.message).toContain(REASON);
      expect(decided.message).toMatch(/stopped since 2026-11-01 .*\/resume payouts/);
      expect((await office.approval(approval.id)).status).toBe("pending");
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
    });

    it("a Reject is still one", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      await stop();
      const person = await office.person();
      const decided = await office.decides(approval.id, person, { decision: "reject" });
      expect(decided.accepted).toBe(true);
    });

    it("what was approved before is held: not sent, its key kept, the lead told once", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      await stop();
      await lead.works();
      office.time.now += 2 * 3_600_000;
      const held = await lead.works();
      expect(held).toMatchObject({ status: "queued", attempts: 0 });
      expect(held.runAfter).toBeGreaterThan(office.time.now);
      expect(office.cashier.paid.filter(({ key }) => key === held.approvalId)).toEqual([]);
      const told = (await lead.sent()).filter(({ purpose }) => purpose === "notice");
      expect(told).toMatchObject([
        { content: { text: expect.stringContaining("an operator is seeing to it") } },
      ]);
      const audit = await office.auditOf(lead.conversationId);
      expect(audit.filter((row) => row.eventType === "execution.held")).toHaveLength(1);
    });

    it("no code of a payout is typed or sent by hand", async () => {
      const lead = await addLead(office, { amountTo: "40" });
      const now = office.time.now;
      const staffId = await office.person();
      const find = () =>
        office.tenant(async (tx) => {
          const staff = await staffById(tx, TENANT, staffId);
          return findPayout(tx, office.desk, { tenantId: TENANT, handoffId, staff });
        });
      const of = { tenantId: TENANT, conversationId: lead.conversationId };
      const order = await office.tenant((tx) => lastOrder(tx, of));
      const { id: orderId = "" } = order ?? {};
      const { id: handoffId } = await office.tenant(async (tx) => {
        await changeOrder(tx, { tenantId: TENANT, id: orderId, now }, { status: "payout" });
        return openHandoff(tx, { ...of, reason: "office_payout", orderId, summary: "", now });
      });
      expect((await find()).kind).toBe("found");
      await stop();
      expect(await find()).toMatchObject({
        kind: "refused",
        text: expect.stringContaining(REASON),
      });
    });

    it("a second stop keeps the first time and both reasons", async () => {
      const first = await stop();
      office.time.now += 60_000;
      const second = await stop("Alice saw a strange payout");
      expect(second).toEqual({
        stoppedAt: first.stoppedAt,
        reason: `${REASON}; Alice saw a strange payout`,
      });
    });

    it("another tenant's payouts go", async () => {
      await withOwner(office.db, (tx) =>
        ensureTenant(tx, { id: "other", name: "Other", now: office.time.now }),
      );
      await stop();
      expect(await withTenant(office.db, "other", (tx) => payoutStopOf(tx, "other"))).toBeNull();
    });
  });

  describe("to resume payouts", () => {
    it("shows without a confirmation what to look through, and changes nothing", async () => {
      const paid = await addLead(office, { amountTo: "1240.50" });
      const waiting = await addLead(office);
      const approval = await waiting.asksPayout();
      await stop();
      const answer = await resume(false);
      if (answer.kind !== "look_through") throw new Error(answer.kind);
      expect(answer.stop.reason).toBe(REASON);
      const { items, total } = await office.tenant((tx) =>
        payoutsToCheck(tx, { tenantId: TENANT, limit: 200 }),
      );
      expect(total).toBe(items.length);
      expect(items).toContainEqual(
        expect.objectContaining({ name: paid.order, status: "paid", about: "1240.5 THB" }),
      );
      expect(items).toContainEqual(
        expect.objectContaining({
          ...{ name: `A-${approval.number}`, status: "pending" },
          client: `Lead ${waiting.order.slice(3)}`,
        }),
      );
      expect(await office.tenant((tx) => payoutStopOf(tx, TENANT))).not.toBeNull();
    });

    it("sends at once what was held, exactly once", async () => {
      const lead = await addLead(office);
      const approval = await lead.approvedPayout();
      await stop();
      await lead.works();
      office.jobs.take("execution");
      expect(await resume()).toMatchObject({ kind: "resumed" });
      const { id } = await lead.execution();
      expect(office.jobs.take("execution").map((job) => job.id)).toContain(id);
      expect((await lead.works()).status).toBe("completed");
      await lead.works();
      expect(office.cashier.paid.filter(({ key }) => key === approval.id)).toHaveLength(1);
      expect(await office.candidate(approval.candidateId)).toMatchObject({ code: null });
    });

    it("says that nothing is stopped when nothing is", async () => {
      expect(await resume()).toEqual({ kind: "not_stopped" });
    });
  });

  describe("after a restore", () => {
    it("payouts are stopped, with the backup's time", async () => {
      await restored();
      const stands = await office.tenant((tx) => payoutStopOf(tx, TENANT));
      expect(stands?.reason).toContain("2026-10-31 22:15 UTC");
    });

    it("a payout that waited and was made since is found by its key, not made again", async () => {
      const lead = await addLead(office);
      const approval = await lead.approvedPayout();
      await restored();
      office.cashier.paid.push({ key: approval.id, action: { amount: "40" } });
      expect((await lead.works()).status).toBe("completed");
      expect(office.cashier.paid.filter(({ key }) => key === approval.id)).toHaveLength(1);
    });

    it("a payout that waited and was not made is held until payouts go on", async () => {
      const lead = await addLead(office);
      const approval = await lead.approvedPayout();
      await restored();
      await lead.works();
      office.time.now += 1000;
      expect(await lead.works()).toMatchObject({ status: "queued", resent: true });
      expect((await lead.works()).status).toBe("queued");
      expect(office.cashier.paid.filter(({ key }) => key === approval.id)).toEqual([]);
      await resume();
      expect((await lead.works()).status).toBe("completed");
    });

    it("one that was being sent is looked up, whatever its lease says", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      const leaseUntil = office.time.real + 3_600_000;
      await set(lead, { status: "running", leaseOwner: "boot-0", leaseToken: "t", leaseUntil });
      await restored();
      const asked = office.cashier.asked;
      expect((await lead.works()).status).toBe("unknown");
      expect(office.cashier.asked).toBe(asked + 1);
    });
  });
});
