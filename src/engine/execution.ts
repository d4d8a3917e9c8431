import type { JobRef } from "../domain/jobs.ts";
import { withTenant } from "../store/db.ts";
import type { EngineDeps } from "./deps.ts";
import { openDispatch, scopeOf } from "./dispatch.ts";
import { lookUpExecution } from "./look-up.ts";
import { settleWork } from "./settle.ts";

/**
 * Handler of `execution` jobs: dispatches what people approved, once; looks up what is unknown.
 * Doing it twice is a no-op.
 */
export async function handleExecution(
  deps: EngineDeps,
  ref: JobRef,
  signal: AbortSignal,
): Promise<void> {
  const opened = await withTenant(deps.db, ref.tenantId, (tx) => openDispatch(tx, deps, ref));
  if (opened.kind === "nothing") return;
  const { dispatch } = opened;
  if (opened.kind === "look_up") return lookUpExecution(deps, dispatch, signal);
  const scope = scopeOf(deps, dispatch, signal);
  const startedAt = deps.realNow();
  const work = await deps.runner.run(opened.permit, scope);
  const latencyMs = Math.max(0, deps.realNow() - startedAt);
  const outside = scope.outside.list();
  await settleWork(deps, dispatch, work, { number: dispatch.attempts, latencyMs, outside });
}
