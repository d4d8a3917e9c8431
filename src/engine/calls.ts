import { messageOf } from "../domain/errors.ts";
import type { Json } from "../domain/json.ts";
import type { ToolReply, ToolResult } from "../domain/tool.ts";
import { type AuditRow, writeAudit } from "../store/audit.ts";
import { type Tx, withSavepoint, withTenant } from "../store/db.ts";
import { finishExecutions, insertResults, type ResultRow } from "../store/executions.ts";
import { setCandidate } from "../store/proposals.ts";
import type { ToolWork, WriteResult } from "../tools/contract.ts";
import type { ProposedCall, ProposedState } from "../tools/propose.ts";
import { propose } from "../tools/propose.ts";
import { resultReply } from "../tools/replies.ts";
import { failure } from "../tools/runner.ts";
import type { EngineDeps } from "./deps.ts";
import { proposingOf, type Turn } from "./turn.ts";

export interface CallWork {
  call: ProposedCall & { state: Extract<ProposedState, { kind: "run" }> };
  work: ToolWork;
}

/** Runs what the gate allowed, side by side; all settle. No transaction is open. */
export function runCalls(
  deps: EngineDeps,
  turn: Turn,
  calls: readonly ProposedCall[],
  signal: AbortSignal,
): Promise<CallWork[]> {
  const { tenantId, conversation, run } = turn;
  const scope = {
    tenantId,
    conversationId: conversation.id,
    contactId: conversation.contactId,
    runId: run.id,
    language: conversation.language,
    now: deps.clock.now(),
    signal,
    read: <T>(work: (tx: Tx) => Promise<T>) => withTenant(deps.db, tenantId, work),
  };
  return Promise.all(
    calls.flatMap((call) => {
      const { state } = call;
      if (state.kind !== "run") return [];
      return [
        deps.runner.run(state.permit, scope).then((work) => ({ call: { ...call, state }, work })),
      ];
    }),
  );
}

/** Writes what the calls did and what they returned, together: neither exists without the other. */
export async function recordCalls(
  tx: Tx,
  deps: EngineDeps,
  turn: Turn,
  done: { calls: readonly ProposedCall[]; works: readonly CallWork[] },
): Promise<void> {
  const { tenantId } = turn;
  const now = deps.clock.now();
  const replies = new Map<string, ToolReply>();
  const results: ResultRow[] = [];
  const audit: AuditRow[] = [];
  const follow: NonNullable<WriteResult["proposes"]> = [];
  for (const { call, work } of done.works) {
    const written = await applyWork(tx, deps, work);
    follow.push(...(written.proposes ?? []));
    const reply = resultReply(written.result);
    replies.set(call.candidateId, reply);
    results.push(resultRow(turn, call, written.result, now));
    audit.push(auditRow(turn, call, written.result, now));
    await setCandidate(tx, settled(tenantId, call.candidateId, reply, now));
  }
  for (const call of done.calls) {
    if (call.state.kind !== "same") continue;
    const reply = replies.get(call.state.asCandidateId) ?? SAME_AS_BEFORE;
    await setCandidate(tx, settled(tenantId, call.candidateId, reply, now));
  }
  await insertResults(tx, results);
  await finishExecutions(tx, {
    tenantId,
    ids: done.works.map(({ call }) => call.state.executionId),
    token: turn.lease.token,
    status: "completed",
    now,
  });
  await writeAudit(tx, audit);
  if (follow.length > 0) await proposeFollowing(tx, deps, turn, follow);
}

const SAME_AS_BEFORE: ToolReply = {
  ok: false,
  status: "denied",
  error: { code: "DUPLICATE_KEY", message: "the same call stands earlier in this answer" },
};

/** A failing write takes only itself back: the round's other results stay. */
async function applyWork(tx: Tx, deps: EngineDeps, work: ToolWork): Promise<WriteResult> {
  switch (work.kind) {
    case "result":
      return { result: work.result };
    case "retry":
      return { result: failure(work.code, work.message) };
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

function settled(tenantId: string, id: string, reply: ToolReply, now: number) {
  const status = reply.ok ? ("executed" as const) : ("failed" as const);
  const code = reply.error?.code ?? null;
  return { tenantId, id, status, code, reply, settledAt: now };
}

function resultRow(turn: Turn, call: CallWork["call"], result: ToolResult, now: number): ResultRow {
  return {
    tenantId: turn.tenantId,
    runId: turn.run.id,
    executionId: call.state.executionId,
    toolName: call.toolName,
    status: result.ok ? "completed" : "failed",
    resultJson: { ...result } as Json, // a tool result is plain JSON
    resultSummary: result.summary,
    externalId: result.resource_id,
    createdAt: now,
  };
}

function auditRow(turn: Turn, call: CallWork["call"], result: ToolResult, now: number): AuditRow {
  return {
    tenantId: turn.tenantId,
    eventType: result.ok ? "execution.completed" : "execution.failed",
    summary: result.summary,
    createdAt: now,
    runId: turn.run.id,
    conversationId: turn.conversation.id,
    candidateId: call.candidateId,
    userId: turn.conversation.contactId,
    toolName: call.toolName,
    refs: { execution: call.state.executionId },
  };
}
