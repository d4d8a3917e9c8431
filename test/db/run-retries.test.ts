import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorLog } from "../../src/store/schema/runs.ts";
import {
  policyGateLog,
  toolCallCandidates,
  toolExecutionQueue,
  toolRetryLog,
} from "../../src/store/schema/tools.ts";
import type { ToolWork } from "../../src/tools/contract.ts";
import { failure } from "../../src/tools/runner.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";
import {
  asks,
  createScriptedModel,
  dueRun,
  inStock,
  playRun,
  type Shop,
  stockTool,
} from "../support/office-run.ts";

type Retry = Extract<ToolWork, { kind: "retry" }>;

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
  });
  afterAll(() => office.close());

  const busy =
    (over: Partial<Retry> = {}) =>
    (): ToolWork => ({
      ...{ kind: "retry", code: "PROVIDER_ERROR", failure: "unavailable", message: "closed" },
      ...{ afterMs: 0, ...over },
    });
  const slow = busy({ code: "TIMEOUT", failure: "timeout", message: "no answer" });

  async function plays() {
    const lead = await addLead(office);
    const id = await dueRun(office, lead);
    const run = await playRun(office, id);
    const rows = await office.tenant(async (tx) => ({
      calls: await tx.select().from(toolCallCandidates).where(eq(toolCallCandidates.runId, id)),
      executions: await tx
        .select()
        .from(toolExecutionQueue)
        .where(eq(toolExecutionQueue.runId, id)),
      retries: await tx
        .select()
        .from(toolRetryLog)
        .where(eq(toolRetryLog.runId, id))
        .orderBy(toolRetryLog.attempt),
      errors: await tx
        .select()
        .from(errorLog)
        .where(and(eq(errorLog.runId, id), eq(errorLog.component, "tool")))
        .orderBy(errorLog.attempt),
      gates: await tx.select().from(policyGateLog).where(eq(policyGateLog.runId, id)),
    }));
    return { run, lead, ...rows };
  }

  describe("a read that fails in passing", () => {
    it("is made again after a growing wait, as another attempt with rows of its own", async () => {
      steps.push(asks("tea"));
      shop.push(busy(), slow, inStock);
      const { run, calls, executions, retries, errors, gates } = await plays();
      expect(office.waits).toEqual([500, 1500]);
      expect(run).toMatchObject({ status: "completed", attempts: 3 });
      expect(calls).toMatchObject([{ status: "executed", reply: { ok: true } }]);
      expect(executions).toMatchObject([{ status: "completed", attempts: 3 }]);
      expect(retries).toMatchObject([
        { attempt: 1, retryReason: "unavailable" },
        { attempt: 2, retryReason: "timeout" },
      ]);
      expect(errors).toMatchObject([
        { attempt: 1, errorClass: "unavailable", retryable: true },
        { attempt: 2, errorClass: "timeout", errorCode: "TIMEOUT", retryable: true },
      ]);
      expect(gates.map(({ moment }) => moment).sort()).toEqual([
        "dispatch",
        "dispatch",
        "proposal",
      ]);
    });

    it("waits as long as the other side asked for", async () => {
      steps.push(asks("tea"));
      shop.push(busy({ code: "RATE_LIMITED", failure: "rate_limited", afterMs: 4_000 }));
      expect((await plays()).run.attempts).toBe(2);
      expect(office.waits).toEqual([4_000]);
    });

    it("is given up when that is longer than what is left: the model is told which it was", async () => {
      steps.push(asks("tea"));
      shop.push(busy({ code: "RATE_LIMITED", failure: "rate_limited", afterMs: 50_000 }));
      const { run, calls, errors } = await plays();
      expect(office.waits).toEqual([]);
      expect(run).toMatchObject({ status: "completed", attempts: 1 });
      expect(calls).toMatchObject([
        { status: "failed", code: "RATE_LIMITED", reply: { ok: false } },
      ]);
      expect(errors).toMatchObject([{ errorClass: "rate_limited", attempt: 1 }]);
    });

    it("is made three times at most, and then the model is told", async () => {
      steps.push(asks("tea"));
      shop.push(slow, slow, slow, inStock);
      const { run, calls, executions, errors } = await plays();
      expect(run.attempts).toBe(3);
      expect(calls).toMatchObject([{ status: "failed", code: "TIMEOUT" }]);
      expect(executions).toMatchObject([{ status: "failed", attempts: 3 }]);
      expect(errors.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      expect(asked).toHaveLength(2);
    });

    it("writes what it is to end with when it is not made again", async () => {
      steps.push(asks("tea"));
      const ended = { kind: "result" as const, result: failure("NOT_FOUND", "sold out") };
      shop.push(busy({ afterMs: 60_000, instead: ended }));
      expect((await plays()).calls).toMatchObject([{ status: "failed", code: "NOT_FOUND" }]);
    });

    it("leaves the results of the calls beside it alone", async () => {
      steps.push(asks("tea", "milk"));
      shop.push(busy(), inStock, inStock);
      const { run, calls, executions } = await plays();
      expect(run.attempts).toBe(3);
      expect(calls.map(({ status }) => status)).toEqual(["executed", "executed"]);
      expect(executions.map(({ attempts }) => attempts).sort()).toEqual([1, 2]);
    });

    it("shares the run's six attempts with all of its calls", async () => {
      steps.push(asks("a", "b", "c", "d"));
      shop.push(slow, slow, slow, slow, slow, slow);
      const { run, calls } = await plays();
      expect(run.attempts).toBe(6);
      expect(calls.map(({ status }) => status)).toContain("failed");
      expect(shop).toEqual([]);
    });
  });

  describe("a read that fails for good", () => {
    it.each([
      ["the provider's no", () => ({ kind: "result", result: failure("NOT_FOUND", "no such") })],
      ["a bug", () => Promise.reject(new TypeError("x is undefined"))],
      ["a refusal to let us in", busy({ code: "PERMISSION_DENIED", failure: undefined })],
    ] as [string, Shop[number]][])("is not made again: %s", async (_, work) => {
      steps.push(asks("tea"));
      shop.push(work);
      const { run, calls, retries } = await plays();
      expect(run).toMatchObject({ status: "completed", attempts: 1 });
      expect(calls).toMatchObject([{ status: "failed" }]);
      expect(retries).toEqual([]);
      expect(office.waits).toEqual([]);
    });
  });
});
