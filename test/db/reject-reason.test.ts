import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addRejectReason } from "../../src/desk/reject-reason.ts";
import type { SubmissionEvent } from "../../src/domain/inbound.ts";
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
      expect(await sendsForm(other, approval.id, "mine")).toMatch(/no right/);
      expect((await office.approval(approval.id)).rejectedReason).toBeNull();
    });
  });
});
