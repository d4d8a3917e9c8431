import { and, asc, desc, eq, gt, inArray, isNotNull, lt, lte, ne, or, sql } from "drizzle-orm";
import { queryRows, type Tx } from "./db.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { messages, outbox } from "./schema/chat.ts";
import { externalApiLog, modelCallLog, runs } from "./schema/runs.ts";
import { auditLog, staff } from "./schema/tenancy.ts";
import {
  idempotencyKeys,
  policyGateLog,
  toolArgumentChecks,
  toolCallCandidates,
  toolExecutionQueue,
  toolResultLog,
  toolRetryLog,
  toolSchemaVersions,
} from "./schema/tools.ts";

const MOST_MESSAGES = 20;

type Candidate = typeof toolCallCandidates.$inferSelect;
type Approval = typeof approvalQueue.$inferSelect;

/**
 * The whole way of one call, in order: what the lead wrote, the model's answer, the proposal, its check
 * and gate, the people's decision, the execution, its result, what the lead was told; beside it the
 * rows of the trail. null: the tenant has no such call. Each part as its own table has it, so that an
 * old call is read with the schema that it was checked by.
 */
export async function callPath(tx: Tx, of: { tenantId: string; candidateId: string }) {
  const { tenantId, candidateId } = of;
  const [candidate] = await tx
    .select()
    .from(toolCallCandidates)
    .where(and(eq(toolCallCandidates.tenantId, tenantId), eq(toolCallCandidates.id, candidateId)));
  if (!candidate) return null;
  const decided = await decisionOf(tx, candidate);
  return {
    messages: await askedBy(tx, candidate),
    modelCall: await modelCallOf(tx, candidate),
    candidate,
    ...(await judged(tx, candidate)),
    ...decided,
    ...(await carriedOut(tx, candidate)),
    ...(await answered(tx, candidate, decided.approval)),
    audit: await trailOf(tx, candidate),
  };
}

/** All that is known of one call, from proposal to outcome. */
export type CallPath = NonNullable<Awaited<ReturnType<typeof callPath>>>;

/** The lead's messages since the bot's last reply, up to the answer that made the call. */
async function askedBy(tx: Tx, candidate: Candidate) {
  const { tenantId, conversationId } = candidate;
  const upTo = await placeInConversation(tx, candidate);
  if (conversationId === null || upTo === null) return [];
  const inConversation = and(
    eq(messages.tenantId, tenantId),
    eq(messages.conversationId, conversationId),
  );
  const [before] = await tx
    .select({ seq: messages.seq })
    .from(messages)
    .where(
      and(
        inConversation,
        lt(messages.seq, upTo),
        eq(messages.author, "bot"),
        eq(messages.kind, "text"),
        eq(messages.status, "kept"),
      ),
    )
    .orderBy(desc(messages.seq))
    .limit(1);
  return tx
    .select()
    .from(messages)
    .where(
      and(
        inConversation,
        eq(messages.author, "lead"),
        lte(messages.seq, upTo),
        gt(messages.seq, before?.seq ?? 0),
      ),
    )
    .orderBy(asc(messages.seq))
    .limit(MOST_MESSAGES);
}

async function placeInConversation(tx: Tx, candidate: Candidate): Promise<number | null> {
  const { tenantId, messageId, runId } = candidate;
  if (messageId !== null) {
    const [asking] = await tx
      .select({ seq: messages.seq })
      .from(messages)
      .where(and(eq(messages.tenantId, tenantId), eq(messages.id, messageId)));
    if (asking) return asking.seq;
  }
  if (runId === null) return null;
  const [run] = await tx
    .select({ seq: runs.seenSeq })
    .from(runs)
    .where(and(eq(runs.tenantId, tenantId), eq(runs.id, runId)));
  return run?.seq ?? null;
}

async function modelCallOf(tx: Tx, { tenantId, modelCallId }: Candidate) {
  if (modelCallId === null) return null;
  const [call] = await tx
    .select()
    .from(modelCallLog)
    .where(and(eq(modelCallLog.tenantId, tenantId), eq(modelCallLog.id, modelCallId)));
  return call ?? null;
}

async function judged(tx: Tx, { tenantId, id, toolName, schemaVersion }: Candidate) {
  const checks = await tx
    .select()
    .from(toolArgumentChecks)
    .where(and(eq(toolArgumentChecks.tenantId, tenantId), eq(toolArgumentChecks.candidateId, id)))
    .orderBy(asc(toolArgumentChecks.id));
  const [schema] = await tx
    .select()
    .from(toolSchemaVersions)
    .where(
      and(
        eq(toolSchemaVersions.toolName, toolName),
        eq(toolSchemaVersions.schemaVersion, schemaVersion),
      ),
    );
  const gates = await tx
    .select()
    .from(policyGateLog)
    .where(and(eq(policyGateLog.tenantId, tenantId), eq(policyGateLog.candidateId, id)))
    .orderBy(asc(policyGateLog.id));
  return { checks, schema: schema ?? null, gates };
}

