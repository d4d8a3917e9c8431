import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDispatch } from "../../src/engine/dispatch.ts";
import { NO_PRICES } from "../../src/engine/prices.ts";
import { settleWork } from "../../src/engine/settle.ts";
import { outsideCallsOf } from "../../src/store/outside-calls.ts";
import { costSums } from "../../src/store/quality-usage.ts";
import { costLog, errorLog, latencyLog } from "../../src/store/schema/runs.ts";
import { toolResultLog } from "../../src/store/schema/tools.ts";
import type { ToolCall, ToolWork } from "../../src/tools/contract.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "../support/office.ts";
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

const MODEL_PRICE = { input: "2", output: "8" };
const PRICES = { outside: new Map([["shop", "0.25"]]) };

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
    for (const list of [office.cashier.next, office.cashier.lookUps, office.cashier.paid])
      list.length = 0;
    office.prices.model = null;
    office.engine.prices = NO_PRICES;
    office.time.now += 3_600_000;
  });
  afterAll(() => office.close());

  /** One request to the shop that takes a second. */
  const overTheLine = (call: ToolCall, status: number | null): void => {
    const asked = { provider: "shop", method: "GET", endpoint: "/stock/{item}", body: "tea" };
    const tell = call.outside.begin(asked);
    office.time.real += 1_000;
    if (status !== null) tell({ status, body: "{}" });
  };
  const sells = (call: ToolCall): ToolWork => {
    overTheLine(call, 200);
    return inStock(call);
  };
  const isDown = (call: ToolCall): ToolWork => {
    overTheLine(call, null);
    return { kind: "retry", code: "PROVIDER_ERROR", failure: "network", message: "-", afterMs: 0 };
  };
  async function plays(over: Parameters<typeof dueRun>[2] = {}) {
    const id = await dueRun(office, await addLead(office), over);
    return playRun(office, id);
  }
  const latenciesOf = (runId: string) =>
    office.tenant((tx) =>
      tx.select().from(latencyLog).where(eq(latencyLog.runId, runId)).orderBy(latencyLog.component),
    );
  const costsOf = (runId: string) =>
    office.tenant((tx) =>
      tx.select().from(costLog).where(eq(costLog.runId, runId)).orderBy(costLog.id),
    );
  const errorsOf = (executionId: string) =>
    office.tenant((tx) =>
      tx.select().from(errorLog).where(eq(errorLog.executionId, executionId)).orderBy(errorLog.id),
    );
  const askedFor = (executionId: string) =>
    office.tenant((tx) => outsideCallsOf(tx, { tenantId: TENANT, executionIds: [executionId] }));
  const costs = () =>
    office.tenant((tx) => costSums(tx, { tenantId: TENANT, since: office.time.now }));

  describe("a turn", () => {
    it("leaves how long queue, model and tool took", async () => {
      steps.push(asks("tea"));
      shop.push(sells);
      const { id } = await plays({ dueAt: office.time.now - 700 });
      expect(await latenciesOf(id)).toMatchObject([
        { component: "model", operation: "reply", latencyMs: 100 },
        { component: "model", operation: "reply", latencyMs: 100 },
        { component: "queue", operation: "run", latencyMs: 700 },
        { component: "tool", operation: "ask_stock", latencyMs: 1_000 },
      ]);
    });

    it("leaves each request outside, bound to its execution and to the id that came back", async () => {
      steps.push(asks("tea"));
      shop.push(isDown, sells);
      const { id } = await plays();
      const [result] = await office.tenant((tx) =>
        tx.select().from(toolResultLog).where(eq(toolResultLog.runId, id)),
      );
      expect(result).toMatchObject({ externalId: "S-1", status: "completed" });
      const requests = await askedFor(result?.executionId ?? "");
      expect(requests).toMatchObject([
        { provider: "shop", method: "GET", endpoint: "/stock/{item}", responseStatus: null },
        { runId: id, toolName: "ask_stock", responseStatus: 200, latencyMs: 1_000 },
      ]);
      expect(requests.map(({ responseHash }) => responseHash !== null)).toEqual([false, true]);
    });

    it("costs nothing that is not known: without prices there are tokens alone", async () => {
      steps.push({ ...asks("tea"), tokens: { input: 10, output: 10 } });
      shop.push(sells);
      const { id, spent } = await plays();
      expect(await costsOf(id)).toEqual([]);
      expect(spent).toBe("0");
    });

    it("leaves what model and services cost, and which of it was for repeats", async () => {
      office.prices.model = MODEL_PRICE;
      office.engine.prices = PRICES;
      const tokens = { input: 1_000, output: 500 };
      steps.push({ ...asks("tea"), tokens }, { tokens });
      shop.push(isDown, sells);
      const { id, spent } = await plays();
      const costs = (await costsOf(id)).map(({ costType, amount }) => `${costType} ${amount}`);
      expect(costs.sort()).toEqual([
        "model 0.006",
        "model 0.006",
        "outside 0.25",
        "outside_retry 0.25",
      ]);
      expect(spent).toBe("0.512");
    });
  });

  describe("what was paid", () => {
    it("is told by kind, with what failed runs cost apart", async () => {
      office.prices.model = MODEL_PRICE;
      office.engine.prices = PRICES;
      const tokens = { input: 200_000, output: 0 };
      steps.push({ ...asks("tea"), tokens });
      shop.push(isDown, sells);
      await plays();
      steps.push({ ...asks("tea"), tokens });
      shop.push(sells);
      steps.push({ fails: { retryable: false, retryAfterMs: null }, tokens });
      await plays();
      const usd = { currency: "USD" };
      expect(await costs()).toEqual([
        { ...usd, costType: "model", amount: "1.2", failedRuns: "0.8" },
        { ...usd, costType: "outside", amount: "0.5", failedRuns: "0.25" },
        { ...usd, costType: "outside_retry", amount: "0.25", failedRuns: "0" },
      ]);
    });
  });

  describe("a model that gives no answer", () => {
    it("is asked again later, and each time stands in the log of errors", async () => {
      steps.push(
        { fails: { retryable: true, failure: "rate_limited", retryAfterMs: 20_000 } },
        { fails: { retryable: true, failure: "timeout", retryAfterMs: null } },
      );
      const first = await plays();
      expect(first).toMatchObject({ status: "waiting_retry", dueAt: office.time.now + 20_000 });
      office.time.now += 20_000;
      const second = await playRun(office, first.id);
      expect(second).toMatchObject({ status: "waiting_retry", dueAt: office.time.now + 6_000 });
      office.time.now += 6_000;
      office.prices.model = MODEL_PRICE;
      office.engine.prices = PRICES;
      steps.push({ tokens: { input: 1_000, output: 0 } });
      expect(await playRun(office, first.id)).toMatchObject({ status: "completed" });
      const errors = await office.tenant((tx) =>
        tx.select().from(errorLog).where(eq(errorLog.runId, first.id)).orderBy(errorLog.attempt),
      );
      expect(errors).toMatchObject([
        { component: "model", errorClass: "rate_limited", retryable: true, attempt: 1 },
        { component: "model", errorClass: "timeout", retryable: true, attempt: 2 },
      ]);
      expect(await costsOf(first.id)).toMatchObject([{ costType: "model_retry" }]);
    });

    it("and asks for a longer wait than a client bears, is not waited for", async () => {
      steps.push({
        fails: { retryable: true, failure: "rate_limited", retryAfterMs: 600_000 },
      });
      expect(await plays()).toMatchObject({ status: "failed" });
    });
  });

  describe("an approved payout", () => {
    it("leaves how long people and the queue took, and what the provider took", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      office.time.now += 90_000;
      await office.decides(approval.id, await office.person());
      office.time.now += 2_500;
      await lead.works();
      const rows = await office.tenant((tx) =>
        tx.select().from(latencyLog).where(eq(latencyLog.createdAt, office.time.now)),
      );
      expect(rows.map((row) => [row.component, row.operation, row.latencyMs]).sort()).toEqual([
        ["approval", "issue_exchange_payout", 90_000],
        ["queue", "execution", 2_500],
        ["tool", "issue_exchange_payout", 0],
      ]);
    });

    it("that people decline leaves how long they took, too", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      office.time.now += 61_000;
      await office.decides(approval.id, await office.person(), { decision: "reject" });
      const rows = await office.tenant((tx) =>
        tx.select().from(latencyLog).where(eq(latencyLog.createdAt, office.time.now)),
      );
      expect(rows).toMatchObject([{ component: "approval", latencyMs: 61_000 }]);
    });

    it("leaves an error row for each failure, and the last one is told to people", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      office.cashier.next.push("retry", "retry", "retry", "retry");
      for (const waitMs of [3_000, 10_000, 50_000]) {
        expect(await lead.works()).toMatchObject({ status: "retry_scheduled" });
        office.time.now += waitMs;
      }
      const { id, status, attempts } = await lead.works();
      expect([status, attempts]).toEqual(["failed", 4]);
      expect(await errorsOf(id)).toMatchObject(
        [1, 2, 3, 4].map((attempt) => ({ attempt, errorClass: "rate_limited", component: "tool" })),
      );
      const cards = (await lead.sent()).filter(({ purpose }) => purpose === "card");
      expect(JSON.stringify(cards.at(-1)?.content)).toContain("approved and not done");
    });

    it("of which nobody knows leaves an error row for each question, and for giving up", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      office.cashier.next.push("unknown");
      office.cashier.lookUps.push("unreachable", "unreachable", "unreachable", "unreachable");
      await lead.works();
      for (const waitMs of [0, 1_000, 4_000, 25_000]) {
        office.time.now += waitMs;
        await lead.works();
      }
      const { id, status } = await lead.execution();
      expect(status).toBe("waiting_approval");
      const errors = await errorsOf(id);
      expect(errors.map(({ errorCode }) => errorCode)).toEqual([
        ...["OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN"],
        ...["OUTCOME_UNKNOWN", "LOOK_UPS_ENDED"],
      ]);
      expect(errors.at(-1)).toMatchObject({ component: "look_up", retryable: false });
    });

    it("whose result comes late leaves what was asked outside, and nothing else", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      const { id } = await lead.execution();
      const opened = await office.tenant((tx) =>
        openDispatch(tx, office.engine, { tenantId: TENANT, id }),
      );
      if (opened.kind !== "run") throw new Error("it was not dispatched");
      office.time.real += 61_000;
      office.cashier.lookUps.push("found");
      expect(await lead.works()).toMatchObject({ status: "completed" });
      const late = { provider: "shop", method: "POST", endpoint: "/pay", requestHash: "h" };
      const outside = [{ ...late, responseStatus: 200, responseHash: null, latencyMs: 61_000 }];
      const work: ToolWork = { kind: "unknown", message: "late" };
      await settleWork(office.engine, opened.dispatch, work, {
        ...{ number: 1, latencyMs: 61_000, outside },
      });
      expect((await lead.execution()).status).toBe("completed");
      expect(await askedFor(id)).toMatchObject([{ endpoint: "/pay", latencyMs: 61_000 }]);
      const trail = await office.auditOf(lead.conversationId);
      expect(trail.map(({ eventType }) => eventType)).toContain("execution.late");
    });
  });
});
