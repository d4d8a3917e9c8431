import { messageOf } from "../domain/errors.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { lockOwnExecution, setExecution, wasAccepted } from "../store/executions.ts";
import { LeaseLostError } from "../store/lease.ts";
import { setCandidate } from "../store/proposals.ts";
import type { FoundWork, LookUp } from "../tools/contract.ts";
import { checkedWork } from "../tools/runner.ts";
import { askAboutUnknown } from "./ask-about-unknown.ts";
import type { EngineDeps } from "./deps.ts";
import { type Dispatch, scopeOf } from "./dispatch.ts";
import { lookUpLater } from "./pending.ts";
import { LOOK_UP_AFTER_MS, settleWork, unknownReply } from "./settle.ts";

/**
 * Asks the provider what became of an action, by its key. Found: that is the result. Absent twice
 * at a provider that is idempotent by key: it never arrived, the same is sent again with the same
 * key. No answer in the end: a person is asked whether it happened. What the provider once accepted is
 * asked for until it says how that ended, and is never sent again.
 */
export async function lookUpExecution(
  deps: EngineDeps,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<void> {
  const found = await ask(deps, dispatch, signal);
  if (found.kind === "found") return settleFound(deps, dispatch, found.work);
  try {
    await withTenant(deps.db, dispatch.tenantId, (tx) => writeNext(tx, deps, dispatch, found));
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    deps.log.warn({ execution: dispatch.executionId }, messageOf(error));
  }
}

async function ask(deps: EngineDeps, dispatch: Dispatch, signal: AbortSignal): Promise<LookUp> {
  const tool = deps.registry.find(dispatch.toolName)?.tool;
  if (!tool?.lookUp) return { kind: "unreachable", message: "the provider cannot be asked by key" };
  try {
    return await tool.lookUp({
      ...scopeOf(deps, dispatch, signal),
      action: dispatch.action,
      executionId: dispatch.executionId,
      idempotencyKey: dispatch.idempotencyKey,
    });
  } catch (error) {
    return { kind: "unreachable", message: messageOf(error) };
  }
}

/** The output schema holds for results of a look-up, too. */
function settleFound(deps: EngineDeps, dispatch: Dispatch, work: FoundWork): Promise<void> {
  const tool = deps.registry.find(dispatch.toolName)?.tool;
  return settleWork(deps, dispatch, tool ? checkedWork(tool, work) : work);
}

type NotFound = Exclude<LookUp, { kind: "found" }>;

async function writeNext(
  tx: Tx,
  deps: EngineDeps,
  dispatch: Dispatch,
  found: NotFound,
): Promise<void> {
  const { tenantId, executionId: id, token } = dispatch;
  const execution = await lockOwnExecution(tx, { tenantId, id, token });
  const now = deps.clock.now();
  const lookUps = dispatch.lookUps + 1;
  if (await wasAccepted(tx, tenantId, id))
    return lookUpLater(tx, deps, { dispatch, execution }, lookUps);
  const tool = deps.registry.find(dispatch.toolName)?.tool;
  await setCandidate(tx, {
    tenantId,
    id: execution.candidateId,
    reply: unknownReply(dispatch.approval.number),
  });
  if (found.kind === "absent" && lookUps >= 2 && tool?.idempotentByKey && !execution.resent) {
    // asked at once and again a second later: it did not arrive; same key and body go out once more
    await setExecution(tx, {
      tenantId,
      id,
      status: "queued",
      resent: true,
      runAfter: now,
      leaseUntil: null,
    });
    await deps.jobs.enqueue(tx, "execution", { tenantId, id });
    return;
  }
  const waitMs = waitBefore(lookUps);
  if (waitMs === null) return askAboutUnknown(tx, deps, dispatch, execution);
  await setExecution(tx, { tenantId, id, lookUps, runAfter: now + waitMs, leaseUntil: null });
  await deps.jobs.enqueue(tx, "execution", { tenantId, id }, waitMs);
}

/** From the look-up that was just made to the next; null after the last one. */
function waitBefore(lookUps: number): number | null {
  const next = LOOK_UP_AFTER_MS[lookUps];
  const last = LOOK_UP_AFTER_MS[lookUps - 1];
  return next === undefined || last === undefined ? null : next - last;
}
