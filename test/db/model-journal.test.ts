import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ModelAttempt } from "../../src/domain/model-attempt.ts";
import { createStoredJournal } from "../../src/model/broker/stored-journal.ts";
import type { Database } from "../../src/store/database.ts";
import { withTenant } from "../../src/store/db.ts";
import { forgetOldCalls } from "../../src/store/model-calls.ts";
import { costLog, latencyLog, modelCallLog } from "../../src/store/schema/runs.ts";
import { forEachEngine } from "../support/database.ts";

const NOW = Date.UTC(2026, 10, 1);
const DAY = 86_400_000;

const row = (callId: string, over: Partial<ModelAttempt> = {}): ModelAttempt => ({
  ...{ callId, at: NOW, llmName: "big", modelId: "big-1", operation: "reply", traceId: "t-1" },
  ...{ scope: "a", promptVersion: "p", attempt: 1, status: "ok", finishReason: "stop" },
  ...{ hadToolCall: false, cut: false, inputTokens: 10, outputTokens: 5, cost: "0.0012" },
  ...{ latencyMs: 20, failure: null, fault: null, httpStatus: null, error: null, score: null },
  ...over,
});

forEachEngine((open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    for (const tenantId of ["a", "b", "own"])
      await withTenant(database.db, tenantId, async (tx) => {
        for (const table of [modelCallLog, latencyLog, costLog]) await tx.delete(table);
      });
  });
  afterAll(() => database.close());
  const journal = () =>
    createStoredJournal(database.db, { ownTenant: "own", tenants: async () => ["a", "b", "own"] });

  describe("the stored journal", () => {
    it("gives back what it was given, failed attempts too", async () => {
      const failed = row("2", {
        ...{ at: NOW + 1, status: "failed", attempt: 2, failure: "unavailable", fault: "status" },
        ...{ httpStatus: 503, error: "503 busy", cost: null, inputTokens: null },
        ...{ promptVersion: null, traceId: null, finishReason: null, outputTokens: null },
      });
      await journal().record(row("1"));
      await journal().record(failed);
      expect(await journal().calls({ scope: "a", limit: 9 })).toEqual([failed, row("1")]);
    });

    it("is a tenant's own; rows without a scope are of the installation's tenant", async () => {
      await journal().record(row("1"));
      await journal().record(row("2", { scope: "b" }));
      await journal().record(row("3", { scope: null }));
      const ids = async (scope: string | null) =>
        (await journal().calls({ scope, limit: 9 })).map(({ callId }) => callId);
      const all = await journal().calls({ limit: 2 });
      expect(all.map(({ callId }) => callId)).toHaveLength(2);
      expect(new Set((await journal().calls({ limit: 9 })).map(({ callId }) => callId))).toEqual(
        new Set(["1", "2", "3"]),
      );
      expect(await Promise.all([ids("a"), ids("b"), ids(null), ids("own")])).toEqual([
        ["1"],
        ["2"],
        ["3"],
        ["3"],
      ]);
    });

    it("filters in the store: the limit counts matches, since is inclusive", async () => {
      for (let n = 0; n < 20; n += 1)
        await journal().record(
          row(`c-${n}`, { at: NOW + n, operation: n % 5 === 0 ? "coach" : "reply" }),
        );
      const ids = async (filter: object) =>
        (await journal().calls({ scope: "a", limit: 3, ...filter })).map(({ callId }) => callId);
      expect(await ids({ operation: "coach" })).toEqual(["c-15", "c-10", "c-5"]);
      expect(await ids({ since: NOW + 18 })).toEqual(["c-19", "c-18"]);
      expect(await ids({ callId: "c-4" })).toEqual(["c-4"]);
      expect(await ids({ traceId: "none" })).toEqual([]);
      expect(await ids({ status: "failed" })).toEqual([]);
    });

    it("sets a verdict once for each: of many at once every one sees what it replaced", async () => {
      await journal().record(row("1"));
      const given = Array.from({ length: 10 }, (_, n) => n / 10);
      const replaced = await Promise.all(
        given.map((score) => journal().setScore({ callId: "1", scope: "a" }, score)),
      );
      const last = (await journal().calls({ scope: "a", limit: 1 }))[0]?.score;
      const seen = replaced.map(({ previous }) => previous);
      expect([...seen, last].sort()).toEqual([...given, null].sort());
      expect(await journal().setScore({ callId: "1", scope: "b" }, 1)).toEqual({ previous: null });
    });
  });

  it("what is older than its time is forgotten, step by step, and nothing else", async () => {
    const old = NOW - 91 * DAY;
    await withTenant(database.db, "a", async (tx) => {
      const many = Array.from({ length: 2_100 }, (_, n) => n);
      await tx.insert(modelCallLog).values(
        many.map((n) => {
          const { callId: id, at: createdAt, llmName: provider, scope: _, ...rest } = row(`o-${n}`);
          return { ...rest, id, provider, tenantId: "a", createdAt: createdAt - 91 * DAY };
        }),
      );
      const common = { tenantId: "a", runId: null, createdAt: old };
      const latency = { ...common, component: "model", operation: "reply", latencyMs: 1 };
      await tx.insert(latencyLog).values({ ...latency, id: "l-1" });
      await tx.insert(latencyLog).values({ ...latency, id: "l-2", createdAt: NOW });
      await tx.insert(costLog).values({
        ...{ ...common, id: "k-1", costType: "model", provider: "big", amount: "1" },
        currency: "USD",
      });
    });
    await journal().record(row("new"));
    await journal().record(row("theirs", { scope: "b", at: old }));
    const before = NOW - 90 * DAY;
    const step = () =>
      withTenant(database.db, "a", (tx) => forgetOldCalls(tx, { tenantId: "a", before }));
    expect([await step(), await step()]).toEqual([true, false]);
    const left = await withTenant(database.db, "a", async (tx) => [
      (await tx.select().from(modelCallLog)).map(({ id }) => id),
      (await tx.select().from(latencyLog)).map(({ createdAt }) => createdAt),
      (await tx.select().from(costLog)).map(({ createdAt }) => createdAt),
    ]);
    // those of the new call, and the second latency
    expect(left).toEqual([["new"], [NOW, NOW], [NOW]]);
    expect(await journal().calls({ scope: "b", limit: 9 })).toHaveLength(1);
  });
});
