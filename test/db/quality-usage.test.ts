import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { costLog, externalApiLog, latencyLog, modelCallLog } from "../../src/store/schema/runs.ts";
import { toolResultLog } from "../../src/store/schema/tools.ts";
import type { AdminPart, Reply } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import { openQualityPart, type QualityPart, startQuality } from "../support/quality-part.ts";

/** Ten minutes before midnight in UTC, which is another day in most places. */
const LATE = Date.UTC(2026, 9, 31, 23, 50);
const NEXT_DAY = LATE + 20 * 60_000;
const SINCE = "since=2026-10-31T00:00:00Z";

forEachEngine((open) => {
  let part: AdminPart;
  let offices = 0;

  beforeAll(async () => {
    part = await startQuality(open);
  });
  afterAll(() => part.close());

  const newOffice = (): Promise<QualityPart> => {
    offices += 1;
    return openQualityPart(part, `office-${offices}`);
  };

  async function calledModel(
    office: QualityPart,
    call: { at: number } & Partial<typeof modelCallLog.$inferInsert>,
  ): Promise<void> {
    const { at, ...given } = call;
    const tokens =
      (given.status ?? "ok") === "ok" ? { inputTokens: 100, outputTokens: 20 } : { cost: null };
    await office.rows((tx) =>
      tx.insert(modelCallLog).values({
        ...{ id: newId(), tenantId: office.tenantId, runId: newId(), createdAt: at },
        ...{ operation: "reply", provider: "main", modelId: "m-1", latencyMs: 100 },
        ...{ status: "ok", hadToolCall: false, ...tokens, ...given },
      }),
    );
  }

  async function ranTool(
    office: QualityPart,
    call: { at: number; tool: string; status?: string; latencyMs?: number; cost?: string },
  ): Promise<void> {
    const { at, tool: toolName, status = "completed", latencyMs = 500, cost } = call;
    const common = { tenantId: office.tenantId, runId: newId(), createdAt: at };
    const executionId = newId();
    await office.rows(async (tx) => {
      await tx
        .insert(toolResultLog)
        .values({ ...common, id: newId(), executionId, toolName, status, resultSummary: "" });
      await tx
        .insert(latencyLog)
        .values({ ...common, id: newId(), component: "tool", operation: toolName, latencyMs });
      if (cost === undefined) return;
      await tx.insert(externalApiLog).values({
        ...{ ...common, id: newId(), executionId, toolName, provider: "shop", endpoint: "/" },
        ...{ method: "GET", requestHash: "h", latencyMs },
      });
      await tx.insert(costLog).values({
        ...{ ...common, id: newId(), costType: "outside", provider: "shop", amount: cost },
        ...{ currency: "USD" },
      });
    });
  }
  const usage = async (office: QualityPart, query = SINCE) =>
    (await office.operator("GET", `/usage?${query}`)).body;

  it("models are told apart by name, operation and UTC day, with what is known of their cost", async () => {
    const office = await newOffice();
    await calledModel(office, { at: LATE, latencyMs: 100, cost: "0.10", score: 1 });
    await calledModel(office, { at: LATE, latencyMs: 300, cost: "0.2000", score: 0.5 });
    await calledModel(office, { at: LATE, latencyMs: 200, status: "failed", fault: "timeout" });
    await calledModel(office, { at: NEXT_DAY, modelId: "m-2", hadToolCall: true });
    expect((await usage(office)).model).toEqual([
      {
        ...{ llm_name: "main", model_id: "m-2", operation: "reply", day: "2026-11-01" },
        ...{ calls: 1, failed: 0, superseded: 0, tool_calling: 1, unpriced: 1 },
        ...{ input_tokens: 100, output_tokens: 20, cost_usd: null },
        ...{ latency_avg_ms: 100, latency_p95_ms: 100, scored: 0, score_mean: null },
      },
      {
        ...{ llm_name: "main", model_id: "m-1", operation: "reply", day: "2026-10-31" },
        ...{ calls: 3, failed: 1, superseded: 0, tool_calling: 0, unpriced: 0 },
        ...{ input_tokens: 200, output_tokens: 40, cost_usd: "0.3" },
        ...{ latency_avg_ms: 200, latency_p95_ms: 290, scored: 2, score_mean: 0.75 },
      },
    ]);
  });

  describe("totals", () => {
    const keyed = (rows: Reply["body"][], key: string, value: string) =>
      rows.map((row) => [row[key], row[value]]);

    it("count what another model took over by each model, and by the operation once more", async () => {
      const office = await newOffice();
      const runId = newId();
      const of = { at: LATE, runId, traceId: runId };
      await calledModel(office, { ...of, attempt: 1, status: "failed", latencyMs: 4000 });
      const taken = { provider: "spare", modelId: "m-9", attempt: 2 };
      await calledModel(office, { ...of, ...taken, cost: "0.5", latencyMs: 1000 });
      await calledModel(office, { at: LATE, operation: "repair", cost: "0.25", latencyMs: 2000 });
      const told = await usage(office);
      expect(told.by_model).toMatchObject([
        { llm_name: "main", calls: 2, failed: 1, cost_usd: "0.25", latency_avg_ms: 3000 },
        { llm_name: "spare", calls: 1, failed: 0, cost_usd: "0.5", latency_avg_ms: 1000 },
      ]);
      expect(told.by_operation).toMatchObject([
        { operation: "repair", calls: 1, failed: 0, cost_usd: "0.25" },
        { operation: "reply", calls: 2, failed: 1, cost_usd: "0.5" },
      ]);
      expect(told.total).toMatchObject({
        ...{ calls: 3, failed: 1, cost_usd: "0.75", input_tokens: 200, latency_p95_ms: 3800 },
      });
    });

    it("keep endpoints' models of one name apart, and one model under two names", async () => {
      const office = await newOffice();
      await calledModel(office, { at: LATE, provider: "a", modelId: "m-1" });
      await calledModel(office, { at: LATE, provider: "a", modelId: "m-2" });
      await calledModel(office, { at: LATE, provider: "b", modelId: "m-1" });
      const { by_model } = await usage(office);
      expect(keyed(by_model, "llm_name", "model_id")).toEqual([
        ["a", "m-1"],
        ["a", "m-2"],
        ["b", "m-1"],
      ]);
    });

    it("part at midnight in UTC; a percentile is that of the calls, not of other percentiles", async () => {
      const office = await newOffice();
      const midnight = Date.UTC(2026, 10, 1);
      await calledModel(office, { at: midnight - 1, cost: "1", latencyMs: 100 });
      await calledModel(office, { at: midnight, cost: "2", latencyMs: 200 });
      await calledModel(office, { at: midnight, operation: "repair", cost: "4", latencyMs: 600 });
      const told = await usage(office);
      expect(keyed(told.by_day, "day", "cost_usd")).toEqual([
        ["2026-11-01", "6"],
        ["2026-10-31", "1"],
      ]);
      expect(keyed(told.by_model_and_day, "day", "latency_p95_ms")).toEqual([
        ["2026-11-01", 580],
        ["2026-10-31", 100],
      ]);
      expect(told.model).toHaveLength(3);
    });

    it("add money exactly, and leave out what has no price", async () => {
      const office = await newOffice();
      await calledModel(office, { at: LATE, cost: "0.1" });
      await calledModel(office, { at: LATE, cost: "0.2" });
      await calledModel(office, { at: LATE, cost: "9007199254740993.000001" });
      await calledModel(office, { at: LATE, provider: "free", cost: null });
      const told = await usage(office);
      expect(told.total).toMatchObject({ cost_usd: "9007199254740993.300001", unpriced: 1 });
      expect(keyed(told.by_model, "llm_name", "cost_usd")).toEqual([
        ["free", null],
        ["main", "9007199254740993.300001"],
      ]);
    });

    it("call given up what was given up: it neither failed nor took long", async () => {
      const office = await newOffice();
      await calledModel(office, { at: LATE, latencyMs: 100 });
      await calledModel(office, { at: LATE, latencyMs: 45_000, status: "superseded" });
      expect((await usage(office)).total).toMatchObject({
        ...{ calls: 2, failed: 0, superseded: 1, unpriced: 1 },
        ...{ latency_avg_ms: 100, latency_p95_ms: 100 },
      });
    });
  });

  it("tools are counted by what they came to; what waits is no result yet", async () => {
    const office = await newOffice();
    await ranTool(office, { at: LATE, tool: "a", latencyMs: 100, cost: "0.25" });
    await ranTool(office, { at: LATE, tool: "a", latencyMs: 300, status: "failed", cost: "0.25" });
    await ranTool(office, { at: LATE, tool: "b", status: "pending" });
    await ranTool(office, { at: NEXT_DAY, tool: "a", latencyMs: 500 });
    const { tools, by_tool } = await usage(office);
    expect(tools[0]).toMatchObject({ tool_name: "a", day: "2026-11-01", calls: 1, cost_usd: null });
    expect(tools.slice(1)).toEqual([
      {
        ...{ tool_name: "a", day: "2026-10-31", calls: 2, failed: 1, cost_usd: "0.5" },
        ...{ latency_avg_ms: 200, latency_p95_ms: 290 },
      },
      {
        ...{ tool_name: "b", day: "2026-10-31", calls: 0, failed: 0, cost_usd: null },
        ...{ latency_avg_ms: 500, latency_p95_ms: 500 },
      },
    ]);
    expect(by_tool).toEqual([
      {
        ...{ tool_name: "a", calls: 3, failed: 1, cost_usd: "0.5" },
        ...{ latency_avg_ms: 300, latency_p95_ms: 480 },
      },
      {
        ...{ tool_name: "b", calls: 0, failed: 0, cost_usd: null },
        ...{ latency_avg_ms: 500, latency_p95_ms: 500 },
      },
    ]);
  });

  describe("what is dearer and slower", () => {
    it("is told by sums of money and averages of time", async () => {
      const office = await newOffice();
      for (let call = 0; call < 3; call += 1)
        await calledModel(office, { at: LATE, latencyMs: 400, cost: "0.1" });
      await ranTool(office, { at: LATE, tool: "a", latencyMs: 900, cost: "0.2" });
      const { dearer, slower, compared, costs, latencies } = await usage(office);
      expect([dearer, slower]).toEqual(["model", "tool"]);
      expect(compared).toEqual({
        model: { cost_usd: "0.3", latency_avg_ms: 400 },
        tool: { cost_usd: "0.2", latency_avg_ms: 900 },
      });
      expect(costs).toEqual([
        { cost_type: "outside", currency: "USD", amount: "0.2", failed_runs: "0" },
      ]);
      expect(latencies).toEqual([{ component: "tool", avg_ms: 900, p95_ms: 900 }]);
    });

    it("is not known where nothing was used", async () => {
      expect(await usage(await newOffice())).toMatchObject({
        ...{ since: "2026-10-31T00:00:00.000Z", model: [], tools: [], costs: [], latencies: [] },
        ...{ by_model: [], by_operation: [], by_day: [], by_model_and_day: [], by_tool: [] },
        total: { calls: 0, failed: 0, cost_usd: null, latency_avg_ms: null, score_mean: null },
        ...{ dearer: null, slower: null },
      });
    });
  });

  it("covers the last seven days by itself, and one office", async () => {
    const office = await newOffice();
    const now = part.deps.clock.now();
    await calledModel(office, { at: now - 6 * 86_400_000 });
    await calledModel(office, { at: now - 8 * 86_400_000 });
    const { since, model } = await usage(office, "");
    expect(model.map(({ calls }: { calls: number }) => calls)).toEqual([1]);
    expect(Date.parse(since)).toBeGreaterThanOrEqual(now - 7 * 86_400_000);
    expect((await usage(await newOffice(), "")).model).toEqual([]);
    const refused = await office.operator("GET", "/usage?since=1");
    expect([refused.status, refused.body.error.path]).toEqual([400, "since"]);
  });
});
