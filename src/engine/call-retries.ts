import { ATTEMPTS_PER_RUN } from "../domain/run.ts";
import { CALL_RETRIES, failureOfCode, nextTry } from "../policy/retry.ts";
import { type Tx, withTenant } from "../store/db.ts";
import type { ToolWork } from "../tools/contract.ts";
import { timeLeftMs } from "./ask-model.ts";
import { type CallToRun, type CallWork, runCalls } from "./calls.ts";
import type { EngineDeps } from "./deps.ts";
import { logError } from "./measure.ts";
import { type MadeBefore, permitAgain } from "./permit-again.ts";
import type { Turn } from "./turn.ts";

/**
 * Runs the calls, and those that failed in passing again, as often as attempts and time of the run
 * allow. No transaction is open while it waits. What is not tried again keeps its failure.
 */
export async function runWithRetries(
  deps: EngineDeps,
  turn: Turn,
  calls: readonly CallToRun[],
  signal: AbortSignal,
): Promise<CallWork[]> {
  let works = await runCalls(deps, turn, calls, signal);
  for (;;) {
    const plan = planOf(deps, turn, works);
    if (plan.retries.length === 0 || signal.aborted) return works;
    await deps.wait(plan.waitMs, signal);
    const permitted = await withTenant(deps.db, turn.tenantId, (tx) =>
      writeRetries(tx, deps, turn, plan),
    );
    if (permitted.length === 0) return works;
    const again = await runCalls(deps, turn, permitted, signal);
    const byExecution = new Map(again.map((work) => [work.call.state.executionId, work]));
    works = works.map((work) => byExecution.get(work.call.state.executionId) ?? work);
  }
}

interface Retry {
  call: CallToRun;
  work: Extract<ToolWork, { kind: "retry" }>;
}

interface Plan {
  retries: Retry[];
  /** The longest of theirs: they go together. */
  waitMs: number;
}

function planOf(deps: EngineDeps, turn: Turn, works: readonly CallWork[]): Plan {
  const limits = { ...CALL_RETRIES, longestWaitMs: timeLeftMs(deps, turn) };
  const left = ATTEMPTS_PER_RUN - turn.attempts;
  const plan: Plan = { retries: [], waitMs: 0 };
  for (const { call, work } of works) {
    if (work.kind !== "retry" || plan.retries.length >= left) continue;
    const next = nextTry(
      { failure: failureOf(work), attempt: call.attempt, retryAfterMs: work.afterMs },
      limits,
    );
    if (next.kind === "stop") continue;
    plan.retries.push({ call, work });
    plan.waitMs = Math.max(plan.waitMs, next.waitMs);
  }
  return plan;
}

async function writeRetries(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  { retries }: Plan,
): Promise<CallToRun[]> {
  const { tenantId, run } = turn;
  for (const { call, work } of retries)
    logError(
      deps,
      turn.logs,
      { tenantId, runId: run.id, executionId: call.state.executionId, toolName: call.toolName },
      {
        ...{ component: "tool", errorClass: failureOf(work), errorCode: work.code },
        ...{ errorMessage: work.message, attempt: call.attempt },
      },
    );
  const { calls } = await permitAgain(tx, deps, turn, retries.map(madeBefore));
  return calls;
}

function madeBefore({ call, work }: Retry): MadeBefore {
  const { state, candidateId, toolName, attempt: attempts } = call;
  const { executionId, action } = state;
  return { executionId, candidateId, toolName, action, attempts, reason: failureOf(work) };
}

function failureOf({ failure, code }: Retry["work"]) {
  return failure ?? failureOfCode(code);
}
