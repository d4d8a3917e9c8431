import { approvalName } from "../domain/approval.ts";
import { messageOf } from "../domain/errors.ts";
import type { Json } from "../domain/json.ts";
import type { ToolReply, ToolResult } from "../domain/tool.ts";
import { type Tx, withTenant } from "../store/db.ts";
import {
  insertResults,
  insertRetry,
  lockOwnExecution,
  setExecution,
  settleKeys,
} from "../store/executions.ts";
import { LeaseLostError } from "../store/lease.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import type { ToolWork } from "../tools/contract.ts";
import { resultReply, stateReply } from "../tools/replies.ts";
import { failure } from "../tools/runner.ts";
import type { EngineDeps } from "./deps.ts";
import type { Dispatch } from "./dispatch.ts";
import { becomePending } from "./pending.ts";
import { note, type Settling } from "./settling.ts";

/** When an unknown outcome is asked for: milliseconds after it became unknown, product time. */
export const LOOK_UP_AFTER_MS = [0, 1_000, 5_000, 30_000] as const;
const MAX_ATTEMPTS = 4;
const RETRY_AFTER_MS = [2_000, 10_000, 60_000];

/** Writes how the work ended; a result that comes after the lease was lost is not written. */
export async function settleWork(
  deps: EngineDeps,
  dispatch: Dispatch,
  work: ToolWork,
): Promise<void> {
  try {
    await withTenant(deps.db, dispatch.tenantId, async (tx) => {
      const own = { tenantId: dispatch.tenantId, id: dispatch.executionId, token: dispatch.token };
      const execution = await lockOwnExecution(tx, own);
      await writeWork(tx, deps, { dispatch, execution, work });
    });
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    deps.log.warn({ execution: dispatch.executionId }, messageOf(error));
  }
}

async function writeWork(tx: Tx, deps: EngineDeps, settling: Settling): Promise<void> {
  const { work, execution } = settling;
  switch (work.kind) {
    case "unknown":
      return becomeUnknown(tx, deps, settling);
    case "retry":
      if (execution.attempts < MAX_ATTEMPTS) return retryLater(tx, deps, settling, work);
      return finish(tx, deps, settling, failure(work.code, work.message));
    case "pending":
      return becomePending(tx, deps, settling, await work.apply(tx));
    case "result":
      return finish(tx, deps, settling, work.result);
    case "write":
      return finish(tx, deps, settling, (await work.apply(tx)).result);
    default:
      return work satisfies never;
  }
}

async function finish(
  tx: Tx,
  deps: EngineDeps,
  settling: Settling,
  result: ToolResult,
): Promise<void> {
  const { dispatch, execution } = settling;
  const { tenantId } = dispatch;
  const now = deps.clock.now();
  const status = result.ok ? "completed" : "failed";
  const reply = resultReply(result);
  await setExecution(tx, { tenantId, id: execution.id, status, finishedAt: now, leaseUntil: null });
  await settleKeys(tx, {
    tenantId,
    executionId: execution.id,
    status: result.ok ? "completed" : "freed",
  });
  await setCandidate(tx, {
    tenantId,
    id: execution.candidateId,
    status: result.ok ? "executed" : "failed",
    code: result.error?.code ?? null,
    reply: { ...reply, approval: approvalName(dispatch.approval.number) },
    settledAt: now,
  });
  await insertResults(tx, [
    {
      tenantId,
      runId: execution.runId,
      executionId: execution.id,
      toolName: execution.toolName,
      status,
      resultJson: { ...result } as Json, // a tool result is plain JSON
      resultSummary: result.summary,
      externalId: result.resource_id,
      createdAt: now,
    },
  ]);
  await note(tx, deps, settling, { eventType: `execution.${status}`, summary: result.summary });
  await tellOutcome(tx, deps, dispatch, status);
}

/** The outcome's line in the conversation; a continuation tells the lead. */
export async function tellOutcome(
  tx: Tx,
  deps: EngineDeps,
  dispatch: Dispatch,
  status: string,
): Promise<void> {
  const { approval, tenantId } = dispatch;
  await recordOutcome(tx, deps.jobs, {
    tenantId,
    conversationId: approval.conversationId,
    approvalId: approval.id,
    line: `${approvalName(approval.number)} (${approval.toolName}) is now ${status}; tell the lead; do not call it again.`,
    now: deps.clock.now(),
    waitMs: 0,
  });
}

/** Something may have happened outside: never sent again by itself, asked for by key. */
async function becomeUnknown(tx: Tx, deps: EngineDeps, settling: Settling): Promise<void> {
  const { dispatch, execution } = settling;
  const { tenantId } = dispatch;
  const now = deps.clock.now();
  await setExecution(tx, {
    tenantId,
    id: execution.id,
    status: "unknown",
    runAfter: now + LOOK_UP_AFTER_MS[0],
    lookUps: 0,
    leaseUntil: null,
  });
  await settleKeys(tx, { tenantId, executionId: execution.id, status: "unknown" });
  await setCandidate(tx, {
    tenantId,
    id: execution.candidateId,
    reply: unknownReply(dispatch.approval.number),
  });
  const summary = "the outcome is not known; it is looked up by key";
  await note(tx, deps, settling, { eventType: "execution.unknown", summary });
  await deps.jobs.enqueue(tx, "execution", { tenantId, id: execution.id }, LOOK_UP_AFTER_MS[0]);
}

export function unknownReply(number: number): ToolReply {
  return stateReply("unknown", "the outcome is being checked; do not call it again", number);
}

async function retryLater(
  tx: Tx,
  deps: EngineDeps,
  settling: Settling,
  work: Extract<ToolWork, { kind: "retry" }>,
): Promise<void> {
  const { dispatch, execution } = settling;
  const { tenantId } = dispatch;
  const now = deps.clock.now();
  const waitMs = Math.max(work.afterMs, RETRY_AFTER_MS[execution.attempts - 1] ?? 60_000);
  await setExecution(tx, {
    tenantId,
    id: execution.id,
    status: "retry_scheduled",
    runAfter: now + waitMs,
    leaseUntil: null,
  });
  await insertRetry(tx, {
    tenantId,
    runId: execution.runId,
    executionId: execution.id,
    toolName: execution.toolName,
    attempt: execution.attempts,
    retryReason: work.code,
    nextRunAt: now + waitMs,
    createdAt: now,
  });
  await note(tx, deps, settling, { eventType: "execution.retry_scheduled", summary: work.code });
  await deps.jobs.enqueue(tx, "execution", { tenantId, id: execution.id }, waitMs);
}
