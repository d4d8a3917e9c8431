import { and, desc, eq, getTableColumns, gte, inArray, lt, or, type SQL } from "drizzle-orm";
import type { ApprovalStatus } from "../domain/approval.ts";
import type { Tx } from "./db.ts";
import { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import { contacts, conversations } from "./schema/chat.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { auditLog } from "./schema/tenancy.ts";

/** Lists are newest first. `after` is the key of the last row seen, null for the first page. */
export interface ListQuery<Key> {
  tenantId: string;
  limit: number;
  after: Key | null;
}

/** Everything but the encrypted codes. */
const {
  payoutCode: _code,
  payoutCodeDraft: _draft,
  ...orderColumns
} = getTableColumns(exchangeOrders);
export const visibleOrderColumns = orderColumns;
export type OrderStatus = (typeof exchangeOrders.$inferSelect)["status"];

/** Newest first, from below `after`. To be shown: rows are not checked for who wrote them. */
export function listApprovals(
  tx: Tx,
  query: ListQuery<number> & { status?: ApprovalStatus | undefined },
) {
  return tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, query.tenantId),
        query.status && eq(approvalQueue.status, query.status),
        query.after === null ? undefined : lt(approvalQueue.number, query.after),
      ),
    )
    .orderBy(desc(approvalQueue.number))
    .limit(query.limit);
}

/** By id, or by the number people say. With its votes; null when there is none. */
export async function findApproval(tx: Tx, tenantId: string, which: string | number) {
  const isWanted =
    typeof which === "number" ? eq(approvalQueue.number, which) : eq(approvalQueue.id, which);
  const [approval] = await tx
    .select()
    .from(approvalQueue)
    .where(and(eq(approvalQueue.tenantId, tenantId), isWanted));
  if (!approval) return null;
  const votes = await tx
    .select()
    .from(approvalVotes)
    .where(and(eq(approvalVotes.tenantId, tenantId), eq(approvalVotes.approvalId, approval.id)))
    .orderBy(approvalVotes.createdAt);
  return { approval, votes };
}

/** Last changed first. `after` names time and id, as many may have changed in one millisecond. */
export function listConversations(tx: Tx, query: ListQuery<{ at: number; id: string }>) {
  const { after } = query;
  return tx
    .select({ ...getTableColumns(conversations), contactName: contacts.name })
    .from(conversations)
    .innerJoin(
      contacts,
      and(eq(contacts.tenantId, query.tenantId), eq(contacts.id, conversations.contactId)),
    )
    .where(
      and(
        eq(conversations.tenantId, query.tenantId),
        after === null
          ? undefined
          : or(
              lt(conversations.updatedAt, after.at),
              and(eq(conversations.updatedAt, after.at), lt(conversations.id, after.id)),
            ),
      ),
    )
    .orderBy(desc(conversations.updatedAt), desc(conversations.id))
    .limit(query.limit);
}

export interface AuditFilter {
  eventType?: string | undefined;
  conversationId?: string | undefined;
  runId?: string | undefined;
  candidateIds?: readonly string[] | undefined;
  userId?: string | undefined;
  toolName?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

/** Newest first; ids grow with time. */
export function listAudit(tx: Tx, query: ListQuery<string>, filter: AuditFilter) {
  return tx
    .select()
    .from(auditLog)
    .where(
      and(
        eq(auditLog.tenantId, query.tenantId),
        query.after === null ? undefined : lt(auditLog.id, query.after),
        ...auditConditions(filter),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(query.limit);
}

/** Newest first, without columns that hold a code. */
export function listOrders(
  tx: Tx,
  query: ListQuery<number> & { status?: OrderStatus | undefined },
) {
  return tx
    .select(visibleOrderColumns)
    .from(exchangeOrders)
    .where(
      and(
        eq(exchangeOrders.tenantId, query.tenantId),
        query.status && eq(exchangeOrders.status, query.status),
        query.after === null ? undefined : lt(exchangeOrders.number, query.after),
      ),
    )
    .orderBy(desc(exchangeOrders.number))
    .limit(query.limit);
}

/** By id, or by the number people say. */
export async function findOrder(tx: Tx, tenantId: string, which: string | number) {
  const isWanted =
    typeof which === "number" ? eq(exchangeOrders.number, which) : eq(exchangeOrders.id, which);
  const [order] = await tx
    .select(visibleOrderColumns)
    .from(exchangeOrders)
    .where(and(eq(exchangeOrders.tenantId, tenantId), isWanted));
  return order ?? null;
}

function auditConditions(filter: AuditFilter): SQL[] {
  const { eventType, conversationId, runId, candidateIds, userId, toolName, since, until } = filter;
  return [
    eventType !== undefined && eq(auditLog.eventType, eventType),
    conversationId !== undefined && eq(auditLog.conversationId, conversationId),
    runId !== undefined && eq(auditLog.runId, runId),
    candidateIds !== undefined && inArray(auditLog.candidateId, [...candidateIds]),
    userId !== undefined && eq(auditLog.userId, userId),
    toolName !== undefined && eq(auditLog.toolName, toolName),
    since !== undefined && gte(auditLog.createdAt, since),
    until !== undefined && lt(auditLog.createdAt, until),
  ].filter((condition) => condition !== false);
}
