import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Card } from "../../src/domain/messenger.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { textDigest } from "../../src/policy/digest.ts";
import { approvalQueue, approvalVotes } from "../../src/store/schema/approvals.ts";
import { policyGateLog, toolExecutionQueue } from "../../src/store/schema/tools.ts";
import { boundValue } from "../../src/tools/approval-card.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, TENANT } from "../support/office.ts";
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

type Row = Awaited<ReturnType<OfficeLead["approval"]>>;

forEachEngine((open) => {
  let office: Office;
  let desk: ReturnType<typeof officeDesk>;
  let operator: string;
  let other: string;
  const alice: Account = { messenger: "slack", userId: "U0ALICE", teamId: "T1" };
  beforeAll(async () => {
    office = await openPayingOffice(open);
    desk = officeDesk(office);
    operator = await office.person("operator", [
      { messenger: "slack", teamId: "", userId: "U0ALICE" },
    ]);
    other = await office.person();
  });
  afterAll(() => office.close());

  const edits = (approval: Row, staffId: string, edit: Record<string, unknown>) =>
    office.decides(approval.id, staffId, { edit: edit as never }); // as an API's body may hold it
  const cardsOf = async (lead: OfficeLead): Promise<Card[]> =>
    (await lead.sent()).flatMap(({ content }) =>
      content.kind === "card" || content.kind === "card_edit" ? [content.card] : [],
    );
  const works = async (lead: OfficeLead) => {
    const [execution] = await office.executionsOf(lead.conversationId);
    const ref = { tenantId: TENANT, id: execution?.id ?? "" };
    await handleExecution(office.engine, ref, AbortSignal.timeout(20_000));
    const [done] = await office.executionsOf(lead.conversationId);
    return done;
  };
  const twoPeople = async (lead: OfficeLead, sum = "1000") => {
    await office.rules(paymentRules({ approvals_required: 2 }));
    const approval = await asksPayment(lead, { amount: sum });
    await office.rules(paymentRules());
    return approval;
  };

  describe("S5: the digest of an action", () => {
    it.each([
      ["key order", (order: string) => `{"orderId":"${order}","amount":"40"}`],
      ["40 and 40.0", (order: string) => `{"amount":"40.0","orderId":"${order}"}`],
      [
        "a default that is filled in",
        (order: string) => `{"amount":"40","orderId":"${order}","purpose":"goods"}`,
      ],
    ])("%s is cosmetic: the request that waits keeps its number", async (_name, args) => {
      const lead = await addLead(office);
      const first = await asksPayment(lead, { amount: "40" });
      await lead.proposes([call(PAY, args(lead.order))]);
      expect(await lead.approval()).toMatchObject({ id: first.id, status: "pending" });
    });

    it("a changed value is another request", async () => {
      const lead = await addLead(office);
      const first = await asksPayment(lead, { amount: "40" });
      const second = await asksPayment(lead, { amount: "40", purpose: "Goods" });
      expect(second.actionDigest).not.toBe(first.actionDigest);
      expect((await office.approval(first.id)).status).toBe("superseded");
    });

    it("one byte changed in what was stored stops the approved action", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead, { amount: "40" });
      await office.decides(approval.id, operator);
      await office.tenant((tx) =>
        tx
          .update(toolExecutionQueue)
          .set({ payloadJson: { ...approval.proposedActionJson, amount: "41" } })
          .where(eq(toolExecutionQueue.approvalId, approval.id)),
      );
      expect(await works(lead)).toMatchObject({ status: "cancelled" });
      expect(await office.candidate(approval.candidateId)).toMatchObject({
        code: "digest_mismatch",
      });
    });
  });

  describe("S6: the card is what will be carried out", () => {
    it("shows every material field as it is executed", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead, { amount: "40.50", purpose: "two chairs" });
      const [card] = await cardsOf(lead);
      await office.decides(approval.id, operator);
      const done = await works(lead);
      expect(done).toMatchObject({ status: "completed", actionDigest: approval.actionDigest });
      const { orderId, amount, currency, purpose } = done?.payloadJson ?? {};
      expect(card?.facts).toEqual([
        { label: "Order", value: orderId },
        { label: "Sum", value: `${amount} ${currency}` },
        { label: "Purpose", value: purpose },
      ]);
      expect(card?.footer.join()).toContain(approval.actionDigest.slice(0, 8));
    });

    it("begins a long value, and the whole of it stands before the card with one digest", async () => {
      const lead = await addLead(office);
      const purpose = Array.from({ length: 900 }, (_, index) => `word ${index}`).join(" ");
      await asksPayment(lead, { purpose });
      const [...cards] = await cardsOf(lead);
      const card = cards.pop();
      const shown = card?.facts.find(({ label }) => label === "Purpose")?.value ?? "";
      const head = textDigest(purpose).slice(0, 8);
      expect(shown).toContain(`${purpose.slice(0, 60)}…`);
      expect(shown).toContain(`${purpose.length} characters`);
      expect(shown).toContain(head);
      expect(cards.length).toBeGreaterThan(1);
      expect(cards.map(({ facts }) => facts[0]?.value).join("")).toBe(purpose);
      expect(cards.every(({ footer }) => footer.join().includes(head))).toBe(true);
      expect(JSON.stringify(card).length).toBeLessThan(3_500);
    });
  });

  describe("S21: an approver lowers the sum", () => {
    it("from 1000 to 900 in one act: proposal, approval and what is done are all kept", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead, { amount: "1000" });
      expect(await edits(approval, operator, { amount: "900" })).toMatchObject({
        ...{ accepted: true, code: "approved" },
      });
      const row = await office.approval(approval.id);
      expect(row).toMatchObject({
        ...{ status: "approved", editedBy: operator, approver: operator },
        proposedActionJson: { amount: "1000" },
        approvedActionJson: { amount: "900" },
        effectiveActionJson: { amount: "900" },
      });
      expect(row.actionDigest).not.toBe(approval.actionDigest);
      expect(await office.candidate(approval.candidateId)).toMatchObject({
        actionJson: { amount: "1000" },
        reply: { summary: expect.stringContaining("amount 900, not 1000") },
      });
      expect(await works(lead)).toMatchObject({
        status: "completed",
        payloadJson: { amount: "900" },
      });
      expect((await office.candidate(approval.candidateId)).reply?.data).toMatchObject({
        amount: "900",
      });
      const card = (await cardsOf(lead)).at(-1);
      expect(card?.facts).toContainEqual({ label: "Sum", value: "900 THB" });
      expect(card?.outcome).toMatch(/^Approved by .* · changed by .*: Sum 1000 → 900$/);
      const gates = await office.tenant((tx) =>
        tx
          .select({ moment: policyGateLog.moment })
          .from(policyGateLog)
          .where(eq(policyGateLog.candidateId, approval.candidateId)),
      );
      expect(gates.map(({ moment }) => moment)).toEqual(["proposal", "edit", "dispatch"]);
      const events = (await office.auditOf(lead.conversationId)).map((one) => one.eventType);
      expect(events).toContain("approval.edited");
    });

    it("clears the votes before it, and counts as one itself", async () => {
      const lead = await addLead(office);
      const approval = await twoPeople(lead);
      expect((await office.decides(approval.id, other)).code).toBe("counted");
      expect((await edits(approval, operator, { amount: "900" })).code).toBe("counted");
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
      const votes = await office.tenant((tx) =>
        tx.select().from(approvalVotes).where(eq(approvalVotes.approvalId, approval.id)),
      );
      expect(votes.map(({ staffId, voidedAt }) => [staffId, voidedAt !== null]).sort()).toEqual(
        [
          [other, true],
          [operator, false],
        ].sort(),
      );
      expect((await cardsOf(lead)).at(-1)?.footer).toContain("approvals: 1/2");
      const { actionDigest: seen } = await office.approval(approval.id);
      expect((await office.decides(approval.id, operator, { seen })).code).toBe("voted_before");
      expect((await office.decides(approval.id, other, { seen })).code).toBe("approved");
      expect(await works(lead)).toMatchObject({ payloadJson: { amount: "900" } });
    });

    it("is approved by nobody who does not say which state they saw", async () => {
      const lead = await addLead(office);
      const approval = await twoPeople(lead);
      await edits(approval, operator, { amount: "900" });
      const { actionDigest } = await office.approval(approval.id);
      const says = async (seen?: string) =>
        office.decides(approval.id, other, seen === undefined ? {} : { seen });
      const untold = await says();
      expect(untold).toMatchObject({ accepted: false, code: "digest_required" });
      expect(untold.message).toContain(`GET /api/admin/approvals/A-${approval.number}`);
      for (const length of [0, 1, 7, 9, 63])
        expect((await says(actionDigest.slice(0, length))).code).toBe("changed_since");
      expect((await says(approval.actionDigest)).code).toBe("changed_since");
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
      expect((await says(actionDigest.slice(0, 8))).code).toBe("approved");
    });

    it("whoever has the card of before is told to look again", async () => {
      const lead = await addLead(office);
      const approval = await twoPeople(lead);
      await edits(approval, other, { amount: "900" });
      const old = boundValue({ id: approval.id, digest: approval.actionDigest });
      await showsList(office);
      const said = await desk.says(desk.click(alice, { action: "approve", value: old }));
      expect(said).toMatch(/has changed since you saw it/);
      const edited = await office.approval(approval.id);
      const now = boundValue({ id: edited.id, digest: edited.actionDigest });
      expect(await desk.says(desk.click(alice, { action: "approve", value: now }))).toMatch(
        /approved/,
      );
    });

    it.each([
      ["a higher sum", { amount: "1000.01" }, /only be lowered/],
      ["the same sum", { amount: "1000.0" }, /says already/],
      ["nothing", { amount: "0" }, /write a sum/],
      ["a sum below zero", { amount: "-5" }, /write a sum/],
      ["a comma", { amount: "900,50" }, /write a sum/],
      ["a number", { amount: 900 }, /write a sum/],
      ["another currency", { currency: "USD" }, /cannot be changed/],
      ["another order", { orderId: "EX-1" }, /cannot be changed/],
      ["a text that is no field for it", { purpose: "mine" }, /cannot be changed/],
      ["a field of every object", { constructor: "x" }, /cannot be changed/],
    ])("%s is refused, and nothing is changed", async (_name, edit, why) => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead, { amount: "1000" });
      const answer = await edits(approval, operator, edit);
      expect(answer).toMatchObject({ accepted: false, code: "edit_refused" });
      expect(answer.message).toMatch(why);
      expect(await office.approval(approval.id)).toMatchObject({
        ...{ status: "pending", approvedActionJson: null, actionDigest: approval.actionDigest },
      });
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
    });

    it("is gated again: what the policy forbids meanwhile is not approved", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead, { amount: "1000" });
      await office.rules(paymentRules({ allow_call: false }));
      const answer = await edits(approval, operator, { amount: "900" });
      await office.rules(paymentRules());
      expect(answer).toMatchObject({ accepted: false, code: "edit_refused" });
      expect(answer.message).toMatch(/rules do not allow/);
      expect((await office.approval(approval.id)).status).toBe("pending");
    });

    it("needs as many people as the rules want by now", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead, { amount: "1000" });
      await office.rules(paymentRules({ approvals_required: 2 }));
      expect((await edits(approval, operator, { amount: "900" })).code).toBe("counted");
      await office.rules(paymentRules());
      expect((await office.approval(approval.id)).approvalsRequired).toBe(2);
    });

    it("and the model cannot get the old sum back by asking again", async () => {
      const lead = await addLead(office);
      const approval = await twoPeople(lead);
      await edits(approval, operator, { amount: "900" });
      await lead.proposes([call(PAY, { amount: "1000", orderId: lead.order })]);
      expect(await lead.approval()).toMatchObject({ id: approval.id, status: "pending" });
      await office.decides(approval.id, other, { decision: "reject" });
      for (const amount of ["1000", "900"]) {
        const [made] = await lead.proposes([call(PAY, { amount, orderId: lead.order })]);
        expect(await office.candidate(made?.candidateId ?? "")).toMatchObject({
          code: "rejected_before",
        });
      }
    });

    it("in Slack's form, whose sum is checked before it is taken", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead, { amount: "1000" });
      const value = boundValue({ id: approval.id, digest: approval.actionDigest });
      await showsList(office);
      const press = desk.click(alice, { action: "edit", value });
      const form = await desk.formFor(press);
      expect(form).toMatchObject({ form: "edit_action", title: `Change A-${approval.number}` });
      expect(form?.fields).toMatchObject([
        { name: "down-amount", label: "Sum, at most 1000 THB", optional: false },
      ]);
      expect(await desk.says(press)).toMatch(/in the form/);
      const sends = (text: string) =>
        desk.submission(alice, {
          ...{ form: "edit_action", subject: form?.subject ?? "", values: { "down-amount": text } },
        });
      expect(desk.errorsOf(sends("nine hundred"))).toEqual({
        "down-amount": expect.stringContaining("write a sum"),
      });
      expect(desk.errorsOf(sends("900"))).toEqual({});
      expect(await desk.says(sends("900"))).toMatch(/approved/);
      expect((await office.approval(approval.id)).effectiveActionJson).toMatchObject({
        amount: "900",
      });
    });

    it("opens no form for a stranger, nor for a request that is over", async () => {
      const lead = await addLead(office);
      const approval = await asksPayment(lead);
      const value = boundValue({ id: approval.id, digest: approval.actionDigest });
      const eve: Account = { messenger: "slack", userId: "U0EVE" };
      const press = desk.click(eve, { action: "edit", value });
      expect(await desk.formFor(press)).toBeNull();
      expect(await desk.says(press)).toMatch(/no right/);
      await office.tenant((tx) =>
        tx
          .update(approvalQueue)
          .set({ expiresAt: office.time.now })
          .where(eq(approvalQueue.id, approval.id)),
      );
      expect(await desk.formFor(desk.click(alice, { action: "edit", value }))).toBeNull();
    });
  });
});
