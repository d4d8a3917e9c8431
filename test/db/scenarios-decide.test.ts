import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decide } from "../../src/desk/decide.ts";
import { newId } from "../../src/domain/ids.ts";
import { withOwner, withTenant } from "../../src/store/db.ts";
import { approvalVotes } from "../../src/store/schema/approvals.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { createStaff, staffById, updateStaff } from "../../src/store/staff.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { boundValue } from "../../src/tools/approval-card.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, rule, TENANT } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";
import {
  type Account,
  asksPayment,
  officeDesk,
  openPayingOffice,
  PAY,
  paymentRules,
  showsList,
} from "../support/office-payment.ts";

const APPROVE = "approve";
/** Accounts from which Alice writes as a client. */
const OWN = ["2011", "2012", "2013"] as const;

forEachEngine((open) => {
  let office: Office;
  let desk: ReturnType<typeof officeDesk>;
  const alice: Account = { messenger: "telegram", userId: "2001" };
  const aliceInSlack: Account = { messenger: "slack", userId: "U0ALICE", teamId: "T1" };
  const bob: Account = { messenger: "telegram", userId: "2002" };
  beforeAll(async () => {
    office = await openPayingOffice(open);
    desk = officeDesk(office);
    await office.person("operator", [
      ...["2001", ...OWN].map((userId) => ({ messenger: "telegram" as const, teamId: "", userId })),
      { messenger: "slack", teamId: "", userId: "U0ALICE" },
    ]);
    await office.person("operator", [{ messenger: "telegram", teamId: "", userId: "2002" }]);
  });
  afterAll(() => office.close());

  type Row = Awaited<ReturnType<OfficeLead["approval"]>>;
  const press = (approval: Row) => ({
    action: APPROVE,
    value: boundValue({ id: approval.id, digest: approval.actionDigest }),
  });
  const stateOf = async (id: string) => (await office.approval(id)).status;
  const refusalsOf = async ({ conversationId }: OfficeLead) =>
    (await office.auditOf(conversationId)).filter(({ eventType }) =>
      ["approval.refused", "stale_click"].includes(eventType),
    );

  describe("S1: the button of a request that a newer one superseded", () => {
    it("changes neither; the old card says so, and a stale_click stands in the trail", async () => {
      const lead = await addLead(office);
      const first = await asksPayment(lead, { amount: "1000" });
      const second = await asksPayment(lead, { amount: "900" });
      expect(await desk.says(desk.click(alice, press(first)))).toMatch(/superseded.*Nothing/);
      expect([await stateOf(first.id), await stateOf(second.id)]).toEqual([
        "superseded",
        "pending",
      ]);
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
      const edits = (await lead.sent()).filter(
        ({ purpose, approvalId }) => purpose === "card_edit" && approvalId === first.id,
      );
      expect(edits.at(-1)?.content).toMatchObject({
        card: { outcome: "Superseded by a newer request", buttons: [] },
      });
      expect(await refusalsOf(lead)).toMatchObject([
        { eventType: "stale_click", decision: "already_decided", refs: { approval: first.id } },
      ]);
    });
  });

  describe("S11: a click of somebody who may not decide", () => {
    const refused = async (by: Account, over: object = {}) => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      const said = await desk.says(desk.click(by, press(approval), over));
      expect(await stateOf(approval.id)).toBe("pending");
      expect(await refusalsOf(lead)).toMatchObject([{ decision: "forbidden" }]);
      return said;
    };

    it("who is no approver: nothing changes, a private refusal, a line in the trail", async () => {
      expect(await refused({ messenger: "telegram", userId: "4001" })).toMatch(/no right/);
    });

    it("who was removed after the card was posted", async () => {
      const carol: Account = { messenger: "telegram", userId: "2003" };
      const identities = [{ messenger: "telegram" as const, teamId: "", userId: "2003" }];
      const staffId = await office.person("operator", identities);
      await office.tenant((tx) =>
        updateStaff(tx, { tenantId: TENANT, staffId }, { status: "suspended" }),
      );
      expect(await refused(carol)).toMatch(/no right/);
    });

    it("who is a bot, though under an approver's id", async () => {
      const person = { id: "2001", teamId: "", name: "bot", isBot: true };
      expect(await refused(alice, { person })).toMatch(/no right/);
    });

    it("whose own account made the request, from any account", async () => {
      const lead = await addLead(office, { userId: OWN[0] });
      const approval = await asksPayment(lead);
      await showsList(office);
      for (const account of [alice, aliceInSlack])
        expect(await desk.says(desk.click(account, press(approval)))).toMatch(/your own account/);
      expect(await stateOf(approval.id)).toBe("pending");
      expect(await desk.says(desk.click(bob, press(approval)))).toMatch(/approved/);
    });

    it("whom it is about, though the desk proposed it", async () => {
      const colleague = await office.person();
      const lead = await addLead(office, { userId: OWN[1] });
      const proposal = call(PAY, { amount: "5", orderId: lead.order });
      await lead.proposes([proposal], { source: "desk", maker: colleague, messageId: null });
      await office.rules([...paymentRules(), rule(PAY, { id: "desk", role: "desk" })]);
      const approval = await lead.approval();
      expect((await office.decides(approval.id, colleague)).code).toBe("forbidden");
      expect(await desk.says(desk.click(alice, press(approval)))).toMatch(/your own account/);
      expect(await desk.says(desk.click(bob, press(approval)))).toMatch(/approved/);
      await office.rules(paymentRules());
    });
  });

  describe("S12: two people must approve", () => {
    it("the first one counts once, from whatever account, button or API", async () => {
      await office.rules(paymentRules({ approvals_required: 2 }));
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      await showsList(office);
      await office.rules(paymentRules());
      const first = await desk.says(desk.click(alice, press(approval)));
      expect(first).toMatch(/approval 1 of 2/);
      const same = "Your approval is counted already.";
      expect(await desk.says(desk.click(alice, press(approval)))).toBe(same);
      expect(await desk.says(desk.click(aliceInSlack, press(approval)))).toBe(same);
      const vote = await office.tenant((tx) =>
        tx.select().from(approvalVotes).where(eq(approvalVotes.approvalId, approval.id)),
      );
      const staffId = vote[0]?.staffId ?? "";
      expect(await office.decides(approval.id, staffId, { via: "api" })).toMatchObject({
        ...{ accepted: false, code: "voted_before", message: same },
      });
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
      expect(await desk.says(desk.click(bob, press(approval)))).toMatch(/approved/);
      expect(await office.executionsOf(lead.conversationId)).toHaveLength(1);
      const refusals = await refusalsOf(lead);
      expect(refusals.map(({ decision }) => decision)).toEqual(Array(3).fill("voted_before"));
    });

    it("is refused at once where, without whoever asked, too few may approve; a person is told", async () => {
      const everybody = await office.tenant((tx) =>
        tx.select({ id: sql<string>`id` }).from(sql`staff`).where(sql`status = 'active'`),
      );
      await office.rules(paymentRules({ approvals_required: everybody.length }));
      const made = async (userId?: string) => {
        const lead = await addLead(office, userId === undefined ? {} : { userId });
        await lead.proposes([call(PAY, { amount: "7", orderId: lead.order })]);
        return lead;
      };
      const stranger = await made();
      expect((await stranger.approval()).status).toBe("pending");
      const own = await made(OWN[2]);
      await office.rules(paymentRules());
      const audit = await office.auditOf(own.conversationId);
      expect(audit.find(({ eventType }) => eventType === "gate.decided")?.summary).toBe(
        "denied: too_few_approvers",
      );
      expect(audit.map(({ eventType }) => eventType)).toContain("handoff.opened");
      expect((await own.sent()).map(({ purpose }) => purpose)).toEqual(["card"]);
    });
  });

  describe("S16: a press that is delivered three times", () => {
    it.each([
      ["Slack", aliceInSlack],
      ["Telegram", alice],
    ])("by %s is one decision, and each time the same answer", async (_name, account) => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      await showsList(office);
      const event = desk.click(account, press(approval));
      const answers = [];
      for (let time = 0; time < 3; time += 1) answers.push((await desk.take(event)).said?.text);
      expect(new Set(answers)).toEqual(
        new Set([`A-${approval.number} approved. It is being carried out.`]),
      );
      expect(await office.executionsOf(lead.conversationId)).toHaveLength(1);
      const audit = await office.auditOf(lead.conversationId);
      const decisions = audit.filter(({ eventType }) => eventType === "approval.decided");
      expect([decisions.length, (await refusalsOf(lead)).length]).toEqual([1, 0]);
    });

    it("at the same moment is one decision, too", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      const event = desk.click(bob, press(approval));
      await Promise.all([desk.take(event), desk.take(event), desk.take(event)]);
      expect(await stateOf(approval.id)).toBe("approved");
      expect(await office.executionsOf(lead.conversationId)).toHaveLength(1);
    });
  });

  describe("S22: gates that disagree", () => {
    const outcome = async (...more: Parameters<typeof rule>[1][]) => {
      const rules = more.map((over, index) => rule(PAY, { id: `row-${index}`, ...over }));
      await office.rules([...officeRules(), ...rules]);
      const lead = await addLead(office);
      await lead.proposes([call(PAY, { amount: "7", orderId: lead.order })]);
      await office.rules(paymentRules());
      const gates = (await office.auditOf(lead.conversationId)).filter(
        ({ eventType }) => eventType === "gate.decided",
      );
      return gates.at(-1)?.decision;
    };

    it("a refusal beats an approval, and that beats leave", async () => {
      const allow = {};
      const ask = { requires_approval: true };
      const deny = { allow_call: false };
      expect(await outcome(allow, ask)).toBe("approval");
      expect(await outcome(allow, ask, deny)).toBe("deny");
      expect(await outcome(deny, allow)).toBe("deny");
    });

    it("the largest number of people and the highest role of all rows that match is needed", async () => {
      const two = { id: "a", requires_approval: true, approvals_required: 2 };
      const admin = { id: "b", requires_approval: true, approver_role: "admin" as const };
      await office.rules([...officeRules(), rule(PAY, two), rule(PAY, admin)]);
      await office.person("admin");
      await office.person("admin");
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      await office.rules(paymentRules());
      expect(approval).toMatchObject({ approvalsRequired: 2, approverRole: "admin" });
    });

    it("what cannot be evaluated, and a tool that does not exist, are refused", async () => {
      const broken = { condition_json: { amount_to: { $where: "1" } } };
      expect(await outcome({}, broken)).toBe("deny");
      const lead = await addLead(office);
      const [made] = await lead.proposes([call("pay_everybody", {})]);
      expect(made?.state).toMatchObject({ kind: "settled", status: "blocked_by_policy" });
    });
  });

  describe("S24: forged presses", () => {
    it.each(["", "no-such-id", "constructor", "__proto__", newId(), `${newId()}.00000000`])(
      "%j names no request: refused, and written down",
      async (value) => {
        const before = await lastRefusal();
        const said = await desk.says(desk.click(alice, { action: APPROVE, value }));
        expect(said).toMatch(/does not exist/);
        const after = await lastRefusal();
        expect(after?.id).not.toBe(before?.id);
        expect(after).toMatchObject({ decision: "not_found" });
      },
    );

    it.each(["constructor", "__proto__", "toString", "drop_table", ""])(
      "%j is no action",
      async (action) => {
        const lead = await addLead(office);
        const approval = await asksPayment(lead);
        const said = await desk.says(desk.click(alice, { action, value: approval.id }));
        expect(said).toBe("This button does nothing any more.");
        expect(await stateOf(approval.id)).toBe("pending");
      },
    );

    it("from another chat is refused there and taken in the operators' own, and in private", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      const forged = desk.click(alice, press(approval), { chatId: "-999" });
      expect(await desk.says(forged)).toMatch(/decided in the operators' chat/);
      expect(await stateOf(approval.id)).toBe("pending");
      expect(await refusalsOf(lead)).toMatchObject([{ decision: "forbidden" }]);
      const own = { chatId: "2001", chatKind: "private" as const };
      const none = desk.click(alice, press(approval), own);
      expect(await desk.says(none)).toMatch(/decided in the operators' chat/);
      await showsList(office);
      const leads = { chatId: "1001", chatKind: "private" as const };
      const elsewhere = desk.click(alice, press(approval), leads);
      expect(await desk.says(elsewhere)).toMatch(/decided in the operators' chat/);
      expect(await desk.says(desk.click(alice, press(approval), own))).toMatch(/approved/);
    });

    it("on another digest than the request has is refused", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      const value = `${approval.id}.deadbeef`;
      const said = await desk.says(desk.click(alice, { action: APPROVE, value }));
      expect(said).toMatch(/has changed since you saw it/);
      expect(await stateOf(approval.id)).toBe("pending");
    });

    it("another tenant's request is none here", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      const other = { id: "somebody-else", name: "Other", now: office.time.now };
      await withOwner(office.db, (tx) => ensureTenant(tx, other));
      const decided = await withTenant(office.db, other.id, async (tx) => {
        const made = { tenantId: other.id, name: "Mallory", role: "admin" as const };
        const staffId = await createStaff(tx, { ...made, identities: [], now: other.now });
        const staff = await staffById(tx, other.id, staffId);
        const decision = {
          tenantId: other.id,
          approvalId: approval.id,
          staff,
          via: "slack" as const,
        };
        return decide(tx, office.desk, { ...decision, decision: "approve" });
      });
      expect(decided.code).toBe("not_found");
      expect(await stateOf(approval.id)).toBe("pending");
    });

    it("replayed two days later is what was answered then, and nothing more", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      const stranger: Account = { messenger: "telegram", userId: "2077" };
      const event = desk.click(stranger, press(approval));
      const said = await desk.says(event);
      const identities = [{ messenger: "telegram" as const, teamId: "", userId: "2077" }];
      await office.person("operator", identities);
      office.time.now += 2 * 86_400_000;
      const again = await desk.take(event);
      office.time.now -= 2 * 86_400_000;
      expect([again.kind, again.said?.text]).toEqual(["duplicate", said]);
      expect(await stateOf(approval.id)).toBe("pending");
    });

    const lastRefusal = async () => {
      const rows = await office.tenant((tx) =>
        tx
          .select()
          .from(auditLog)
          .where(and(eq(auditLog.eventType, "approval.refused"), eq(auditLog.tenantId, TENANT)))
          .orderBy(sql`id desc`)
          .limit(1),
      );
      return rows[0];
    };
  });
});