async function decisionOf(tx: Tx, { tenantId, id }: Candidate) {
  const [approval] = await tx
    .select()
    .from(approvalQueue)
    .where(and(eq(approvalQueue.tenantId, tenantId), eq(approvalQueue.candidateId, id)));
  if (!approval) return { approval: null, votes: [], cards: [] };
  const votes = await tx
    .select({
      staffId: approvalVotes.staffId,
      name: staff.name,
      decision: approvalVotes.decision,
      via: approvalVotes.via,
      actionDigest: approvalVotes.actionDigest,
      voidedAt: approvalVotes.voidedAt,
      createdAt: approvalVotes.createdAt,
    })
    .from(approvalVotes)
    .leftJoin(staff, and(eq(staff.tenantId, tenantId), eq(staff.id, approvalVotes.staffId)))
    .where(and(eq(approvalVotes.tenantId, tenantId), eq(approvalVotes.approvalId, approval.id)))
    .orderBy(asc(approvalVotes.id));
  const cards = await tx
    .select({
      channelId: outbox.channelId,
      chatId: outbox.chatId,
      purpose: outbox.purpose,
      status: outbox.status,
      externalIds: outbox.externalIds,
      createdAt: outbox.createdAt,
      sentAt: outbox.sentAt,
    })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.approvalId, approval.id),
        ne(outbox.purpose, "notice"), // what stands above the card
      ),
    )
    .orderBy(asc(outbox.seq));
  return { approval, votes, cards };
}

async function carriedOut(tx: Tx, { tenantId, id }: Candidate) {
  const [found] = await tx
    .select()
    .from(toolExecutionQueue)
    .where(and(eq(toolExecutionQueue.tenantId, tenantId), eq(toolExecutionQueue.candidateId, id)));
  if (!found) return { execution: null, keys: [], retries: [], outsideCalls: [], results: [] };
  const { leaseToken: _lease, ...execution } = found;
  const keys = await tx
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.tenantId, tenantId), eq(idempotencyKeys.resultRef, found.id)))
    .orderBy(asc(idempotencyKeys.createdAt), asc(idempotencyKeys.id));
  const retries = await tx
    .select()
    .from(toolRetryLog)
    .where(and(eq(toolRetryLog.tenantId, tenantId), eq(toolRetryLog.executionId, found.id)))
    .orderBy(asc(toolRetryLog.id));
  const outsideCalls = await tx
    .select()
    .from(externalApiLog)
    .where(and(eq(externalApiLog.tenantId, tenantId), eq(externalApiLog.executionId, found.id)))
    .orderBy(asc(externalApiLog.createdAt), asc(externalApiLog.id));
  const results = await tx
    .select()
    .from(toolResultLog)
    .where(and(eq(toolResultLog.tenantId, tenantId), eq(toolResultLog.executionId, found.id)))
    .orderBy(asc(toolResultLog.id));
  return { execution, keys, retries, outsideCalls, results };
}

/** What the run of the call said to the lead, and what was said once people had decided. */
async function answered(tx: Tx, { tenantId, runId }: Candidate, approval: Approval | null) {
  const own = approval
    ? or(eq(runs.id, runId ?? ""), eq(runs.approvalId, approval.id))
    : eq(runs.id, runId ?? "");
  const told = await tx
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.tenantId, tenantId), own));
  const replies = await tx
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        isNotNull(messages.runId),
        inArray(
          messages.runId,
          told.map(({ id }) => id),
        ),
        eq(messages.author, "bot"),
        eq(messages.kind, "text"),
      ),
    )
    .orderBy(asc(messages.seq));
  return { replies };
}

/** The rows of the trail, each with its place in it; null while it is not sealed. */
async function trailOf(tx: Tx, { tenantId, id }: Candidate) {
  const rows = await tx
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.tenantId, tenantId), eq(auditLog.candidateId, id)))
    .orderBy(asc(auditLog.id));
  const places = await queryRows<{ id: string; index: number }>(
    tx,
    sql`select p.id, s.first_index + p.place::int - 1 as index from audit_seals s
      join lateral jsonb_array_elements_text(s.row_ids) with ordinality p(id, place) on true
      where s.tenant_id = ${tenantId} and s.seal_number in (
        select seal_number from audit_log where tenant_id = ${tenantId} and candidate_id = ${id})`,
  );
  const indexes = new Map(places.map((place) => [place.id, place.index]));
  return rows.map((row) => ({ ...row, index: indexes.get(row.id) ?? null }));
}
