import { type Tx, withTenant } from "../store/db.ts";
import type { ToolWork } from "../tools/contract.ts";
import { keepOutsideCalls } from "../tools/outside.ts";
import type { ProposedCall, ProposedState } from "../tools/propose.ts";
import { timeLeftMs } from "./ask-model.ts";
import type { EngineDeps } from "./deps.ts";
import { type Attempt, logAttempt } from "./measure.ts";
import { sumOf } from "./prices.ts";
import type { Turn } from "./turn.ts";

/** A permitted call; its permit is good for one attempt. */
export interface CallToRun extends ProposedCall {
  state: Extract<ProposedState, { kind: "run" }>;
  /** Which attempt of the call it will be, from 1. */
  attempt: number;
}

/** A call that ran, and how its work ended; nothing of it is written yet. */
export interface CallWork {
  call: CallToRun;
  work: ToolWork;
}

/** Those of a round's calls that the gate let run. */
export function callsToRun(calls: readonly ProposedCall[]): CallToRun[] {
  return calls.flatMap(({ state, ...call }) =>
    state.kind === "run" ? [{ ...call, state, attempt: 1 }] : [],
  );
}

/**
 * Runs what the gate allowed, side by side; all settle. No transaction is open. Each gets what is left
 * of the run's time at most.
 */
export async function runCalls(
  deps: EngineDeps,
  turn: Turn,
  calls: readonly CallToRun[],
  signal: AbortSignal,
): Promise<CallWork[]> {
  if (calls.length === 0) return [];
  const limit = AbortSignal.timeout(Math.max(1, Math.floor(timeLeftMs(deps, turn))));
  const scope = scopeOf(deps, turn, AbortSignal.any([signal, limit]));
  return Promise.all(
    calls.map(async (call) => {
      const outside = keepOutsideCalls(deps.realNow);
      const startedAt = deps.realNow();
      const work = await deps.runner.run(call.state.permit, { ...scope, outside });
      const latencyMs = Math.max(0, deps.realNow() - startedAt);
      keep(deps, turn, call, { number: call.attempt, latencyMs, outside: outside.list() });
      return { call, work };
    }),
  );
}

function scopeOf(deps: EngineDeps, { tenantId, conversation, run }: Turn, signal: AbortSignal) {
  return {
    tenantId,
    conversationId: conversation.id,
    contactId: conversation.contactId,
    runId: run.id,
    language: conversation.language,
    now: deps.clock.now(),
    signal,
    read: <T>(work: (tx: Tx) => Promise<T>) => withTenant(deps.db, tenantId, work),
  };
}

function keep(deps: EngineDeps, turn: Turn, call: CallToRun, attempt: Attempt): void {
  const { toolName, state } = call;
  const { tenantId, run, logs } = turn;
  const of = { tenantId, runId: run.id, executionId: state.executionId, toolName };
  turn.spent = sumOf([turn.spent, logAttempt(deps, logs, of, attempt)]);
}
