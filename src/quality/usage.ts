import { amount } from "../domain/money.ts";
import type { CostSum, LatencySum } from "../store/quality-usage.ts";

/** null: nothing is known of either, or they are alike. */
export type Heavier = "model" | "tool" | null;

/** What costs more in all, in dollars: the models, or the services that tools ask. */
export function dearer(costs: readonly CostSum[]): Heavier {
  const spent = (isCounted: (costType: string) => boolean) =>
    costs
      .filter(({ costType, currency }) => currency === "USD" && isCounted(costType))
      .reduce((sum, one) => sum.plus(one.amount), amount("0"));
  const models = spent(isOfModels);
  return heavier(models.comparedTo(spent((costType) => !isOfModels(costType))));
}

/** What takes longer on the average, one attempt of each. */
export function slower(latencies: readonly LatencySum[]): Heavier {
  const averageOf = (wanted: string) =>
    latencies.find(({ component }) => component === wanted)?.avgMs ?? 0;
  return heavier(averageOf("model") - averageOf("tool"));
}

function isOfModels(costType: string): boolean {
  return costType === "model" || costType === "model_retry";
}

function heavier(difference: number): Heavier {
  if (difference === 0) return null;
  return difference > 0 ? "model" : "tool";
}
