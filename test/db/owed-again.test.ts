import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { handleApproval } from "../../src/desk/approval-steps.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { handoffs, outbox } from "../../src/store/schema/chat.ts";
import { toolSchemaVersions } from "../../src/store/schema/tools.ts";
import { setToolActive } from "../../src/store/tool-registry.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";

const PAYOUT = "issue_exchange_payout";
const HALF_HOUR = 1_800_000;

forEachEngine((open) => {
  let office: Office;
  let alice: string;
  let bob: string;
  beforeAll(async () => {
    office = await openOffice(open);
    [alice, bob] = [await office.person(), await office.person()];
  });
  afterAll(() => office.close());

  const switches = (isActive: boolean) =>
    office.tenant((tx) =>
      setToolActive(tx, { tenantId: TENANT, toolName: PAYOUT, isActive, now: office.time.now }),
    );
  const ruled = (over: Partial<PolicyRow>) => office.rules(officeRules(over));
  const paidLead = () => addLead(office, { amountTo: "40000" });
  const statusOf = async (id: string) => (await office.approval(id)).status;
  const paidFor = (id: string) => office.cashier.paid.filter(({ key }) => key === id).length;
  const notices = async () => {
    const rows = await office.tenant((tx) =>
      tx.select().from(outbox).where(eq(outbox.purpose, "notice")).orderBy(outbox.seq),
    );
    return rows.flatMap(({ content, chatId }) =>
      content.kind === "text" && chatId === "-100" ? [content.text] : [],
    );
  };
  const shown = async (lead: OfficeLead) => {
    const content = (await lead.sent()).findLast(({ purpose }) => purpose === "card_edit")?.content;
    return content?.kind === "card_edit" ? content.card : null;
  };
  const setVersion = (schemaVersion: number) =>
    office.tenant((tx) =>
      tx
        .update(toolSchemaVersions)
        .set({ schemaVersion })
        .where(eq(toolSchemaVersions.toolName, PAYOUT)),
    );

  describe("a press that the gate would bring to nothing", () => {
    const hindrances: [string, RegExp, () => Promise<unknown>, () => Promise<unknown>][] = [
      [
        "the tool is switched off",
        /its tool is switched off.*\/tool on.*waits on/,
        () => switches(false),
        () => switches(true),
      ],
      [
        "the rules forbid it",
        /the rules do not allow it now/,
        () => ruled({ allow_call: false }),
        () => ruled({}),
      ],
      [
        "the rules ask for more people than there are",
        /the rules ask for more people than there are/,
        () => ruled({ approvals_required: 5 }),
        () => ruled({}),
      ],
    ];
    it.each(hindrances)("decides nothing: %s", async (_name, said, hinder, mend) => {
      const lead = await paidLead();
      const approval = await lead.asksPayout();
      await hinder();
      const refused = await office.decides(approval.id, alice);
      expect(refused).toMatchObject({ accepted: false, code: "gate_refuses" });
      expect(refused.message).toMatch(said);
      expect(await statusOf(approval.id)).toBe("pending");
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
      expect((await office.auditOf(lead.conversationId)).at(-1)).toMatchObject({
        ...{ eventType: "approval.refused", decision: "gate_refuses" },
      });
      await mend();
      expect(await office.decides(approval.id, alice)).toMatchObject({ code: "approved" });
      await lead.works();
      expect(paidFor(approval.id)).toBe(1);
    });

    it("rejecting goes on", async () => {
      const approval = await (await paidLead()).asksPayout();
      await switches(false);
      const rejected = await office.decides(approval.id, alice, { decision: "reject" });
      await switches(true);
      expect(rejected).toMatchObject({ accepted: true, code: "rejected" });
    });

    it("rules that ask for another person by now have that one asked, too", async () => {
      const lead = await paidLead();
      const approval = await lead.asksPayout();
      await ruled({ approvals_required: 2 });
      expect(await office.decides(approval.id, alice)).toMatchObject({ code: "counted" });
      expect((await shown(lead))?.footer.join()).toContain("1/2");
      expect(await office.decides(approval.id, bob)).toMatchObject({ code: "approved" });
      await lead.works();
      await ruled({});
      expect(paidFor(approval.id)).toBe(1);
    });

    it("rules that ask for an admin by now let no operator grant it", async () => {
      const approval = await (await paidLead()).asksPayout();
      const admin = await office.person("admin");
      await ruled({ approver_role: "admin" });
      expect(await office.decides(approval.id, alice)).toMatchObject({ code: "forbidden" });
      expect(await office.decides(approval.id, admin)).toMatchObject({ code: "approved" });
      await ruled({});
    });
  });

  describe("a payout that the gate stops after the vote, while the money is owed", () => {
    const stopped = async () => {
      const lead = await paidLead();
      const approval = await lead.asksPayout();
      await office.decides(approval.id, alice);
      await switches(false);
      await lead.works();
      return { lead, approval };
    };

    it("waits for people again, as a liability with reminders, and is told to them", async () => {
      const { lead, approval } = await stopped();
      const again = await office.approval(approval.id);
      expect(again).toMatchObject({
        ...{ status: "pending", approver: null, decidedVia: null, decidedAt: null },
        ...{ expiresAt: null, effectiveActionJson: null },
        nextStepAt: office.time.now + HALF_HOUR,
      });
      expect((await shown(lead))?.buttons.map(({ label }) => label)[0]).toBe("Approve");
      expect((await notices()).at(-1)).toMatch(
        /^A-\d+: Approved by operator .*, and not executed: the tool is switched off\..*press Approve/,
      );
      expect(await lead.runs()).toEqual([]); // nothing is told as an outcome
      office.time.now += HALF_HOUR;
      await handleApproval(office.desk, { tenantId: TENANT, id: approval.id });
      expect((await notices()).at(-1)).toMatch(
        new RegExp(`Still waiting.*A-${approval.number} .*a client's money is here`),
      );
      await switches(true);
    });

    it("is paid once after it was approved anew, by whomever", async () => {
      const { lead, approval } = await stopped();
      await lead.works();
      expect(paidFor(approval.id)).toBe(0);
      expect(await office.decides(approval.id, alice)).toMatchObject({ code: "gate_refuses" });
      await switches(true);
      await lead.works();
      expect(paidFor(approval.id)).toBe(0); // the first vote counts no more
      expect(await office.decides(approval.id, alice)).toMatchObject({ code: "approved" });
      await lead.works();
      await lead.works();
      expect(paidFor(approval.id)).toBe(1);
      expect(await office.executionsOf(lead.conversationId)).toMatchObject([
        { status: "completed" },
      ]);
      expect(await statusOf(approval.id)).toBe("approved");
    });

    it("can be rejected then", async () => {
      const { lead, approval } = await stopped();
      const rejected = await office.decides(approval.id, bob, { decision: "reject" });
      await switches(true);
      await lead.works();
      expect(rejected).toMatchObject({ code: "rejected" });
      expect(paidFor(approval.id)).toBe(0);
    });

    it("calls for a person when it cannot be had in that shape any more", async () => {
      const lead = await paidLead();
      const approval = await lead.asksPayout();
      await office.decides(approval.id, alice);
      await setVersion(99);
      await lead.works();
      await setVersion(1);
      expect(await statusOf(approval.id)).toBe("approved");
      const open = await office.tenant((tx) =>
        tx.select().from(handoffs).where(eq(handoffs.conversationId, lead.conversationId)),
      );
      expect(open).toMatchObject([{ reason: "payout_review", status: "open" }]);
      expect(open[0]?.summary).toMatch(/could not be carried out; the client's money is here/);
    });
  });

  it("what is owed to nobody ends as before", async () => {
    const lead = await addLead(office); // no order was paid
    const approval = await lead.asksPayout();
    await office.decides(approval.id, alice);
    await switches(false);
    await lead.works();
    await switches(true);
    expect(await statusOf(approval.id)).toBe("approved");
    expect(await office.candidate(approval.candidateId)).toMatchObject({
      ...{ status: "failed", code: "tool_inactive" },
    });
  });
});
