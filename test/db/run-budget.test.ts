import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorLog, runs } from "../../src/store/schema/runs.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import {
  toolCallCandidates,
  toolExecutionQueue,
  toolResultLog,
} from "../../src/store/schema/tools.ts";
import type { ToolCall } from "../../src/tools/contract.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";
import {
  asks,
  createScriptedModel,
  dueRun,
  inStock,
  loseWorker,
  playRun,
  runById,
  type Shop,
  stockTool,
} from "../support/office-run.ts";

forEachEngine((open) => {
  const { model, steps, asked } = createScriptedModel();
  const shop: Shop = [];
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open, model, () => [stockTool(shop)]);
    await office.rules([...officeRules(), rule("ask_stock")]);
    await office.person();
  });
  beforeEach(() => {
    for (const list of [steps, asked, shop, office.waits]) list.length = 0;
    office.prices.model = null;
  });
  afterAll(() => office.close());

  const due = async (over: Partial<typeof runs.$inferInsert> = {}) =>
    dueRun(office, await addLead(office), over);
  const change = (id: string, set: Partial<typeof runs.$inferInsert>) =>
    office.tenant((tx) => tx.update(runs).set(set).where(eq(runs.id, id)));
  const executionsOf = (id: string) =>
    office.tenant((tx) =>
      tx.select().from(toolExecutionQueue).where(eq(toolExecutionQueue.runId, id)),
    );
  const callsOf = (id: string) =>
    office.tenant((tx) =>
      tx.select().from(toolCallCandidates).where(eq(toolCallCandidates.runId, id)),
    );
  const takenByAnother = (id: string) =>
    change(id, { leaseToken: "another", leaseUntil: office.time.real + 15_000 });

  /** A run whose worker died while its call was under way; its lease is over. */
  async function leftRun(over: Partial<typeof runs.$inferInsert> = {}) {
    const id = await due();
    steps.push(asks("tea"));
    await loseWorker(office, shop, id);
    await change(id, over);
    return id;
  }

  describe("attempts, cost and time of a run", () => {
    it("are written before a call is sent", async () => {
      office.prices.model = { input: "2", output: "8" };
      const id = await due();
      const pass = (ms: number) => () => {
        office.time.real += ms;
      };
      const tokens = { input: 1_000, output: 500 };
      steps.push({ ...asks("tea", "milk"), tokens, meanwhile: pass(3_000) });
      const seen: unknown[] = [];
      const look = async (call: ToolCall) => {
        const [row] = await call.read((tx) => tx.select().from(runs).where(eq(runs.id, id)));
        seen.push({ attempts: row?.attempts, spent: row?.spent, activeMs: row?.activeMs });
        return inStock(call);
      };
      shop.push(look, look);
      await playRun(office, id);
      // 1000 × 2 + 500 × 8 USD a million
      const written = { attempts: 2, spent: "0.006", activeMs: 3_000 };
      expect(seen).toEqual([written, written]);
    });

    it("are gone on with by another worker: a kill gives nothing back", async () => {
      const id = await leftRun({ attempts: 3, activeMs: 40_000, spent: "0.5" });
      expect(await executionsOf(id)).toMatchObject([{ status: "running", attempts: 1 }]);
      const run = await playRun(office, id);
      expect(run).toMatchObject({ status: "completed", attempts: 4, restarts: 1, spent: "0.5" });
      expect(run.activeMs).toBeGreaterThanOrEqual(40_000);
      expect(asked.at(-1)?.timeoutMs).toBe(5_000);
      expect(await executionsOf(id)).toMatchObject([{ status: "completed", attempts: 2 }]);
    });

    it("all used when the worker was lost: the call is not made once more", async () => {
      const id = await leftRun({ attempts: 6 });
      const run = await playRun(office, id);
      expect(run).toMatchObject({ status: "completed", attempts: 6 });
      expect(await executionsOf(id)).toMatchObject([{ status: "cancelled", attempts: 1 }]);
      expect(await callsOf(id)).toMatchObject([
        { status: "blocked_by_policy", code: "budget_exhausted" },
      ]);
    });

    it("over: no model is asked any more, the lead is told, and the log says why", async () => {
      const id = await due({ activeMs: 45_000 });
      expect(await playRun(office, id)).toMatchObject({ status: "exhausted" });
      expect(asked).toEqual([]);
      const errors = await office.tenant((tx) =>
        tx.select().from(errorLog).where(eq(errorLog.runId, id)),
      );
      expect(errors).toMatchObject([
        { component: "run", errorClass: "budget_spent", errorCode: "EXHAUSTED", retryable: false },
      ]);
    });
  });

  describe("the deadline", () => {
    const slowAnswer = (text: string) => ({
      text,
      meanwhile: () => {
        office.time.real += 46_000;
      },
    });

    it("limits each model call to what is left", async () => {
      const id = await due({ activeMs: 44_000 });
      await playRun(office, id);
      expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([1_000]);
    });

    it("covers the repair of a draft: without time there is none", async () => {
      const id = await due();
      steps.push(slowAnswer("The rate is 31.5 today."));
      await playRun(office, id);
      expect(asked).toHaveLength(1);
    });

    it("covers repeats: a call is not tried again after it", async () => {
      const id = await due();
      steps.push(asks("tea"));
      shop.push(() => {
        office.time.real += 46_000;
        return { kind: "retry", code: "TIMEOUT", message: "late", afterMs: 0 };
      });
      expect(await playRun(office, id)).toMatchObject({ status: "exhausted", attempts: 1 });
      expect(office.waits).toEqual([]);
    });

    it("is that of a call, too: a tool that does not end holds nobody up", async () => {
      const id = await due({ activeMs: 44_950 });
      steps.push(asks("tea"));
      shop.push(() => new Promise(() => {}));
      const run = await playRun(office, id);
      expect(await callsOf(id)).toMatchObject([{ status: "failed", code: "TIMEOUT" }]);
      expect(run.attempts).toBe(1);
    });
  });

  describe("what comes too late", () => {
    it("as an answer of the model: nothing is proposed under a lost lease", async () => {
      const id = await due();
      steps.push({ ...asks("tea"), meanwhile: () => takenByAnother(id).then(() => {}) });
      await playRun(office, id);
      expect(await callsOf(id)).toEqual([]);
      expect(await runById(office, id)).toMatchObject({ status: "running", attempts: 0 });
    });

    it("as a result: it is left to the worker that has the run now", async () => {
      const id = await due();
      steps.push(asks("tea"));
      shop.push(async (call) => {
        await takenByAnother(id);
        return inStock(call);
      });
      await playRun(office, id);
      expect(await executionsOf(id)).toMatchObject([{ status: "running" }]);
      expect(await callsOf(id)).toMatchObject([{ status: "queued" }]);
    });

    it("of a call that is not under way: it is rejected, and the trail says so", async () => {
      const id = await due();
      steps.push(asks("tea", "milk"));
      shop.push(async (call) => {
        const own = eq(toolExecutionQueue.id, call.executionId);
        await office.tenant((tx) =>
          tx.update(toolExecutionQueue).set({ status: "cancelled" }).where(own),
        );
        return inStock(call);
      }, inStock);
      await playRun(office, id);
      const [cancelled, done] = await executionsOf(id);
      expect([cancelled?.status, done?.status].sort()).toEqual(["cancelled", "completed"]);
      const results = await office.tenant((tx) =>
        tx.select().from(toolResultLog).where(eq(toolResultLog.runId, id)),
      );
      expect(results).toHaveLength(1);
      const trail = await office.tenant((tx) =>
        tx.select().from(auditLog).where(eq(auditLog.runId, id)),
      );
      expect(trail.filter(({ eventType }) => eventType === "result.rejected")).toHaveLength(1);
      expect(trail[0]?.tenantId).toBe(TENANT);
    });
  });
});
