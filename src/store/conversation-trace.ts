import { and, desc, eq, getTableColumns, inArray } from "drizzle-orm";
import { visibleOrderColumns } from "./admin-reads.ts";
import type { Tx } from "./db.ts";
import { outsideCallsOf } from "./outside-calls.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { contacts, conversations, handoffs, messages, outbox } from "./schema/chat.ts";
import { exchangeOrders, exchangeQuotes } from "./schema/exchange.ts";
import {
  agentToolCallFeedback,
  agentToolCalls,
  errorLog,
  modelCallLog,
  runs,
} from "./schema/runs.ts";
import { auditLog } from "./schema/tenancy.ts";
import {
  policyGateLog,
  toolArgumentChecks,
  toolCallCandidates,
  toolExecutionQueue,
  toolResultLog,
  toolRetryLog,
  toolSchemaVersions,
} from "./schema/tools.ts";
import { tasksOfConversation } from "./tasks.ts";

/** The newest rows of each kind; a conversation of years must not fill the memory. */
const ROWS_OF_A_KIND = 1000;

interface Of {
  tenantId: string;
  conversationId: string;
}

/**
 * Everything that was said, proposed, checked, decided and done in one conversation, oldest first;
 * null when the tenant has no such conversation. Encrypted values are left out.
 */
export async function conversationTrace(tx: Tx, of: Of) {
  const [conversation] = await tx
    .select()
    .from(conversations)
    .where(and(eq(conversations.tenantId, of.tenantId), eq(conversations.id, of.conversationId)));
  if (!conversation) return null;
  const [contact] = await tx
    .select()
    .from(contacts)
    .where(and(eq(contacts.tenantId, of.tenantId), eq(contacts.id, conversation.contactId)));
  return {
    conversation,
    contact: contact ?? null,
    ...(await spoken(tx, of)),
    ...(await judged(tx, of)),
    ...(await work(tx, of)),
    ...(await calls(tx, of)),
    ...(await decisions(tx, of)),
    ...(await deals(tx, of)),
    tasks: await tasksOfConversation(tx, of),
  };
}

async function spoken(tx: Tx, of: Of) {
  const said = await tx
    .select()
    .from(messages)
    .where(and(eq(messages.tenantId, of.tenantId), eq(messages.conversationId, of.conversationId)))
    .orderBy(desc(messages.seq))
    .limit(ROWS_OF_A_KIND);
  const { leaseToken: _lease, ...columns } = getTableColumns(outbox);
  const sent = await tx
    .select(columns)
    .from(outbox)
    .where(and(eq(outbox.tenantId, of.tenantId), eq(outbox.conversationId, of.conversationId)))
    .orderBy(desc(outbox.seq))
    .limit(ROWS_OF_A_KIND);
  return { messages: said.reverse(), outbox: sent.reverse() };
}

/** What staff think of the replies, also what they took back. */
async function judged(tx: Tx, of: Of) {
  const { tenantId: _tenant, ...columns } = getTableColumns(agentToolCallFeedback);
  const feedback = await tx
    .select(columns)
    .from(agentToolCallFeedback)
    .where(
      and(
        eq(agentToolCallFeedback.tenantId, of.tenantId),
        eq(agentToolCallFeedback.conversationId, of.conversationId),
      ),
    )
    .orderBy(desc(agentToolCallFeedback.createdAt), desc(agentToolCallFeedback.id))
    .limit(ROWS_OF_A_KIND);
  return { feedback: feedback.reverse() };
}

async function work(tx: Tx, of: Of) {
  const { leaseToken: _lease, ...columns } = getTableColumns(runs);
  const own = await tx
    .select(columns)
    .from(runs)
    .where(and(eq(runs.tenantId, of.tenantId), eq(runs.conversationId, of.conversationId)))
    .orderBy(desc(runs.createdAt), desc(runs.id))
    .limit(ROWS_OF_A_KIND);
  const modelCalls = await tx
    .select()
    .from(modelCallLog)
    .where(
      and(
        eq(modelCallLog.tenantId, of.tenantId),
        inArray(
          modelCallLog.runId,
          own.map((run) => run.id),
        ),
      ),
    )
    .orderBy(desc(modelCallLog.createdAt), desc(modelCallLog.id))
    .limit(ROWS_OF_A_KIND);
  const toolCalls = await tx
    .select()
    .from(agentToolCalls)
    .where(
      and(
        eq(agentToolCalls.tenantId, of.tenantId),
        eq(agentToolCalls.conversationId, of.conversationId),
      ),
    )
    .orderBy(desc(agentToolCalls.createdAt), desc(agentToolCalls.id))
    .limit(ROWS_OF_A_KIND);
  return {
    runs: own.reverse(),
    modelCalls: modelCalls.reverse(),
    toolCalls: toolCalls.reverse(),
  };
}

