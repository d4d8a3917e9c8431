import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decide } from "../../src/desk/decide.ts";
import { resumePayouts } from "../../src/desk/resume-payouts.ts";
import { suspendStaff } from "../../src/desk/suspend-staff.ts";
import { newId } from "../../src/domain/ids.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { stopPayouts } from "../../src/store/payout-stop.ts";
import { outbox } from "../../src/store/schema/chat.ts";
import { addStaffIdentities, staffById, updateStaff } from "../../src/store/staff.ts";
import { joinStaff } from "../../src/store/staff-join.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";

forEachEngine((open) => {
  let office: Office;
  let boss: string;
  beforeAll(async () => {
    office = await openOffice(open);
    boss = await office.person("admin");
    await office.person("admin");
  });
  afterAll(() => office.close());
  beforeEach(async () => {
    office.cashier.paid.length = 0;
    await office.rules(officeRules());
  });

  const rules = (over: Partial<PolicyRow>) => office.rules(officeRules(over));
  const ordered = () => addLead(office, { amountTo: "1300" });
  const set = (staffId: string, change: Parameters<typeof updateStaff>[2]) =>
    office.tenant((tx) => updateStaff(tx, { tenantId: TENANT, staffId }, change));
  const suspend = (staffId: string) =>
    office.tenant((tx) =>
      suspendStaff(tx, office.desk, {
        ...{ tenantId: TENANT, staffId, by: boss, reason: "stolen", language: "en" },
      }),
    );
  const links = (staffId: string, userId: string) =>
    office.tenant((tx) =>
      addStaffIdentities(tx, {
        ...{ tenantId: TENANT, staffId, now: office.time.now },
        identities: [{ messenger: "telegram", teamId: "", userId }],
      }),
    );
  const said = async () => {
    const rows = await office.tenant((tx) =>
      tx
        .select()
        .from(outbox)
        .where(and(eq(outbox.chatId, "-100"), eq(outbox.purpose, "notice")))
        .orderBy(outbox.seq),
    );
    const last = rows.at(-1)?.content;
    return last?.kind === "text" ? last.text : "";
  };
  /** Nothing is paid, and the same request waits for people. */
  const waitsAgain = async (lead: OfficeLead, why: string) => {
    expect(office.cashier.paid).toEqual([]);
    expect((await lead.execution()).status).toBe("cancelled");
    const approval = await lead.approval();
    expect(approval).toMatchObject({ status: "pending", approver: null });
    expect(await said()).toContain(why);
    return approval;
  };
  const isPaidBy = async (lead: OfficeLead, ...people: string[]) => {
    const { id } = await lead.approval();
    for (const person of people) await office.decides(id, person);
    expect((await lead.works()).status).toBe("completed");
    expect(office.cashier.paid).toHaveLength(1);
  };

  describe("approved, and before it is sent", () => {
    it("the rules ask for an admin", async () => {
      const lead = await ordered();
      await lead.approvedPayout();
      await rules({ approver_role: "admin" });
      await lead.works();
      const approval = await waitsAgain(lead, "an admin has to approve it now");
      expect(approval.approverRole).toBe("admin");
      expect((await office.decides(approval.id, await office.person())).code).toBe("forbidden");
      await isPaidBy(lead, boss);
    });

    it("the admin who approved is one no more", async () => {
      await rules({ approver_role: "admin" });
      const admin = await office.person("admin");
      const lead = await ordered();
      await office.decides((await lead.asksPayout()).id, admin);
      await set(admin, { role: "operator" });
      await lead.works();
      await waitsAgain(lead, "an admin has to approve it now");
      await isPaidBy(lead, boss);
    });

    it("the lead's account turns out to be the approver's", async () => {
      const userId = newId();
      const lead = await addLead(office, { userId, amountTo: "1300" });
      const operator = await office.person();
      await office.decides((await lead.asksPayout()).id, operator);
      await links(operator, userId);
      await lead.works();
      const approval = await waitsAgain(lead, "that person's own");
      expect((await office.decides(approval.id, operator)).code).toBe("forbidden");
      await isPaidBy(lead, boss);
    });

    it("the approver is suspended, and the lead is told that it takes longer", async () => {
      const operator = await office.person();
      const lead = await ordered();
      await office.decides((await lead.asksPayout()).id, operator);
      await suspend(operator);
      await lead.works();
      await waitsAgain(lead, "the account was suspended before it was carried out");
      const told = (await lead.sent()).filter(({ purpose }) => purpose === "notice");
      expect(JSON.stringify(told.at(-1)?.content)).toContain("takes a little longer");
      await isPaidBy(lead, await office.person());
    });

    it("the approver is suspended and restored: the vote stays taken back", async () => {
      const operator = await office.person();
      const lead = await ordered();
      await office.decides((await lead.asksPayout()).id, operator);
      await suspend(operator);
      await set(operator, { status: "active" });
      await lead.works();
      await waitsAgain(lead, "the account was suspended before it was carried out");
      await isPaidBy(lead, operator);
    });

    it("payouts are stopped and the approver suspended: the list names the vote, nothing is sent", async () => {
      const operator = await office.person();
      const lead = await ordered();
      const { number } = await lead.asksPayout();
      await office.decides((await lead.approval()).id, operator);
      const asked = { tenantId: TENANT, by: boss, reason: "stolen", now: office.time.now };
      await office.tenant((tx) => stopPayouts(tx, asked));
      expect((await lead.works()).status).toBe("queued");
      await suspend(operator);
      const resume = (confirmed: boolean) =>
        office.tenant((tx) => resumePayouts(tx, office.jobs, { ...asked, confirmed }));
      const listed = await resume(false);
      const items = listed.kind === "look_through" ? listed.list.items : [];
      const name = (await office.tenant((tx) => staffById(tx, TENANT, operator)))?.name;
      expect(items.filter(({ fallen }) => fallen)).toEqual([
        expect.objectContaining({ name: `A-${number}`, fallen: [name] }),
      ]);
      expect((await resume(true)).kind).toBe("resumed");
      await lead.works();
      await waitsAgain(lead, "the account was suspended before it was carried out");
      await isPaidBy(lead, boss);
    });

    it("two votes turn out to be one person's", async () => {
      await rules({ approvals_required: 2 });
      const [from, into] = [await office.person(), await office.person()];
      const lead = await ordered();
      const { id } = await lead.asksPayout();
      await office.decides(id, from);
      expect((await office.decides(id, into)).code).toBe("approved");
      const now = office.time.now;
      await office.tenant((tx) => joinStaff(tx, { tenantId: TENANT, from, into, by: boss, now }));
      await lead.works();
      await waitsAgain(lead, "the same person's");
      await isPaidBy(lead, into, boss);
    });

    it("somebody is joined into another, who stands for the vote", async () => {
      const [from, into] = [await office.person(), await office.person()];
      const lead = await ordered();
      await office.decides((await lead.asksPayout()).id, from);
      const now = office.time.now;
      await office.tenant((tx) => joinStaff(tx, { tenantId: TENANT, from, into, by: boss, now }));
      expect((await lead.works()).status).toBe("completed");
      expect(office.cashier.paid).toHaveLength(1);
    });

    it("fewer votes stand than the request asked for, though the rules ask for less by now", async () => {
      await rules({ approvals_required: 2 });
      const operator = await office.person();
      const lead = await ordered();
      const { id } = await lead.asksPayout();
      await office.decides(id, operator);
      expect((await office.decides(id, boss)).code).toBe("approved");
      await rules({});
      await suspend(operator);
      await lead.works();
      await waitsAgain(lead, "the account was suspended before it was carried out");
    });
  });

  describe("between two votes", () => {
    const asksTwo = async (over: Partial<PolicyRow> = {}) => {
      await rules({ approvals_required: 2, ...over });
      const lead = await ordered();
      return { lead, id: (await lead.asksPayout()).id };
    };

    it("the rules ask for admins: the operator's vote counts no more", async () => {
      const { lead, id } = await asksTwo();
      expect((await office.decides(id, await office.person())).code).toBe("counted");
      await rules({ approvals_required: 2, approver_role: "admin" });
      const second = await office.decides(id, boss);
      expect(second).toMatchObject({ code: "counted" });
      expect(second.message).toContain("1 of 2");
      await isPaidBy(lead, await office.person("admin"));
    });

    it("the first admin is one no more", async () => {
      const { lead, id } = await asksTwo({ approver_role: "admin" });
      const first = await office.person("admin");
      expect((await office.decides(id, first)).code).toBe("counted");
      await set(first, { role: "operator" });
      expect((await office.decides(id, boss)).code).toBe("counted");
      await isPaidBy(lead, await office.person("admin"));
    });

    it("the first voter gets the lead's account", async () => {
      const userId = newId();
      await rules({ approvals_required: 2 });
      const lead = await addLead(office, { userId, amountTo: "1300" });
      const { id } = await lead.asksPayout();
      const first = await office.person();
      expect((await office.decides(id, first)).code).toBe("counted");
      await links(first, userId);
      expect((await office.decides(id, boss)).code).toBe("counted");
      await isPaidBy(lead, await office.person());
    });
  });

  describe("a click that was under way when its person was suspended", () => {
    it.each(["approve", "reject"] as const)("is no vote: %s", async (decision) => {
      await rules({ approvals_required: 2 });
      const operator = await office.person();
      const lead = await ordered();
      const { id } = await lead.asksPayout();
      const before = await office.tenant((tx) => staffById(tx, TENANT, operator));
      expect(before?.status).toBe("active");
      await suspend(operator);
      const asked = { tenantId: TENANT, approvalId: id, staff: before, via: "slack" } as const;
      const late = await office.tenant((tx) => decide(tx, office.desk, { ...asked, decision }));
      expect(late.code).toBe("forbidden");
      await set(operator, { status: "active" });
      const second = await office.decides(id, boss);
      expect(second.code).toBe("counted");
      expect(second.message).toContain("1 of 2");
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
    });
  });
});
