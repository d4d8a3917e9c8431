import { and, asc, count, desc, eq, inArray, isNotNull, notInArray } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Tx } from "./db.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { handoffs, messages, tasks } from "./schema/chat.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { runs } from "./schema/runs.ts";
import {
  policyGateLog,
  toolArgumentChecks,
  toolCallCandidates,
  toolExecutionQueue,
  toolRetryLog,
} from "./schema/tools.ts";

interface InConversation {
  tenantId: string;
  conversationId: string;
}

/** Ids of all runs that a conversation has had. */
export async function runsOf(tx: Tx, of: InConversation): Promise<string[]> {
  const rows = await tx.select({ id: runs.id }).from(runs).where(within(runs, of));
  return rows.map(({ id }) => id);
}

/** Runs that wait for their time, the first first. */
export function waitingRuns(tx: Tx, of: InConversation) {
  return tx
    .select({ id: runs.id, dueAt: runs.dueAt })
    .from(runs)
    .where(and(within(runs, of), inArray(runs.status, ["queued", "waiting_retry"])))
    .orderBy(runs.dueAt);
}

/** Approved effects that wait for their time, the first first. */
export function waitingExecutions(tx: Tx, of: InConversation) {
  return tx
    .select({
      id: toolExecutionQueue.id,
      dueAt: toolExecutionQueue.runAfter,
      leaseUntil: toolExecutionQueue.leaseUntil,
    })
    .from(toolExecutionQueue)
    .where(
      and(
        within(toolExecutionQueue, of),
        isNotNull(toolExecutionQueue.approvalId),
        inArray(toolExecutionQueue.status, ["queued", "retry_scheduled", "unknown"]),
      ),
    )
    .orderBy(toolExecutionQueue.runAfter);
}

/** Requests that people have not decided, the first first. */
export async function pendingApprovals(tx: Tx, of: InConversation) {
  return tx
    .select({ id: approvalQueue.id, approverRole: approvalQueue.approverRole })
    .from(approvalQueue)
    .where(and(within(approvalQueue, of), eq(approvalQueue.status, "pending")))
    .orderBy(approvalQueue.number);
}

/** Calls that a model proposed in the conversation, but not in the runs `except`, in order. */
export async function proposedCalls(tx: Tx, of: InConversation & { except: readonly string[] }) {
  const calls = await tx
    .select({
      id: toolCallCandidates.id,
      toolName: toolCallCandidates.toolName,
      args: toolCallCandidates.argumentsJson,
      status: toolCallCandidates.status,
      code: toolCallCandidates.code,
      reply: toolCallCandidates.reply,
    })
    .from(toolCallCandidates)
    .where(
      and(
        within(toolCallCandidates, of),
        eq(toolCallCandidates.source, "model"),
        inRunsBut(toolCallCandidates.runId, of.except),
      ),
    )
    .orderBy(
      asc(toolCallCandidates.createdAt),
      asc(toolCallCandidates.cycle),
      asc(toolCallCandidates.ordinal),
    );
  const ids = calls.map(({ id }) => id);
  const checks = await checksOf(tx, of.tenantId, ids);
  const gates = await gatesOf(tx, of.tenantId, ids);
  return calls.map((call) => ({
    ...call,
    isValid: checks.get(call.id) ?? null,
    gate: gates.get(call.id) ?? null,
  }));
}

async function checksOf(tx: Tx, tenantId: string, ids: string[]): Promise<Map<string, boolean>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .select({ id: toolArgumentChecks.candidateId, isValid: toolArgumentChecks.isValid })
    .from(toolArgumentChecks)
    .where(
      and(eq(toolArgumentChecks.tenantId, tenantId), inArray(toolArgumentChecks.candidateId, ids)),
    );
  return new Map(rows.map(({ id, isValid }) => [id, isValid]));
}

/** The gate's word on the proposal; a second look at the dispatch is not of the model. */
async function gatesOf(tx: Tx, tenantId: string, ids: string[]) {
  if (ids.length === 0)
    return new Map<string, { result: "allow" | "approval" | "deny"; reason: string | null }>();
  const rows = await tx
    .select({
      id: policyGateLog.candidateId,
      result: policyGateLog.policyResult,
      reason: policyGateLog.blockReason,
    })
    .from(policyGateLog)
    .where(
      and(
        eq(policyGateLog.tenantId, tenantId),
        inArray(policyGateLog.candidateId, ids),
        eq(policyGateLog.moment, "proposal"),
      ),
    )
    .orderBy(desc(policyGateLog.createdAt));
  return new Map(rows.map(({ id, result, reason }) => [id, { result, reason }]));
}

/** What the client was answered, but not in the runs `except`, in order. */
export async function repliesOf(
  tx: Tx,
  of: InConversation & { except: readonly string[] },
): Promise<string[]> {
  const rows = await tx
    .select({ text: messages.text })
    .from(messages)
    .where(
      and(
        within(messages, of),
        eq(messages.author, "bot"),
        eq(messages.kind, "text"),
        eq(messages.status, "kept"),
        inRunsBut(messages.runId, of.except),
      ),
    )
    .orderBy(asc(messages.seq));
  return rows.map(({ text }) => text);
}

/** How many rows a conversation has of each kind; `executions`: of effects. */
export async function effectCounts(tx: Tx, of: InConversation) {
  const runIds = await runsOf(tx, of);
  return {
    approvals: await many(tx, approvalQueue, within(approvalQueue, of)),
    executions: await many(
      tx,
      toolExecutionQueue,
      and(within(toolExecutionQueue, of), eq(toolExecutionQueue.hasSideEffect, true)),
    ),
    handoffs: await many(tx, handoffs, within(handoffs, of)),
    orders: await many(tx, exchangeOrders, within(exchangeOrders, of)),
    tasks: await many(tx, tasks, within(tasks, of)),
    retries: await many(
      tx,
      toolRetryLog,
      and(eq(toolRetryLog.tenantId, of.tenantId), inArray(toolRetryLog.runId, runIds)),
    ),
  };
}

async function many(tx: Tx, table: PgTable, which: ReturnType<typeof and>): Promise<number> {
  const [row] = await tx.select({ many: count() }).from(table).where(which);
  return row?.many ?? 0;
}

type Placed = {
  tenantId: typeof runs.tenantId | typeof messages.tenantId;
  conversationId: typeof runs.conversationId | typeof toolCallCandidates.conversationId;
};

function within(table: unknown, { tenantId, conversationId }: InConversation) {
  const placed = table as Placed; // each of them has both columns
  return and(eq(placed.tenantId, tenantId), eq(placed.conversationId, conversationId));
}

function inRunsBut(column: AnyPgColumn, except: readonly string[]) {
  return except.length === 0
    ? isNotNull(column)
    : and(isNotNull(column), notInArray(column, [...except]));
}
