import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { conversations } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { toolCallCandidates, toolExecutionQueue } from "../../src/store/schema/tools.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";
import {
  asks,
  createScriptedModel,
  dueRun,
  loseWorker,
  playRun,
  type Shop,
  stockTool,
} from "../support/office-run.ts";

forEachEngine((open) => {
  const { model, steps, asked } = createScriptedModel();
  const shop: Shop = [];
  let office: Office;
  let lead: OfficeLead;
  beforeAll(async () => {
    office = await openOffice(open, model, () => [stockTool(shop)]);
    await office.person();
  });
  beforeEach(async () => {
    for (const list of [steps, asked, shop, office.waits]) list.length = 0;
    await office.rules([...officeRules(), rule("ask_stock")]);
    lead = await addLead(office);
  });
  afterAll(() => office.close());

  async function leftRun(...items: string[]): Promise<string> {
    const id = await dueRun(office, lead);
    steps.push(asks(...items));
    await loseWorker(office, shop, id);
    asked.length = 0;
    return id;
  }

  /** Every call of the run, with how often its result was returned. */
  async function ends(id: string) {
    const [calls, executions, audit] = await office.tenant(async (tx) => [
      await tx
        .select()
        .from(toolCallCandidates)
        .where(eq(toolCallCandidates.runId, id))
        .orderBy(toolCallCandidates.ordinal),
      await tx.select().from(toolExecutionQueue).where(eq(toolExecutionQueue.runId, id)),
      await tx.select().from(auditLog).where(eq(auditLog.runId, id)),
    ]);
    const returned = audit.filter(({ eventType }) => eventType === "result.returned");
    return {
      calls: calls.map((call) => ({
        status: call.status,
        told: call.reply?.status,
        settled: call.settledAt !== null,
        returned: returned.filter(({ candidateId }) => candidateId === call.id).length,
      })),
      executions: executions.map(({ status }) => status),
    };
  }
  const change = (id: string, set: Partial<typeof runs.$inferInsert>) =>
    office.tenant((tx) => tx.update(runs).set(set).where(eq(runs.id, id)));
  const failed = { status: "failed", told: "failed", settled: true, returned: 1 };
  const executed = { status: "executed", told: "completed", settled: true, returned: 1 };

  describe("calls whose worker was lost", () => {
    it("are all answered when the run is given up", async () => {
      const id = await leftRun("tea", "milk");
      await change(id, { restarts: 2 });
      expect(await playRun(office, id)).toMatchObject({ status: "failed" });
      expect(await ends(id)).toEqual({
        calls: [failed, failed],
        executions: ["cancelled", "cancelled"],
      });
    });

    it("are all answered when a person has taken the conversation over", async () => {
      const id = await leftRun("tea");
      await office.tenant((tx) =>
        tx
          .update(conversations)
          .set({ mode: "operator" })
          .where(eq(conversations.id, lead.conversationId)),
      );
      expect(await playRun(office, id)).toMatchObject({ status: "superseded" });
      expect(await ends(id)).toEqual({ calls: [failed], executions: ["cancelled"] });
    });

    it("and that stood twice in one answer are made once more, for both", async () => {
      const id = await leftRun("tea", "milk", "tea");
      await playRun(office, id);
      const { calls, executions } = await ends(id);
      expect(calls).toEqual([executed, executed, executed]);
      expect(executions).toEqual(["completed", "completed"]);
      expect(JSON.stringify(asked[0]?.messages)).not.toContain("being run");
    });

    it("and that the rules refuse by now are refused, both that stood for one", async () => {
      const id = await leftRun("tea", "tea");
      await office.rules(officeRules());
      await playRun(office, id);
      const refused = { status: "blocked_by_policy", told: "denied", settled: true, returned: 1 };
      expect(await ends(id)).toEqual({ calls: [refused, refused], executions: ["cancelled"] });
    });
  });

  it("a call after the answer of a run that was given up may be made again by the next run", async () => {
    const id = await leftRun("tea");
    await change(id, { restarts: 2 });
    await playRun(office, id);
    const next = await dueRun(office, lead);
    steps.push(asks("tea"));
    await playRun(office, next);
    expect((await ends(next)).calls).toEqual([executed]);
    expect(
      await office.tenant((tx) => tx.select().from(runs).where(eq(runs.id, next))),
    ).toMatchObject([{ tenantId: TENANT, status: "completed" }]);
  });
});
