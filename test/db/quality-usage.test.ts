import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { costLog, externalApiLog, latencyLog, modelCallLog } from "../../src/store/schema/runs.ts";
import { toolResultLog } from "../../src/store/schema/tools.ts";
import type { AdminPart } from "../support/admin-part.ts";
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
    call: {
      at: number;
      runId?: string;
      modelId?: string;
      latencyMs?: number;
      status?: "ok" | "failed";
      cost?: string;
    },
  ): Promise<void> {
    const { at, modelId = "m-1", latencyMs = 100, status = "ok", cost, runId = newId() } = call;
    const { tenantId } = office;
    const common = { tenantId, runId, createdAt: at };
    const tokens = status === "ok" ? { inputTokens: 100, outputTokens: 20 } : {};
    await office.rows(async (tx) => {
      await tx.insert(modelCallLog).values({
        ...{
          ...common,
          id: newId(),
          operation: "reply",
          provider: "p",
          modelId,
          latencyMs,
          status,
        },
        ...{ ...tokens, promptVersion: "1", hadToolCall: false },
      });
      await tx
        .insert(latencyLog)
        .values({ ...common, id: newId(), component: "model", operation: "reply", latencyMs });
      if (cost !== undefined)
        await tx.insert(costLog).values({
          ...{ ...common, id: newId(), costType: "model", provider: "p", amount: cost },
          ...{ currency: "USD", createdAt: at + 1 },
        });
    });
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

  it("models are told apart by operation and UTC day, with what is known of their cost", async () => {
    const office = await newOffice();
    await calledModel(office, { at: LATE, latencyMs: 100, cost: "0.10" });
    await calledModel(office, { at: LATE, latencyMs: 300, cost: "0.2000" });
    await calledModel(office, { at: LATE, latencyMs: 200, status: "failed" });
    await calledModel(office, { at: NEXT_DAY, modelId: "m-2" });
    expect((await usage(office)).model).toEqual([
      {
        ...{ model_id: "m-2", operation: "reply", day: "2026-11-01", calls: 1, failed: 0 },
        ...{ input_tokens: 100, output_tokens: 20, cost_usd: null },
        ...{ latency_avg_ms: 100, latency_p95_ms: 100 },
      },
      {
        ...{ model_id: "m-1", operation: "reply", day: "2026-10-31", calls: 3, failed: 1 },
        ...{ input_tokens: 200, output_tokens: 40, cost_usd: "0.3" },
        ...{ latency_avg_ms: 200, latency_p95_ms: 290 },
      },
    ]);
  });

  it("two models of one run pay each for itself", async () => {
    const office = await newOffice();
    const runId = newId();
    await calledModel(office, { at: LATE, runId, modelId: "m-1", cost: "1" });
    await calledModel(office, { at: LATE + 5000, runId, modelId: "m-2", cost: "0.5" });
    const { model } = await usage(office);
    expect(
      model.map((row: { model_id: string; cost_usd: string }) => [row.model_id, row.cost_usd]),
    ).toEqual([
      ["m-1", "1"],
      ["m-2", "0.5"],
    ]);
  });

  it("tools are counted by what they came to; what waits is no result yet", async () => {
    const office = await newOffice();
    await ranTool(office, { at: LATE, tool: "a", latencyMs: 100, cost: "0.25" });
    await ranTool(office, { at: LATE, tool: "a", latencyMs: 300, status: "failed", cost: "0.25" });
    await ranTool(office, { at: LATE, tool: "b", status: "pending" });
    expect((await usage(office)).tools).toEqual([
      {
        ...{ tool_name: "a", day: "2026-10-31", calls: 2, failed: 1, cost_usd: "0.5" },
        ...{ latency_avg_ms: 200, latency_p95_ms: 290 },
      },
      {
        ...{ tool_name: "b", day: "2026-10-31", calls: 0, failed: 0, cost_usd: null },
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
      const { dearer, slower, costs, latencies } = await usage(office);
      expect([dearer, slower]).toEqual(["model", "tool"]);
      expect(costs).toEqual([
        { cost_type: "model", currency: "USD", amount: "0.3" },
        { cost_type: "outside", currency: "USD", amount: "0.2" },
      ]);
      expect(latencies).toEqual([
        { component: "model", avg_ms: 400, p95_ms: 400 },
        { component: "tool", avg_ms: 900, p95_ms: 900 },
      ]);
    });

    it("is not known where nothing was used", async () => {
      expect(await usage(await newOffice())).toMatchObject({
        ...{ since: "2026-10-31T00:00:00.000Z", model: [], tools: [], costs: [], latencies: [] },
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
