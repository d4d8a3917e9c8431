import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approvalQueue } from "../../src/store/schema/approvals.ts";
import { contacts, conversations } from "../../src/store/schema/chat.ts";
import { toolExecutionQueue, toolSchemaVersions } from "../../src/store/schema/tools.ts";
import { setToolActive } from "../../src/store/tool-registry.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";

const PAYOUT = "issue_exchange_payout";

forEachEngine((open) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open);
    await office.person();
  });
  afterAll(() => office.close());

  const change = (lead: OfficeLead, set: Partial<typeof toolExecutionQueue.$inferInsert>) =>
    office.tenant((tx) =>
      tx
        .update(toolExecutionQueue)
        .set(set)
        .where(eq(toolExecutionQueue.conversationId, lead.conversationId)),
    );
  const edited = (text: string) => `${text.startsWith("0") ? "1" : "0"}${text.slice(1)}`;

  const WAITS_AGAIN = [
    ...["role_not_allowed", "not_approved", "tool_inactive", "stage_not_allowed"],
    "digest_mismatch", // somebody wrote into the row: the request itself is whole
  ];
  /** What was approved is not to be had any more, or not as it was approved. */
  const UNTIL_ASKED_ANEW = ["digest_mismatch", "schema_changed", "approval_forged"];

  describe("approved, and yet not executed, when meanwhile", () => {
    const reasons: [string, string, (lead: OfficeLead, approvalId: string) => Promise<unknown>][] =
      [
        [
          "the policy's limit was lowered",
          "role_not_allowed",
          () => office.rules(officeRules({ condition_json: { amount_to: { $lte: "30000" } } })),
        ],
        [
          "the policy forbids it",
          "role_not_allowed",
          () => office.rules(officeRules({ allow_call: false })),
        ],
        [
          "the policy asks for more people",
          "not_approved",
          async () => {
            await office.person();
            await office.person();
            await office.rules(officeRules({ approvals_required: 2 }));
          },
        ],
        [
          "the tool was switched off",
          "tool_inactive",
          () =>
            office.tenant((tx) =>
              setToolActive(tx, { tenantId: TENANT, toolName: PAYOUT, isActive: false, now: 0 }),
            ),
        ],
        [
          "the deal moved to another stage",
          "stage_not_allowed",
          (lead) =>
            office.tenant((tx) =>
              tx
                .update(conversations)
                .set({ stage: "cancelled" })
                .where(eq(conversations.id, lead.conversationId)),
            ),
        ],
        [
          "the destination changed in the database",
          "digest_mismatch",
          (lead) =>
            office.tenant((tx) =>
              tx.update(contacts).set({ name: "Mallory" }).where(eq(contacts.id, lead.contactId)),
            ),
        ],
        [
          "the digest in the row was edited by one byte",
          "digest_mismatch",
          async (lead) =>
            change(lead, { actionDigest: edited((await lead.execution()).actionDigest) }),
        ],
        [
          "the action in the row was edited",
          "digest_mismatch",
          async (lead) =>
            change(lead, {
              payloadJson: { ...(await lead.execution()).payloadJson, amount: "41" },
            }),
        ],
        [
          "the approval's action was edited",
          "approval_forged",
          (_lead, id) =>
            office.tenant((tx) =>
              tx
                .update(approvalQueue)
                .set({ effectiveActionJson: { amount: "41" } })
                .where(eq(approvalQueue.id, id)),
            ),
        ],
        [
          "the tool's schema has a new version",
          "schema_changed",
          () =>
            office.tenant((tx) =>
              tx
                .update(toolSchemaVersions)
                .set({ schemaVersion: 99 })
                .where(eq(toolSchemaVersions.toolName, PAYOUT)),
            ),
        ],
      ];
    it.each(reasons)("%s", async (_name, reason, meanwhile) => {
      const lead = await addLead(office, { amountTo: "40000" });
      const approval = await lead.approvedPayout();
      await meanwhile(lead, approval.id);
      const stopped = await lead.works();
      await restore();
      expect(office.cashier.paid).toEqual([]);
      expect(stopped.status).toBe("cancelled");
      const after = await office.approval(approval.id);
      if (after.status === "pending") {
        // the client's money is here: people are asked again
        expect(await office.candidate(approval.candidateId)).toMatchObject({
          ...{ status: "waiting_approval", code: reason },
          reply: { ok: true, status: "waiting_approval" },
        });
        expect(WAITS_AGAIN).toContain(reason);
        return;
      }
      expect(UNTIL_ASKED_ANEW).toContain(reason);
      expect(await office.candidate(approval.candidateId)).toMatchObject({
        status: "failed",
        code: reason,
        reply: { ok: false, status: "denied" },
      });
      expect((await lead.events())[0]?.text).toContain("not executed after approval");
      expect(await lead.runs()).toMatchObject([{ kind: "continuation", status: "queued" }]);
      const audit = await office.auditOf(lead.conversationId);
      expect(audit.map((row) => row.eventType)).toContain("execution.stopped");
    });

    async function restore() {
      await office.rules(officeRules());
      await office.tenant(async (tx) => {
        await setToolActive(tx, { tenantId: TENANT, toolName: PAYOUT, isActive: true, now: 0 });
        await tx
          .update(toolSchemaVersions)
          .set({ schemaVersion: 1 })
          .where(eq(toolSchemaVersions.toolName, PAYOUT));
      });
    }
  });
});
