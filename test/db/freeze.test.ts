import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { heedObjection } from "../../src/desk/freeze.ts";
import { unfreeze } from "../../src/desk/unfreeze.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { setExecution } from "../../src/store/executions.ts";
import { outbox } from "../../src/store/schema/chat.ts";
import { staffById } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";

const HOUR = 3_600_000;

forEachEngine((open) => {
  let office: Office;
  let operator: string;
  let lead: OfficeLead;
  beforeAll(async () => {
    office = await openOffice(open);
    operator = await office.person();
  });
  afterAll(() => office.close());
  beforeEach(async () => {
    lead = await addLead(office);
    await office.tenant((tx) => tx.delete(outbox).where(eq(outbox.purpose, "notice")));
  });

  /** As it comes in, before it is stored. */
  const says = (text: string, who: OfficeLead = lead) =>
    office.tenant((tx) => {
      const chatId = who.conversationId.replace("conversation", "chat");
      return heedObjection(tx, office.desk, { tenantId: TENANT, channelId: "tg", chatId, text });
    });
  const unfreezes = (approvalId: string, staffId: string | null) =>
    office.tenant(async (tx) => {
      const staff = staffId === null ? null : await staffById(tx, TENANT, staffId);
      return unfreeze(tx, office.desk, { tenantId: TENANT, approvalId, staff });
    });
  const shown = async (who: OfficeLead = lead) => {
    const edits = (await who.sent()).filter(({ purpose }) => purpose === "card_edit");
    const content = edits.at(-1)?.content;
    return content?.kind === "card_edit" ? content.card : null;
  };
  const lines = async () => {
    const rows = await office.tenant((tx) =>
      tx.select().from(outbox).where(eq(outbox.purpose, "notice")).orderBy(outbox.seq),
    );
    return rows.flatMap(({ content }) => (content.kind === "card" ? [content.card] : []));
  };
  const events = async () => {
    const audit = await office.auditOf(lead.conversationId);
    return audit.map(({ eventType }) => eventType).filter((type) => /frozen|taken_back/.test(type));
  };

  describe("an objection against what waits for a decision", () => {
    it("freezes it: it cannot be approved, and everybody is told why", async () => {
      const approval = await lead.asksPayout();
      await says("Стой, не отправляйте!");
      expect(await office.approval(approval.id)).toMatchObject({
        status: "frozen",
        frozenReason: "customer_objected",
        frozenAt: office.time.now,
      });
      const card = await shown();
      expect(JSON.stringify(card?.facts)).toContain("customer objected");
      expect(card?.buttons.map(({ label }) => label)).toEqual(["Unfreeze", "Reject"]);
      expect(await lines()).toMatchObject([
        {
          title: expect.stringMatching(/^✋ The client objects.*A-\d+/),
          clientSays: { text: "Стой, не отправляйте!" },
        },
      ]);
      const refused = await office.decides(approval.id, operator);
      expect(refused).toMatchObject({ accepted: false, code: "frozen" });
      expect(refused.message).toMatch(/is frozen: the client objected. Press Unfreeze first/);
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
      expect(await events()).toEqual(["approval.frozen"]);
    });

    it("the card and the line carry the client's wish, on one line and capped", async () => {
      const approval = await lead.asksPayout();
      await says(`I changed my mind:\nbring it to hotel Sunrise, ${"12 Palm Road ".repeat(60)}`);
      const start = /^I changed my mind: bring it to hotel Sunrise, 12 Palm Road/;
      const card = await shown();
      expect(card?.clientSays?.text).toMatch(start);
      expect(card?.clientSays?.text).not.toContain("\n");
      expect(card?.clientSays?.text.length).toBeLessThanOrEqual(400);
      expect((await lines())[0]?.clientSays?.text).toMatch(start);
      await says("stop, don't send it to the office");
      expect((await shown())?.clientSays?.text).toMatch(
        /^stop, don't send it to the office \/ I changed my mind: bring it/,
      );
      expect(await lines()).toHaveLength(1);
      await unfreezes(approval.id, operator);
      expect((await office.decides(approval.id, operator)).code).toBe("approved");
    });

    it("shows the model a call on hold and says so in a line", async () => {
      const approval = await lead.asksPayout();
      await says("stop, don't send");
      const { reply, status } = await office.candidate(approval.candidateId);
      expect([status, reply?.status, reply?.ok]).toEqual(["waiting_approval", "frozen", false]);
      expect((await lead.events()).at(-1)?.text).toMatch(
        /is now frozen, because the client objected/,
      );
    });

    it("ends when somebody of the staff lifts it, and only then can it be approved", async () => {
      const approval = await lead.asksPayout();
      await says("stop, don't send");
      expect(await unfreezes(approval.id, operator)).toMatch(/is open again/);
      expect(await office.approval(approval.id)).toMatchObject({
        status: "pending",
        frozenAt: null,
        frozenReason: null,
      });
      expect((await shown())?.buttons[0]?.label).toBe("Approve");
      expect(await events()).toEqual(["approval.frozen", "approval.unfrozen"]);
      expect((await office.decides(approval.id, operator)).code).toBe("approved");
    });

    it("leaves rejecting possible", async () => {
      const approval = await lead.asksPayout();
      await says("stop, don't send");
      const answer = await office.decides(approval.id, operator, { decision: "reject" });
      expect(answer.code).toBe("rejected");
    });

    it("is lifted by nobody but those who may decide", async () => {
      const approval = await lead.asksPayout();
      await says("stop, don't send");
      expect(await unfreezes(approval.id, null)).toMatch(/no right/);
      expect((await office.approval(approval.id)).status).toBe("frozen");
    });

    it("holds for the request that takes its place, too", async () => {
      await lead.asksPayout("40");
      await says("stop, don't send");
      const second = await lead.asksPayout("41");
      expect(second).toMatchObject({ status: "frozen", frozenReason: "customer_objected" });
      const again = await lead.asksPayout("41");
      expect(again.id).toBe(second.id);
    });

    it("is not heard in other words, and touches no other conversation", async () => {
      const approval = await lead.asksPayout();
      const other = await addLead(office);
      await says("Когда подойти?");
      await says("stop, don't send", other);
      expect((await office.approval(approval.id)).status).toBe("pending");
    });

    it("is told once, however often it is repeated", async () => {
      await lead.asksPayout();
      await says("stop");
      await says("stop!!!");
      expect(await lines()).toHaveLength(1);
      expect(await events()).toEqual(["approval.frozen"]);
    });
  });

  describe("an objection that the client takes back", () => {
    it("stands on the card, and the request stays frozen until the staff lift it", async () => {
      const approval = await lead.asksPayout();
      await says("stop, don't send");
      await says("sorry, go ahead");
      expect(await office.approval(approval.id)).toMatchObject({
        status: "frozen",
        frozenReason: "customer_took_back",
      });
      expect(JSON.stringify((await shown())?.facts)).toContain("took it back");
      expect((await office.decides(approval.id, operator)).code).toBe("frozen");
      expect(await unfreezes(approval.id, operator)).toMatch(/open again/);
      expect((await office.decides(approval.id, operator)).code).toBe("approved");
      expect(await events()).toEqual([
        "approval.frozen",
        "approval.taken_back",
        "approval.unfrozen",
      ]);
    });

    it("stands again when the client objects anew", async () => {
      const approval = await lead.asksPayout();
      await says("stop");
      await says("go ahead");
      await says("no, stop it");
      expect((await office.approval(approval.id)).frozenReason).toBe("customer_objected");
    });
  });

  describe("an objection against what is approved and not sent yet", () => {
    it("holds it: the worker leaves it alone, and it goes on once it is lifted", async () => {
      const approval = await lead.approvedPayout();
      await says("Стой, не отправляйте!");
      const paid = office.cashier.paid.length;
      expect(await lead.works()).toMatchObject({ status: "queued", attempts: 0 });
      expect(office.cashier.paid).toHaveLength(paid);
      expect((await office.decides(approval.id, operator)).code).toBe("frozen");
      expect(await unfreezes(approval.id, operator)).toMatch(/goes on: it was approved before/);
      expect(await lead.works()).toMatchObject({ status: "completed" });
      expect(office.cashier.paid).toHaveLength(paid + 1);
    });

    it("is ended by a rejection: nothing is sent, and its keys are free", async () => {
      const approval = await lead.approvedPayout();
      await says("stop, don't send");
      const other = await office.person();
      const answer = await office.decides(approval.id, other, { decision: "reject" });
      expect(answer.code).toBe("rejected");
      const paid = office.cashier.paid.length;
      expect(await lead.works()).toMatchObject({ status: "cancelled" });
      expect(office.cashier.paid).toHaveLength(paid);
      await lead.asksPayout("39");
      expect((await lead.approval()).status).toBe("pending");
    });

    it("holds what waits to be tried again", async () => {
      await lead.approvedPayout();
      office.cashier.next.push("retry");
      expect(await lead.works()).toMatchObject({ status: "retry_scheduled" });
      await says("stop, don't send");
      office.time.now += HOUR;
      expect(await lead.works()).toMatchObject({ status: "retry_scheduled", attempts: 1 });
    });
  });

  describe("an objection in the very moment", () => {
    const ROUNDS = 12;

    it("of the approval: it is frozen all the same, and nothing is sent", async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        lead = await addLead(office);
        const approval = await lead.asksPayout();
        const paid = office.cashier.paid.length;
        await Promise.all([office.decides(approval.id, operator), says("stop, don't send")]);
        expect((await office.approval(approval.id)).status).toBe("frozen");
        for (const { id } of await office.executionsOf(lead.conversationId)) {
          const signal = AbortSignal.timeout(20_000);
          await handleExecution(office.engine, { tenantId: TENANT, id }, signal);
        }
        expect(office.cashier.paid).toHaveLength(paid);
      }
    });

    it("of the dispatch: it is held and not sent, or sent and told to the operators", async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        lead = await addLead(office);
        const approval = await lead.approvedPayout();
        const paid = office.cashier.paid.length;
        const told = (await lines()).length;
        await Promise.all([lead.works(), says("stop, don't send")]);
        const { status } = await office.approval(approval.id);
        const wasSent = office.cashier.paid.length > paid;
        expect(status).toBe(wasSent ? "approved" : "frozen");
        const [line, ...more] = (await lines()).slice(told);
        expect(more).toEqual([]);
        expect(JSON.stringify(line)).toMatch(
          wasSent ? /under way or done/ : /nobody can approve it now/,
        );
      }
    });
  });

  describe("an objection that comes too late", () => {
    it("stops nothing that is under way, and the operators are told", async () => {
      const approval = await lead.approvedPayout();
      const { id } = await lead.execution();
      await office.tenant((tx) => setExecution(tx, { tenantId: TENANT, id, status: "running" }));
      await says("stop, don't send");
      expect((await office.approval(approval.id)).status).toBe("approved");
      expect((await lead.execution()).status).toBe("running");
      expect(await lines()).toMatchObject([
        {
          facts: [{ value: expect.stringMatching(/already approved and under way or done/) }],
          clientSays: { text: "stop, don't send" },
        },
      ]);
    });

    it("is told of what was just done, and not of what was done long ago", async () => {
      await lead.approvedPayout();
      await lead.works();
      await says("stop, don't send");
      expect(await lines()).toHaveLength(1);
      office.time.now += 2 * HOUR;
      await says("stop, don't send");
      expect(await lines()).toHaveLength(1);
    });
  });
});
