import type { FailureClass } from "../domain/failure.ts";
import type { CostRow } from "../store/costs.ts";
import type { Logs } from "../store/run-logs.ts";
import type { OutsideCall } from "../tools/outside.ts";
import type { EngineDeps } from "./deps.ts";
import { CURRENCY, sumOf } from "./prices.ts";

/** Whose call it was. */
export interface Measured {
  tenantId: string;
  runId: string | null;
  executionId: string;
  toolName: string;
}

/** How one attempt went, seen from outside. */
export interface Attempt {
  /** From 1. */
  number: number;
  latencyMs: number;
  outside: readonly OutsideCall[];
}

/** Only written: nothing left the house. */
export const NO_ATTEMPT: Attempt = { number: 0, latencyMs: 0, outside: [] };

/** Puts an attempt into the logs; answers what it cost, a decimal. */
export function logAttempt(
  deps: EngineDeps,
  logs: Logs,
  of: Measured & { operation?: string },
  attempt: Attempt,
): string {
  const { tenantId, runId, executionId, toolName, operation = toolName } = of;
  const createdAt = deps.clock.now();
  if (attempt.number > 0)
    logs.latencies.push({
      ...{ tenantId, runId, component: "tool", operation },
      ...{ latencyMs: Math.round(attempt.latencyMs), createdAt },
    });
  const costs = attempt.outside.flatMap((call): CostRow[] => {
    const price = deps.prices.outside.get(call.provider);
    if (price === undefined) return [];
    const costType = attempt.number > 1 ? "outside_retry" : "outside";
    const { provider } = call;
    return [{ tenantId, runId, costType, provider, amount: price, currency: CURRENCY, createdAt }];
  });
  logs.costs.push(...costs);
  for (const call of attempt.outside)
    logs.outsideCalls.push({
      ...{ tenantId, runId, executionId, toolName, createdAt },
      ...{ ...call, latencyMs: Math.round(call.latencyMs) },
    });
  return sumOf(costs.map((cost) => cost.amount));
}

/** A failed attempt; `errorMessage` is ours, never what another side answered. */
export function logError(
  deps: EngineDeps,
  logs: Logs,
  of: Measured,
  failed: {
    component: "tool" | "look_up";
    errorClass: FailureClass;
    errorCode: string;
    errorMessage: string;
    attempt: number;
  },
): void {
  const { tenantId, runId, executionId, toolName } = of;
  const createdAt = deps.clock.now();
  logs.errors.push({ tenantId, runId, executionId, toolName, createdAt, ...failed });
}
