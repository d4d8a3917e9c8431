import { messageOf } from "../domain/errors.ts";
import { unlessAborted } from "../lib/unless-aborted.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { lockOwnExecution, setExecution, wasAccepted } from "../store/executions.ts";
import { LeaseLostError } from "../store/lease.ts";
import { setCandidate } from "../store/proposals.ts";
import { type Logs, writeLogs } from "../store/run-logs.ts";
import type { AnyTool, FoundWork, LookUp, ToolCall } from "../tools/contract.ts";
import { checkedWork } from "../tools/runner.ts";
import { askAboutUnknown } from "./ask-about-unknown.ts";
import { LOOK_UP_AFTER_MS, unknownReply } from "./become-unknown.ts";
import type { EngineDeps } from "./deps.ts";
import { type Dispatch, scopeOf } from "./dispatch.ts";
import { type Attempt, logError } from "./measure.ts";
import { lookUpLater } from "./pending.ts";
import { settleWork } from "./settle.ts";
import { logsOf, note, noteLate } from "./settling.ts";

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
  const { found, attempt } = await ask(deps, dispatch, signal);
  if (found.kind === "found") return settleFound(deps, dispatch, found.work, attempt);
  try {
    await withTenant(deps.db, dispatch.tenantId, async (tx) => {
      const logs = logsOf(deps, dispatch, attempt, `${dispatch.toolName}.look_up`);
      if (found.kind === "unreachable") noteUnreachable(deps, logs, dispatch);
      await writeNext(tx, deps, { dispatch, logs }, found);
      await writeLogs(tx, logs);
    });
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    await noteLate(deps, dispatch, attempt);
  }
}

interface Asked {
  found: LookUp;
  attempt: Attempt;
}

/** The longest that one question to a provider may take. */
const LOOK_UP_LIMIT_MS = 20_000;

async function ask(deps: EngineDeps, dispatch: Dispatch, signal: AbortSignal): Promise<Asked> {
  const tool = deps.registry.find(dispatch.toolName)?.tool;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_UP_LIMIT_MS)]);
  const scope = scopeOf(deps, dispatch, limit);
  const startedAt = deps.realNow();
  const found = await answerOf(tool, {
    ...scope,
    action: dispatch.action,
    executionId: dispatch.executionId,
    idempotencyKey: dispatch.idempotencyKey,
  });
  const latencyMs = Math.max(0, deps.realNow() - startedAt);
  const number = dispatch.lookUps + 1;
  return { found, attempt: { number, latencyMs, outside: scope.outside.list() } };
}

async function answerOf(tool: AnyTool | undefined, call: ToolCall): Promise<LookUp> {
  if (!tool?.lookUp) return { kind: "unreachable", message: "the provider cannot be asked by key" };
  try {
    return await unlessAborted(tool.lookUp(call), call.signal);
  } catch (error) {
    return { kind: "unreachable", message: messageOf(error) };
  }
}

/** The output schema holds for results of a look-up, too. */
function settleFound(
  deps: EngineDeps,
  dispatch: Dispatch,
  work: FoundWork,
  attempt: Attempt,
): Promise<void> {
  const tool = deps.registry.find(dispatch.toolName)?.tool;
  return settleWork(deps, dispatch, tool ? checkedWork(tool, work) : work, attempt);
}

function noteUnreachable(deps: EngineDeps, logs: Logs, dispatch: Dispatch): void {
  const { tenantId, executionId, toolName, scope, lookUps } = dispatch;
  logError(
    deps,
    logs,
    { tenantId, runId: scope.runId, executionId, toolName },
    {
      ...{ component: "look_up", errorClass: "unavailable", errorCode: "OUTCOME_UNKNOWN" },
      ...{ errorMessage: "the provider did not say what became of it", attempt: lookUps + 1 },
    },
  );
}

type NotFound = Exclude<LookUp, { kind: "found" }>;

async function writeNext(
  tx: Tx,
  deps: EngineDeps,
  { dispatch, logs }: { dispatch: Dispatch; logs: Logs },
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
    const summary = "it never arrived; the same is sent again with the same key";
    await note(tx, deps, { dispatch, execution }, { eventType: "execution.resent", summary });
    await deps.jobs.enqueue(tx, "execution", { tenantId, id });
    return;
  }
  const waitMs = waitBefore(lookUps);
  if (waitMs === null) {
    noteGivenUp(deps, logs, dispatch);
    return askAboutUnknown(tx, deps, dispatch, execution);
  }
  await setExecution(tx, { tenantId, id, lookUps, runAfter: now + waitMs, leaseUntil: null });
  await deps.jobs.enqueue(tx, "execution", { tenantId, id }, waitMs);
}

function noteGivenUp(deps: EngineDeps, logs: Logs, dispatch: Dispatch): void {
  const { tenantId, executionId, toolName, scope, lookUps } = dispatch;
  logError(
    deps,
    logs,
    { tenantId, runId: scope.runId, executionId, toolName },
    {
      ...{ component: "look_up", errorClass: "dangerous_action", errorCode: "LOOK_UPS_ENDED" },
      ...{ errorMessage: "people are asked whether it happened", attempt: lookUps + 1 },
    },
  );
}

/** From the look-up that was just made to the next; null after the last one. */
function waitBefore(lookUps: number): number | null {
  const next = LOOK_UP_AFTER_MS[lookUps];
  const last = LOOK_UP_AFTER_MS[lookUps - 1];
  return next === undefined || last === undefined ? null : next - last;
}
