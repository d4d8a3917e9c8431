import { amount } from "../domain/money.ts";
import type { CostSum, LatencySum, ModelFigures } from "../store/quality-usage.ts";

/** null: nothing is known of either, or they are alike. */
export type Heavier = "model" | "tool" | null;

/** What one of the two has come to. null: it is not known. */
export interface Weight {
  /** Decimal. */
  costUsd: string | null;
  /** One attempt on the average. */
  latencyAvgMs: number | null;
}

export interface Weights {
  /** Every attempt at a model, also outside runs. */
  model: Weight;
  /** Services that tools ask; attempts of tools. */
  tool: Weight;
}

export function weigh(
  total: Pick<ModelFigures, "costUsd" | "latencyAvgMs">,
  costs: readonly Pick<CostSum, "costType" | "currency" | "amount">[],
  latencies: readonly LatencySum[],
): Weights {
  const paid = costs.filter(
    ({ costType, currency }) => currency === "USD" && costType.startsWith("outside"),
  );
  const sum = paid.reduce((all, one) => all.plus(one.amount), amount("0"));
  return {
    model: { costUsd: total.costUsd, latencyAvgMs: total.latencyAvgMs },
    tool: {
      costUsd: paid.length > 0 ? sum.toFixed() : null,
      latencyAvgMs: latencies.find(({ component }) => component === "tool")?.avgMs ?? null,
    },
  };
}

/** What costs more in all, as far as prices are known. */
export function dearer({ model, tool }: Weights): Heavier {
  return heavier(amount(model.costUsd ?? "0").comparedTo(amount(tool.costUsd ?? "0")));
}

/** What takes longer on the average, one attempt of each. */
export function slower({ model, tool }: Weights): Heavier {
  return heavier((model.latencyAvgMs ?? 0) - (tool.latencyAvgMs ?? 0));
}

function heavier(difference: number): Heavier {
  if (difference === 0) return null;
  return difference > 0 ? "model" : "tool";
}
