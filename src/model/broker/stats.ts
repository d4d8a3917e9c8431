import { amount } from "../../domain/money.ts";
import type { AttemptRow, AttemptStatus } from "./journal.ts";

/** What one model did. */
export interface ModelStats {
  llmName: string;
  total: number;
  byStatus: Record<AttemptStatus, number>;
  lastStatus: AttemptStatus;
  lastAt: number;
  inputTokens: number;
  outputTokens: number;
  /** USD, decimal, of the attempts whose cost is known. */
  cost: string;
}

/** By model, in the order of their newest attempts. `rows`: newest first. */
export function statsOf(rows: readonly AttemptRow[]): ModelStats[] {
  const stats = new Map<string, ModelStats>();
  for (const row of rows) {
    const one = stats.get(row.llmName) ?? nothing(row);
    one.total += 1;
    one.byStatus[row.status] += 1;
    one.inputTokens += row.inputTokens ?? 0;
    one.outputTokens += row.outputTokens ?? 0;
    one.cost = amount(one.cost)
      .plus(row.cost ?? 0)
      .toFixed();
    stats.set(row.llmName, one);
  }
  return [...stats.values()];
}

function nothing({ llmName, status, at }: AttemptRow): ModelStats {
  return {
    ...{ llmName, total: 0, byStatus: { ok: 0, failed: 0, superseded: 0 } },
    ...{ lastStatus: status, lastAt: at, inputTokens: 0, outputTokens: 0, cost: "0" },
  };
}
