import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { runs } from "../../src/store/schema/runs.ts";
import { withdrawnTools } from "../../src/store/withdrawn-tools.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, TENANT } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";
import { asksPayment, openPayingOffice, PAY } from "../support/office-payment.ts";

forEachEngine((open) => {
  let office: Office;
  let operator: string;
  beforeAll(async () => {
    office = await openPayingOffice(open);
    operator = await office.person();
  });
  afterAll(() => office.close());

  const rejects = async (lead: OfficeLead, amount: string, reason?: string) => {
    const approval = await asksPayment(lead, { amount });
    const decision = { decision: "reject" as const, reason: reason ?? null };
    expect((await office.decides(approval.id, operator, decision)).code).toBe("rejected");
    return approval;
  };
  const proposes = async (lead: OfficeLead, amount: string) => {
    const [made] = await lead.proposes([call(PAY, { amount, orderId: lead.order })]);
    return office.candidate(made?.candidateId ?? "");
  };
  const withdrawn = ({ conversationId }: OfficeLead) =>
    office.tenant((tx) => withdrawnTools(tx, { tenantId: TENANT, conversationId, runId: null }));
  /** A turn of the lead's that was answered. */
  const playsTurn = (lead: OfficeLead) =>
    office.tenant((tx) =>
      tx.insert(runs).values({
        ...{ id: newId(), tenantId: TENANT, conversationId: lead.conversationId },
        ...{ kind: "message", status: "completed", dueAt: office.time.now },
        ...{ firstMessageAt: office.time.now, createdAt: office.time.now },
      }),
    );

  describe("S10: a rejection", () => {
    it("is told to the model with its reason, and that it must not be tried again", async () => {
      const lead = await addLead(office);
      const approval = await rejects(lead, "40", "the safe is empty");
      expect((await office.candidate(approval.candidateId)).reply).toMatchObject({
        status: "declined",
        approval: `A-${approval.number}`,
        error: {
          code: "APPROVAL_REJECTED",
          message: "declined by the operator: the safe is empty; do not retry",
        },
      });
    });

    it("makes the same call refused without a card, and a changed one a card of its own", async () => {
      const lead = await addLead(office);
      await rejects(lead, "40");
      const cards = (await lead.sent()).length;
      expect(await proposes(lead, "40.0")).toMatchObject({ code: "rejected_before" });
      expect((await lead.sent()).length).toBe(cards);
      expect(await proposes(lead, "39")).toMatchObject({ status: "waiting_approval" });
    });

    it("the third in a row withdraws the tool for the turn, with a reason of its own", async () => {
      const lead = await addLead(office);
      await rejects(lead, "40");
      await rejects(lead, "39");
      expect(await withdrawn(lead)).toEqual(new Set());
      await rejects(lead, "38");
      expect(await withdrawn(lead)).toEqual(new Set([PAY]));
      const cards = (await lead.sent()).length;
      const refused = await proposes(lead, "37");
      expect(refused).toMatchObject({ status: "blocked_by_policy", code: "tool_withdrawn" });
      expect(refused.reply?.error?.message).toMatch(/declined several of these in a row/);
      expect((await lead.sent()).length).toBe(cards);
    });

    it("withdraws it in this conversation alone, and until the next turn", async () => {
      const lead = await addLead(office);
      for (const amount of ["40", "39", "38"]) await rejects(lead, amount);
      expect(await withdrawn(await addLead(office))).toEqual(new Set());
      office.time.now += 1_000;
      await playsTurn(lead);
      expect(await withdrawn(lead)).toEqual(new Set());
      expect(await proposes(lead, "37")).toMatchObject({ status: "waiting_approval" });
      const again = await lead.approval();
      office.time.now += 1_000;
      await office.decides(again.id, operator, { decision: "reject" });
      expect(await withdrawn(lead)).toEqual(new Set([PAY]));
    });

    it("is forgotten when one is approved between", async () => {
      const lead = await addLead(office);
      await rejects(lead, "40");
      await rejects(lead, "39");
      const approved = await asksPayment(lead, { amount: "38", orderId: `${lead.order}-b` });
      office.time.now += 1_000;
      await office.decides(approved.id, operator);
      office.time.now += 1_000;
      await rejects(lead, "37");
      expect(await withdrawn(lead)).toEqual(new Set());
    });

    it("does not keep the system from asking: the client's next documents are looked at", async () => {
      const lead = await addLead(office);
      for (const amount of ["40", "39", "38"]) await rejects(lead, amount);
      const proposal = call(PAY, { amount: "36", orderId: lead.order });
      await lead.proposes([proposal], { source: "system", messageId: null });
      expect(await lead.approval()).toMatchObject({ status: "pending" });
    });
  });
});
