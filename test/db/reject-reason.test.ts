import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formOf } from "../../src/desk/forms.ts";
import { addRejectReason } from "../../src/desk/reject-reason.ts";
import type { ClickEvent, SubmissionEvent } from "../../src/domain/inbound.ts";
import { approvalQueue } from "../../src/store/schema/approvals.ts";
import { staffById } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";

forEachEngine((open) => {
  let office: Office;
  let operator: string;
  let other: string;
  beforeAll(async () => {
    office = await openOffice(open);
    operator = await office.person();
    other = await office.person();
  });
  afterAll(() => office.close());

  const sendsForm = (staffId: string, subject: string, reason: string) =>
    office.tenant(async (tx) => {
      const submission: SubmissionEvent = {
        ...{ kind: "submission", form: "reject_reason", subject, values: { reason } },
        ...{ messenger: "slack", channelId: "sl", eventKey: "form", chatId: "C0OPERATORS" },
        ...{ chatKind: "group", threadId: null, sentAt: office.time.now },
        person: { id: "U", teamId: "T", name: "U", isBot: false },
      };
      const staff = await staffById(tx, TENANT, staffId);
      return addRejectReason(tx, office.desk, { tenantId: TENANT, staff, submission });
    });

  describe("the form of a rejection", () => {
    for (const order of ["the form is written first", "the click is written first"])
      it(`rejects with its reason and tells the lead at once when ${order}`, async () => {
        const lead = await addLead(office);
        const approval = await lead.asksPayout();
        const clicks = () => office.decides(approval.id, operator, { decision: "reject" });
        if (order.startsWith("the click")) await clicks();
        expect(await sendsForm(operator, approval.id, "the safe is empty")).toMatch(/noted/);
        if (order.startsWith("the form")) expect((await clicks()).code).toBe("already_decided");
        expect(await office.approval(approval.id)).toMatchObject({
          ...{ status: "rejected", approver: operator, rejectedReason: "the safe is empty" },
        });
        const continuation = { kind: "continuation", status: "queued", dueAt: office.time.now };
        expect(await lead.runs()).toMatchObject([continuation]);
      });

    it("without a reason starts the answer to the lead, too", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      await sendsForm(operator, approval.id, "");
      expect(await lead.runs()).toMatchObject([{ dueAt: office.time.now, status: "queued" }]);
    });

    it("of another person changes neither decision nor reason", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      await office.decides(approval.id, operator, { decision: "reject" });
      expect(await sendsForm(other, approval.id, "mine")).toMatch(
        /^Already rejected by operator .* at .*Nothing was changed/,
      );
      expect((await office.approval(approval.id)).rejectedReason).toBeNull();
    });

    it("that comes after an approval is answered as a press is", async () => {
      const lead = await addLead(office);
      const approval = await lead.approvedPayout();
      expect(await sendsForm(operator, approval.id, "too late")).toMatch(
        /^Already approved by operator /,
      );
      expect(await office.approval(approval.id)).toMatchObject({
        ...{ status: "approved", rejectedReason: null },
      });
    });

    it("sent twice says that the first reason stands", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      expect(await sendsForm(operator, approval.id, "the first")).toMatch(/noted/);
      expect(await sendsForm(operator, approval.id, "the second")).toBe(
        "A reason was given already: the first",
      );
      expect((await office.approval(approval.id)).rejectedReason).toBe("the first");
    });
  });

  describe("a press of Reject", () => {
    const formFor = (staffId: string, approvalId: string) =>
      office.tenant(async (tx) => {
        const click: ClickEvent = {
          ...{ kind: "click", action: "reject", value: approvalId, messageId: "1" },
          ...{ messenger: "telegram", channelId: "tg", eventKey: "press", chatId: "-100" },
          ...{ chatKind: "group", threadId: null, sentAt: office.time.now },
          person: { id: "1", teamId: "", name: "U", isBot: false },
        };
        const staff = await staffById(tx, TENANT, staffId);
        return formOf(tx, office.desk, { tenantId: TENANT, staff, click });
      });

    it("asks for a reason while nobody has decided", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      expect(await formFor(operator, approval.id)).toMatchObject({
        ...{ form: "reject_reason", fields: [{ label: "Reason (the client is told)" }] },
      });
    });

    it("asks for none once it is decided, or too late to decide", async () => {
      const approved = await (await addLead(office)).approvedPayout();
      expect(await formFor(operator, approved.id)).toBeNull();
      const late = await (await addLead(office)).asksPayout();
      await office.tenant((tx) =>
        tx
          .update(approvalQueue)
          .set({ expiresAt: office.time.now })
          .where(eq(approvalQueue.id, late.id)),
      );
      expect(await formFor(operator, late.id)).toBeNull();
    });
  });
});
