import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setApproval } from "../../src/store/approvals.ts";
import { approvalQueue, approvalVotes } from "../../src/store/schema/approvals.ts";
import { updateStaff } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";

/** Every way in which three people may answer. */
const ORDERS = (["approve", "reject"] as const).flatMap((first) =>
  (["approve", "reject"] as const).flatMap((second) =>
    (["approve", "reject"] as const).map((third) => [first, second, third] as const),
  ),
);

forEachEngine((open) => {
  let office: Office;
  let operator: string;
  let other: string;
  let admin: string;
  beforeAll(async () => {
    office = await openOffice(open);
    operator = await office.person();
    other = await office.person();
    admin = await office.person("admin");
  });
  afterAll(() => office.close());

  describe("one approval, many decisions at once", () => {
    const race = async (round: number) => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      const decisions = [operator, other, admin].map((staffId, index) =>
        office.decides(approval.id, staffId, {
          decision: ORDERS[round % ORDERS.length]?.[index] ?? "approve",
          via: index === 0 ? "slack" : "telegram",
        }),
      );
      const answers = await Promise.all(decisions);
      const accepted = answers.filter((answer) => answer.accepted);
      expect(accepted).toHaveLength(1);
      const decided = await office.approval(approval.id);
      expect(decided.status).toBe(accepted[0]?.code);
      const executions = await office.executionsOf(lead.conversationId);
      expect(executions).toHaveLength(decided.status === "approved" ? 1 : 0);
    };

    it("has one decision and one execution at most, in 200 races", async () => {
      // one connection puts the decisions in a row: there every order is tried once
      const races = office.database.kind === "postgres" ? 200 : ORDERS.length;
      for (let round = 0; round < races; round += 5)
        await Promise.all([0, 1, 2, 3, 4].map((step) => race(round + step)));
    });

    it("tells the loser who decided, and writes the refusal down", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      await office.decides(approval.id, operator, { decision: "reject" });
      const late = await office.decides(approval.id, other);
      expect(late).toMatchObject({ accepted: false, code: "already_decided" });
      expect(late.message).toMatch(/operator/);
      const audit = await office.auditOf(lead.conversationId);
      expect(audit.filter((row) => row.eventType === "approval.refused")).toMatchObject([
        { userId: other, decision: "already_decided" },
      ]);
    });

    it("is the same after the same person presses twice", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      expect((await office.decides(approval.id, operator)).code).toBe("approved");
      expect((await office.decides(approval.id, operator)).code).toBe("already_decided");
      expect(await office.executionsOf(lead.conversationId)).toHaveLength(1);
    });
  });

  describe("who may decide", () => {
    it("nobody whom the tenant does not know", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      expect((await office.decides(approval.id, null)).code).toBe("forbidden");
      expect((await office.decides(approval.id, "no-such-person")).code).toBe("forbidden");
      expect((await office.approval(approval.id)).status).toBe("pending");
    });

    it("not a suspended person", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      const gone = await office.person();
      const change = { status: "suspended" as const };
      await office.tenant((tx) => updateStaff(tx, { tenantId: TENANT, staffId: gone }, change));
      expect((await office.decides(approval.id, gone)).code).toBe("forbidden");
    });

    it("not the staff member whose own account asked as a client", async () => {
      const own = { messenger: "telegram" as const, teamId: "", userId: "777" };
      const maker = await office.person("operator", [own]);
      const lead = await addLead(office, { userId: "777" });
      const approval = await lead.asksPayout();
      expect((await office.decides(approval.id, maker)).code).toBe("forbidden");
      expect((await office.decides(approval.id, maker, { decision: "reject" })).code).toBe(
        "forbidden",
      );
      expect((await office.decides(approval.id, operator)).code).toBe("approved");
    });

    it("not the staff member who proposed it", async () => {
      const lead = await addLead(office);
      const args = JSON.stringify({ amount: "40", order: lead.order });
      const proposal = { name: "issue_exchange_payout", arguments: args };
      await lead.proposes([proposal], { source: "desk", maker: operator, messageId: null });
      const approval = await lead.approval();
      expect((await office.decides(approval.id, operator)).code).toBe("forbidden");
    });

    it("only an admin where the policy asks for one", async () => {
      await office.rules(officeRules({ approver_role: "admin" }));
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      await office.rules(officeRules());
      expect((await office.decides(approval.id, operator)).code).toBe("forbidden");
      expect((await office.decides(approval.id, admin)).code).toBe("approved");
    });

    it("nobody of another tenant's approval", async () => {
      expect((await office.decides("no-such-approval", operator)).code).toBe("not_found");
    });
  });

  describe("an approval that is over", () => {
    it("takes no decision after its time, even before anybody noticed", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      await office.tenant((tx) =>
        tx
          .update(approvalQueue)
          .set({ expiresAt: office.time.now })
          .where(eq(approvalQueue.id, approval.id)),
      );
      expect((await office.decides(approval.id, operator)).code).toBe("already_decided");
      await office.tenant((tx) =>
        setApproval(tx, { tenantId: TENANT, id: approval.id, status: "expired" }),
      );
      expect((await office.decides(approval.id, operator)).code).toBe("already_decided");
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
    });

    it("takes none when a newer request took its place", async () => {
      const lead = await addLead(office);
      const first = await lead.asksPayout("40");
      const second = await lead.asksPayout("41");
      expect(second.id).not.toBe(first.id);
      expect((await office.decides(first.id, operator)).code).toBe("already_decided");
      expect((await office.decides(second.id, operator)).code).toBe("approved");
    });
  });

  describe("two of three must approve", () => {
    const ask = async () => {
      await office.rules(officeRules({ approvals_required: 2 }));
      const lead = await addLead(office);
      return { lead, approval: await lead.asksPayout() };
    };

    it("one person's no takes the place of the same person's yes", async () => {
      const { approval } = await ask();
      await office.decides(approval.id, operator);
      const rejected = await office.decides(approval.id, operator, { decision: "reject" });
      expect(rejected).toMatchObject({ accepted: true, code: "rejected" });
      const votes = await office.tenant((tx) =>
        tx.select().from(approvalVotes).where(eq(approvalVotes.approvalId, approval.id)),
      );
      const told = votes.map(({ decision, voidedAt }) => [decision, voidedAt !== null]);
      expect(told.sort()).toEqual([
        ["approve", true],
        ["reject", false],
      ]);
    });

    it("so one person who presses twice counts once, whatever the messenger", async () => {
      const { lead, approval } = await ask();
      expect((await office.decides(approval.id, operator, { via: "slack" })).code).toBe("counted");
      const again = await office.decides(approval.id, operator, { via: "telegram" });
      expect(again).toMatchObject({ accepted: false, code: "voted_before" });
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
      expect((await office.decides(approval.id, other)).code).toBe("approved");
      expect(await office.executionsOf(lead.conversationId)).toHaveLength(1);
    });

    it("and the card counts the votes", async () => {
      const { lead, approval } = await ask();
      await office.decides(approval.id, operator);
      const shown = (await lead.sent()).filter((row) => row.purpose === "card_edit");
      expect(JSON.stringify(shown.at(-1)?.content)).toContain("1/2");
    });

    it("one rejection ends it, also after an approving vote", async () => {
      const { lead, approval } = await ask();
      await office.decides(approval.id, operator);
      expect((await office.decides(approval.id, other, { decision: "reject" })).code).toBe(
        "rejected",
      );
      expect((await office.decides(approval.id, admin)).code).toBe("already_decided");
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
    });

    it("the vote of a person who is suspended meanwhile does not count", async () => {
      const { lead, approval } = await ask();
      const leaving = await office.person();
      await office.decides(approval.id, leaving);
      const change = { status: "suspended" as const };
      await office.tenant((tx) => updateStaff(tx, { tenantId: TENANT, staffId: leaving }, change));
      expect((await office.decides(approval.id, operator)).code).toBe("counted");
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
    });
  });
});