async function calls(tx: Tx, of: Of) {
  const candidates = await tx
    .select()
    .from(toolCallCandidates)
    .where(
      and(
        eq(toolCallCandidates.tenantId, of.tenantId),
        eq(toolCallCandidates.conversationId, of.conversationId),
      ),
    )
    .orderBy(desc(toolCallCandidates.createdAt), desc(toolCallCandidates.ordinal))
    .limit(ROWS_OF_A_KIND);
  const ids = candidates.map((candidate) => candidate.id);
  const checks = await tx
    .select()
    .from(toolArgumentChecks)
    .where(
      and(
        eq(toolArgumentChecks.tenantId, of.tenantId),
        inArray(toolArgumentChecks.candidateId, ids),
      ),
    )
    .orderBy(toolArgumentChecks.createdAt, toolArgumentChecks.id);
  const gateLog = await tx
    .select()
    .from(policyGateLog)
    .where(and(eq(policyGateLog.tenantId, of.tenantId), inArray(policyGateLog.candidateId, ids)))
    .orderBy(policyGateLog.createdAt, policyGateLog.id);
  const schemas = await schemasOf(tx, candidates);
  return {
    candidates: candidates.reverse(),
    schemas,
    checks,
    gateLog,
    ...(await executed(tx, of)),
  };
}

/** The versions that the calls were checked by; a tool may have another one by now. */
async function schemasOf(
  tx: Tx,
  calls: readonly { toolName: string; schemaVersion: number }[],
): Promise<(typeof toolSchemaVersions.$inferSelect)[]> {
  const names = [...new Set(calls.map(({ toolName }) => toolName))];
  const used = new Set(calls.map(({ toolName, schemaVersion }) => `${toolName} ${schemaVersion}`));
  const versions = await tx
    .select()
    .from(toolSchemaVersions)
    .where(inArray(toolSchemaVersions.toolName, names))
    .orderBy(toolSchemaVersions.toolName, toolSchemaVersions.schemaVersion);
  return versions.filter((one) => used.has(`${one.toolName} ${one.schemaVersion}`));
}

async function executed(tx: Tx, of: Of) {
  const { leaseToken: _lease, ...columns } = getTableColumns(toolExecutionQueue);
  const executions = await tx
    .select(columns)
    .from(toolExecutionQueue)
    .where(
      and(
        eq(toolExecutionQueue.tenantId, of.tenantId),
        eq(toolExecutionQueue.conversationId, of.conversationId),
      ),
    )
    .orderBy(desc(toolExecutionQueue.createdAt), desc(toolExecutionQueue.id))
    .limit(ROWS_OF_A_KIND);
  const ids = executions.map((execution) => execution.id);
  const results = await tx
    .select()
    .from(toolResultLog)
    .where(and(eq(toolResultLog.tenantId, of.tenantId), inArray(toolResultLog.executionId, ids)))
    .orderBy(toolResultLog.createdAt, toolResultLog.id);
  const retries = await tx
    .select()
    .from(toolRetryLog)
    .where(and(eq(toolRetryLog.tenantId, of.tenantId), inArray(toolRetryLog.executionId, ids)))
    .orderBy(toolRetryLog.createdAt, toolRetryLog.id);
  const outsideCalls = await outsideCallsOf(tx, { tenantId: of.tenantId, executionIds: ids });
  const errors = await tx
    .select()
    .from(errorLog)
    .where(and(eq(errorLog.tenantId, of.tenantId), inArray(errorLog.executionId, ids)))
    .orderBy(errorLog.createdAt, errorLog.id);
  return { executions: executions.reverse(), results, retries, outsideCalls, errors };
}

async function decisions(tx: Tx, of: Of) {
  const approvals = await tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, of.tenantId),
        eq(approvalQueue.conversationId, of.conversationId),
      ),
    )
    .orderBy(approvalQueue.number);
  const votes = await tx
    .select()
    .from(approvalVotes)
    .where(
      and(
        eq(approvalVotes.tenantId, of.tenantId),
        inArray(
          approvalVotes.approvalId,
          approvals.map((approval) => approval.id),
        ),
      ),
    )
    .orderBy(approvalVotes.createdAt, approvalVotes.id);
  const audit = await tx
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.tenantId, of.tenantId), eq(auditLog.conversationId, of.conversationId)))
    .orderBy(desc(auditLog.id))
    .limit(ROWS_OF_A_KIND);
  return { approvals, votes, audit: audit.reverse() };
}

async function deals(tx: Tx, of: Of) {
  const quotes = await tx
    .select()
    .from(exchangeQuotes)
    .where(
      and(
        eq(exchangeQuotes.tenantId, of.tenantId),
        eq(exchangeQuotes.conversationId, of.conversationId),
      ),
    )
    .orderBy(exchangeQuotes.createdAt, exchangeQuotes.number);
  const orders = await tx
    .select(visibleOrderColumns)
    .from(exchangeOrders)
    .where(
      and(
        eq(exchangeOrders.tenantId, of.tenantId),
        eq(exchangeOrders.conversationId, of.conversationId),
      ),
    )
    .orderBy(exchangeOrders.createdAt, exchangeOrders.number);
  const handoffRows = await tx
    .select()
    .from(handoffs)
    .where(and(eq(handoffs.tenantId, of.tenantId), eq(handoffs.conversationId, of.conversationId)))
    .orderBy(handoffs.createdAt, handoffs.id);
  return { quotes, orders, handoffs: handoffRows };
}
