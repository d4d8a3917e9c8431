import { messageOf } from "../domain/errors.ts";
import type { FailureClass } from "../domain/failure.ts";
import type { Json } from "../domain/json.ts";
import { externalIdOf, type ToolReply, type ToolResult } from "../domain/tool.ts";
import { failureOfCode } from "../policy/retry.ts";
import { type AuditRow, writeAudit } from "../store/audit.ts";
import { resultLine } from "../store/audit-calls.ts";
import { type Tx, withSavepoint } from "../store/db.ts";
import {
  endExecutions,
  finishExecutions,
  insertResults,
  type ResultRow,
} from "../store/executions.ts";
import { type SettledCandidate, settleCandidates } from "../store/proposals.ts";
import type { ToolWork, WriteResult } from "../tools/contract.ts";
import { type ProposedCall, propose } from "../tools/propose.ts";
import { resultReply } from "../tools/replies.ts";
import { failure } from "../tools/runner.ts";
import { callPersonIfRefused } from "./call-person.ts";
import type { CallToRun, CallWork } from "./calls.ts";
import type { EngineDeps } from "./deps.ts";
import { logError } from "./measure.ts";
import { flushLogs, proposingOf, type Turn } from "./turn.ts";

/**
 * Writes what the calls did and what they returned, together: neither exists without the other. They
 * are matched by our own ids; a result of what is not running under this lease is not written.
 */
export async function recordCalls(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  done: DoneCalls,
): Promise<void> {
  const { tenantId } = turn;
  const now = deps.clock.now();
  const own = await finishExecutions(tx, {
    tenantId,
    ids: done.works.map(({ call }) => call.state.executionId),
    token: turn.lease.token,
    now,
  });
  const written: Written[] = [];
  const audit: AuditRow[] = [];
  for (const { call, work } of done.works) {
    if (own.delete(call.state.executionId))
      written.push({ call, ...(await applyWork(tx, deps, work)) });
    else audit.push(unmatchedRow(turn, call, now));
  }
  const failed = written.filter(({ result }) => !result.ok);
  for (const one of failed) logFailed(deps, turn, one);
  audit.push(...written.map(({ call, result }) => auditRow(turn, call, result, now)));
  const results = written.map(({ call, result }) => resultRow(turn, call, result, now));
  const ids = failed.map(({ call }) => call.state.executionId);
  // to different tables: none of them waits for another
  await Promise.all([
    flushLogs(tx, turn),
    insertResults(tx, results),
    endExecutions(tx, { tenantId, ids, status: "failed", now }),
    settleCandidates(tx, { tenantId, now, rows: settledRows(done.calls, written) }),
    writeAudit(tx, audit),
  ]);
  const codes = failed.map(({ result }) => result.error?.code);
  await callPersonIfRefused(tx, deps, turn, codes);
  const follow = written.flatMap(({ proposes }) => proposes ?? []);
  if (follow.length > 0) await proposeFollowing(tx, deps, turn, follow);
}

/** A round after its calls have run. */
export interface DoneCalls {
  /** All of the round. */
  calls: readonly ProposedCall[];
  /** Of those that ran. */
  works: readonly CallWork[];
}

interface Written extends WriteResult {
  call: CallToRun;
  /** Of which class it is, when it is known better than by the result's code. */
  failure?: FailureClass;
}

/** A failing write takes only itself back: the round's other results stay. */
async function applyWork(tx: Tx, deps: EngineDeps, work: ToolWork): Promise<Omit<Written, "call">> {
  switch (work.kind) {
    case "result":
      return { result: work.result };
    case "retry": {
      const settled = work.instead ? await applyWork(tx, deps, work.instead) : null;
      const { result, ...rest } = settled ?? { result: failure(work.code, work.message) };
      return { ...rest, result, failure: work.failure };
    }
    case "unknown":
      return { result: failure("TIMEOUT", work.message) };
    case "pending": // reads and drafts have no provider that is still at work
    case "write":
      try {
        return await withSavepoint(tx, (inner) => work.apply(inner));
      } catch (error) {
        deps.log.error({ error: messageOf(error) }, "a tool's write failed");
        return { result: failure("PROVIDER_ERROR", "the result could not be stored") };
      }
    default:
      return work satisfies never;
  }
}

/** A refusal without a code is an answer, no error. */
function logFailed(deps: EngineDeps, turn: Turn, { call, result, failure: known }: Written): void {
  const { error } = result;
  if (!error && !known) return;
  const { toolName, state, attempt } = call;
  const of = { tenantId: turn.tenantId, runId: turn.run.id, executionId: state.executionId };
  const errorClass = known ?? (error ? failureOfCode(error.code) : "transient");
  const errorCode = error?.code ?? "UNREACHABLE";
  const errorMessage = error?.message ?? result.summary;
  logError(
    deps,
    turn.logs,
    { ...of, toolName },
    { component: "tool", errorClass, errorCode, errorMessage, attempt },
  );
}

function settledRows(calls: readonly ProposedCall[], written: readonly Written[]) {
  const replies = new Map(
    written.map(({ call, result }) => [call.candidateId, resultReply(result)]),
  );
  const rows = [...replies].map(([id, reply]) => settled(id, reply));
  for (const { candidateId, state } of calls)
    if (state.kind === "same")
      rows.push(settled(candidateId, replies.get(state.asCandidateId) ?? SAME_AS_BEFORE));
  return rows;
}

const SAME_AS_BEFORE: ToolReply = {
  ok: false,
  status: "denied",
  error: { code: "DUPLICATE_KEY", message: "the same call stands earlier in this answer" },
};

function settled(id: string, reply: ToolReply): SettledCandidate {
  return { id, status: reply.ok ? "executed" : "failed", code: reply.error?.code ?? null, reply };
}

async function proposeFollowing(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  follow: NonNullable<WriteResult["proposes"]>,
): Promise<void> {
  const proposing = proposingOf(deps, turn, {
    source: "system",
    messageId: null,
    modelCallId: null,
  });
  const calls = follow.map(({ tool, args }) => ({ name: tool, arguments: JSON.stringify(args) }));
  const proposed = await propose(tx, deps.proposing, proposing, calls);
  for (const [index, { state }] of proposed.entries()) {
    const waits = state.kind === "settled" && state.status === "waiting_approval";
    if (!waits) await follow[index]?.otherwise?.(tx);
  }
}

function resultRow(turn: Turn, call: CallToRun, result: ToolResult, now: number): ResultRow {
  return {
    tenantId: turn.tenantId,
    runId: turn.run.id,
    executionId: call.state.executionId,
    toolName: call.toolName,
    status: result.ok ? "completed" : "failed",
    resultJson: { ...result } as Json, // a tool result is plain JSON
    resultSummary: result.summary,
    externalId: externalIdOf(result),
    createdAt: now,
  };
}

function auditRow(turn: Turn, call: CallToRun, result: ToolResult, now: number): AuditRow {
  const eventType = result.ok ? "execution.completed" : "execution.failed";
  return { ...auditOf(turn, call, now), eventType, summary: resultLine(result) };
}

function unmatchedRow(turn: Turn, call: CallToRun, now: number): AuditRow {
  const summary = "a result of a call that is not under way; it was not taken";
  return { ...auditOf(turn, call, now), eventType: "result.rejected", summary };
}

function auditOf(turn: Turn, call: CallToRun, now: number) {
  return {
    tenantId: turn.tenantId,
    createdAt: now,
    runId: turn.run.id,
    conversationId: turn.conversation.id,
    candidateId: call.candidateId,
    userId: turn.conversation.contactId,
    toolName: call.toolName,
    refs: { execution: call.state.executionId },
  };
}
