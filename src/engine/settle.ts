import { approvalName } from "../domain/approval.ts";
import type { FailureClass } from "../domain/failure.ts";
import type { Json } from "../domain/json.ts";
import { externalIdOf, type ToolResult } from "../domain/tool.ts";
import { EFFECT_RETRIES, failureOfCode, nextTry } from "../policy/retry.ts";
import { resultLine } from "../store/audit-calls.ts";
import { type Tx, withSavepoint, withTenant } from "../store/db.ts";
import {
  insertResults,
  insertRetries,
  lockOwnExecution,
  setExecution,
  settleKeys,
} from "../store/executions.ts";
import { LeaseLostError } from "../store/lease.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import { writeLogs } from "../store/run-logs.ts";
import type { ToolWork, WriteResult } from "../tools/contract.ts";
import { resultReply } from "../tools/replies.ts";
import { failure } from "../tools/runner.ts";
import { becomeUnknown, isSentBefore } from "./become-unknown.ts";
import type { EngineDeps } from "./deps.ts";
import type { Dispatch } from "./dispatch.ts";
import { type Attempt, NO_ATTEMPT } from "./measure.ts";
import { becomePending } from "./pending.ts";
import { proposeNext } from "./propose-next.ts";
import { logsOf, note, noteLate, type Settling } from "./settling.ts";
import { tellDeadEnd } from "./tell-dead-end.ts";

/**
 * Writes how the work ended and what was asked outside for it; a result that comes after the lease
 * was lost is not written, the trail alone says that it came.
 */
export async function settleWork(
  deps: EngineDeps,
  dispatch: Dispatch,
  work: ToolWork,
  attempt: Attempt = NO_ATTEMPT,
): Promise<void> {
  try {
    await withTenant(deps.db, dispatch.tenantId, async (tx) => {
      const own = { tenantId: dispatch.tenantId, id: dispatch.executionId, token: dispatch.token };
      const execution = await lockOwnExecution(tx, own);
      const logs = logsOf(deps, dispatch, attempt);
      await writeWork(tx, deps, { dispatch, execution, work, logs });
      await writeLogs(tx, logs);
    });
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    await noteLate(deps, dispatch, attempt);
  }
}

async function writeWork(tx: Tx, deps: EngineDeps, settling: Settling): Promise<void> {
  const { work, execution, dispatch } = settling;
  if (isSentBefore(execution)) return writeSecond(tx, deps, settling);
  switch (work.kind) {
    case "unknown":
      return becomeUnknown(tx, deps, { execution, approval: dispatch.approval });
    case "retry":
      return retryOrEnd(tx, deps, settling, work);
    case "pending":
      return becomePending(tx, deps, settling, await work.apply(tx));
    case "result":
      return finish(tx, deps, settling, { result: work.result });
    case "write":
      return finish(tx, deps, settling, await work.apply(tx));
    default:
      return work satisfies never;
  }
}

/** What was sent a second time: taken on it is done; anything else leaves the first sending open. */
async function writeSecond(tx: Tx, deps: EngineDeps, settling: Settling): Promise<void> {
  const { work, execution, dispatch } = settling;
  if (work.kind === "pending") return becomePending(tx, deps, settling, await work.apply(tx));
  const done = await doneBy(tx, work);
  if (done) return finish(tx, deps, settling, done);
  const why = "the second sending came to nothing";
  return becomeUnknown(tx, deps, { execution, approval: dispatch.approval }, why);
}

/** null: it did nothing; of what a refusal wrote nothing stays. */
async function doneBy(
  tx: Tx,
  work: Exclude<ToolWork, { kind: "pending" }>,
): Promise<WriteResult | null> {
  if (work.kind === "result") return work.result.ok ? { result: work.result } : null;
  if (work.kind !== "write") return null;
  try {
    return await withSavepoint(tx, async (inner) => {
      const written = await work.apply(inner);
      if (!written.result.ok) throw new NotDone();
      return written;
    });
  } catch (error) {
    if (error instanceof NotDone) return null;
    throw error;
  }
}

class NotDone extends Error {
  override readonly name = "NotDone";
}

async function finish(
  tx: Tx,
  deps: EngineDeps,
  settling: Settling,
  { result, proposes = [] }: WriteResult,
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
      externalId: externalIdOf(result),
      createdAt: now,
    },
  ]);
  await note(tx, deps, settling, { eventType: `execution.${status}`, summary: resultLine(result) });
  if (!result.ok) await endInFailure(tx, deps, settling, result);
  if (proposes.length > 0) await proposeNext(tx, deps, dispatch, proposes);
  await tellOutcome(tx, deps, dispatch, status);
}

/** Approved and not done. A tool that wrote its own end has told people itself. */
async function endInFailure(
  tx: Tx,
  deps: EngineDeps,
  settling: Settling,
  result: ToolResult,
): Promise<void> {
  const { work, execution } = settling;
  const errorCode = result.error?.code ?? "REFUSED";
  const errorClass = work.kind === "retry" ? failureOfRetry(work) : failureOfResult(result);
  noteError(deps, settling, { errorClass, errorCode, errorMessage: result.summary });
  if (work.kind === "write") return;
  await tellDeadEnd(tx, deps, settling, {
    en: `approved and not done (attempts: ${execution.attempts}): ${result.summary}`,
    ru: `одобрено и не выполнено (попыток: ${execution.attempts}): ${result.summary}`,
  });
}

function failureOfResult({ error }: ToolResult): FailureClass {
  return error ? failureOfCode(error.code) : "policy_block";
}

function failureOfRetry(work: Extract<ToolWork, { kind: "retry" }>): FailureClass {
  return work.failure ?? failureOfCode(work.code);
}

function noteError(
  deps: EngineDeps,
  { dispatch, execution, logs }: Settling,
  said: { errorClass: FailureClass; errorCode: string; errorMessage: string },
): void {
  const { tenantId, executionId, toolName } = dispatch;
  logs.errors.push({
    ...{ tenantId, runId: execution.runId, executionId, toolName, component: "tool" },
    ...{ ...said, attempt: execution.attempts, createdAt: deps.clock.now() },
  });
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

/** Certainly nothing arrived: the same goes out again, as often as its class of failure allows. */
async function retryOrEnd(
  tx: Tx,
  deps: EngineDeps,
  settling: Settling,
  work: Extract<ToolWork, { kind: "retry" }>,
): Promise<void> {
  const { dispatch, execution } = settling;
  const errorClass = failureOfRetry(work);
  const { attempts: attempt } = execution;
  const tried = { failure: errorClass, attempt, retryAfterMs: work.afterMs };
  const next = nextTry(tried, EFFECT_RETRIES);
  if (next.kind === "stop") {
    const { instead } = work;
    if (instead) return writeWork(tx, deps, { ...settling, work: instead });
    return finish(tx, deps, settling, { result: failure(work.code, work.message) });
  }
  const { tenantId } = dispatch;
  const { runId, id, toolName } = execution;
  const now = deps.clock.now();
  const nextRunAt = now + next.waitMs;
  noteError(deps, settling, { errorClass, errorCode: work.code, errorMessage: work.message });
  await setExecution(tx, {
    ...{ tenantId, id, status: "retry_scheduled", runAfter: nextRunAt, leaseUntil: null },
  });
  await insertRetries(tx, [
    {
      ...{ tenantId, runId, executionId: id, toolName, attempt, nextRunAt, createdAt: now },
      retryReason: errorClass,
    },
  ]);
  await note(tx, deps, settling, { eventType: "execution.retry_scheduled", summary: errorClass });
  await deps.jobs.enqueue(tx, "execution", { tenantId, id }, next.waitMs);
}
