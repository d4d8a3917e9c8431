import { newId } from "../../src/domain/ids.ts";
import { openEmbedded, openPostgres } from "../../src/store/database.ts";
import { withTenant } from "../../src/store/db.ts";
import type { ModelCallRow } from "../../src/store/model-calls.ts";
import { costLog, externalApiLog, latencyLog, modelCallLog } from "../../src/store/schema/runs.ts";
import { toolResultLog } from "../../src/store/schema/tools.ts";

const TENANT = "default";

/** An attempt at a model, or a tool that ran and paid for a service; everything has a default. */
export interface Used {
  at: number;
  model?: Partial<ModelCallRow>;
  tool?: { name: string; latencyMs: number; cost: string };
}

/** While the product is down: what models and tools were used for at these times. */
export function usedAt(used: readonly Used[]) {
  return async (databaseUrl: string | null, dataDir: string): Promise<void> => {
    const database = databaseUrl
      ? await openPostgres(databaseUrl)
      : await openEmbedded({ dir: `${dataDir}/db`, durable: false });
    await withTenant(database.db, TENANT, async (tx) => {
      const models = used.flatMap(({ at, model }) => (model ? [attempt(at, model)] : []));
      if (models.length > 0) await tx.insert(modelCallLog).values(models);
      for (const { at, tool } of used) {
        if (!tool) continue;
        const { results, latencies, calls, costs } = run(at, tool);
        await tx.insert(toolResultLog).values(results);
        await tx.insert(latencyLog).values(latencies);
        await tx.insert(externalApiLog).values(calls);
        await tx.insert(costLog).values(costs);
      }
    });
    await database.close();
  };
}

function attempt(at: number, given: Partial<ModelCallRow>): ModelCallRow {
  return {
    ...{ id: newId(), tenantId: TENANT, runId: newId(), createdAt: at, operation: "reply" },
    ...{ provider: "main", modelId: "large-1", status: "ok", hadToolCall: false },
    ...{ inputTokens: 1200, outputTokens: 150, latencyMs: 900, ...given },
  };
}

function run(at: number, { name, latencyMs, cost }: NonNullable<Used["tool"]>) {
  const common = { tenantId: TENANT, runId: newId(), createdAt: at };
  const executionId = newId();
  return {
    results: {
      ...{ ...common, id: newId(), executionId, toolName: name, status: "completed" },
      resultSummary: "",
    },
    latencies: { ...common, id: newId(), component: "tool", operation: name, latencyMs },
    calls: {
      ...{ ...common, id: newId(), executionId, toolName: name, provider: "shop", endpoint: "/" },
      ...{ method: "GET", requestHash: "h", latencyMs },
    },
    costs: {
      ...{ ...common, id: newId(), costType: "outside", provider: "shop", amount: cost },
      currency: "USD",
    },
  };
}
