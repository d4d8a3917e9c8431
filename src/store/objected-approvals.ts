import { and, asc, eq, inArray, or, sql } from "drizzle-orm";
import { type ApprovalRow, OPEN_APPROVALS } from "./approvals.ts";
import type { Tx } from "./db.ts";
import { verifiedRows } from "./row-mac.ts";
import { approvalQueue } from "./schema/approvals.ts";
import { conversations } from "./schema/chat.ts";

/** The conversation of a chat, without a lock; null: nobody has written there. */
export async function conversationOfChat(
  tx: Tx,
  chat: { tenantId: string; channelId: string; chatId: string },
): Promise<string | null> {
  const rows = await tx
    .select({ id: conversations.id })
    .from(conversations)
    .where(
      and(
        eq(conversations.tenantId, chat.tenantId),
        eq(conversations.channelId, chat.channelId),
        eq(conversations.chatId, chat.chatId),
      ),
    );
  return rows[0]?.id ?? null;
}

/**
 * What an objection of the client can be about: requests that wait, and approved ones that are not
 * carried out yet, or were only just. Locked before anything of the conversation is.
 */
export async function lockObjectable(
  tx: Tx,
  of: { tenantId: string; conversationId: string; doneSince: number },
): Promise<ApprovalRow[]> {
  const ofConversation = and(
    eq(approvalQueue.tenantId, of.tenantId),
    eq(approvalQueue.conversationId, of.conversationId),
  );
  // first alone: whoever decides at this moment ends before the next statement, which sees it
  await tx
    .select({ id: approvalQueue.id })
    .from(approvalQueue)
    .where(and(ofConversation, inArray(approvalQueue.status, [...OPEN_APPROVALS, "approved"])))
    .orderBy(asc(approvalQueue.number))
    .for("update");
  const doneSince = sql`${new Date(of.doneSince).toISOString()}::timestamptz`;
  const isUnderWay = sql`${approvalQueue.status} = 'approved' and exists (
    select 1 from tool_execution_queue e
    where e.tenant_id = ${approvalQueue.tenantId} and e.approval_id = ${approvalQueue.id}
      and (e.status in ('queued', 'retry_scheduled', 'running', 'unknown', 'waiting_approval')
        or (e.status = 'completed' and e.finished_at >= ${doneSince})))`;
  return tx
    .select()
    .from(approvalQueue)
    .where(and(ofConversation, or(inArray(approvalQueue.status, [...OPEN_APPROVALS]), isUnderWay)))
    .orderBy(asc(approvalQueue.number));
}

/** Open requests of a contact, in whatever conversation; or of one conversation. */
export async function lockOpenOf(
  tx: Tx,
  of: { tenantId: string } & ({ contactId: string } | { conversationId: string }),
): Promise<ApprovalRow[]> {
  const theirs =
    "contactId" in of
      ? inArray(
          approvalQueue.conversationId,
          tx
            .select({ id: conversations.id })
            .from(conversations)
            .where(
              and(
                eq(conversations.tenantId, of.tenantId),
                eq(conversations.contactId, of.contactId),
              ),
            ),
        )
      : eq(approvalQueue.conversationId, of.conversationId);
  const rows = await tx
    .select()
    .from(approvalQueue)
    .where(
      and(
        eq(approvalQueue.tenantId, of.tenantId),
        theirs,
        inArray(approvalQueue.status, [...OPEN_APPROVALS]),
      ),
    )
    .orderBy(asc(approvalQueue.number))
    .for("update");
  return verifiedRows(tx, "approval_queue", rows);
}
