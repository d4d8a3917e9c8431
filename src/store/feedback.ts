import { and, desc, eq, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { FeedbackLabel } from "../domain/feedback.ts";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { messages, outbox } from "./schema/chat.ts";
import { agentToolCallFeedback, agentToolCalls } from "./schema/runs.ts";

/** A label by a staff member's reaction. */
export interface Feedback {
  tenantId: string;
  conversationId: string;
  /** The reply. */
  messageId: string;
  staffId: string;
  label: FeedbackLabel;
  /** When the person reacted, the messenger's time: an event may be overtaken by a later one. */
  at: number;
}

/** The bot's reply that stands in a chat as this message, mirrored or sent; null: it is none. */
export async function replyShownAs(
  tx: Tx,
  shown: { tenantId: string; channelId: string; chatId: string; externalId: string },
): Promise<{ messageId: string; conversationId: string } | null> {
  const rows = await tx
    .select({ messageId: messages.id, conversationId: messages.conversationId })
    .from(outbox)
    .innerJoin(
      messages,
      and(eq(messages.tenantId, shown.tenantId), eq(messages.id, outbox.messageId)),
    )
    .where(
      and(
        eq(outbox.tenantId, shown.tenantId),
        eq(outbox.channelId, shown.channelId),
        eq(outbox.chatId, shown.chatId),
        isNotNull(outbox.messageId),
        inArray(outbox.purpose, ["mirror", "reply"]),
        sql`${outbox.externalIds} @> ${JSON.stringify([shown.externalId])}::jsonb`,
        eq(messages.author, "bot"),
        eq(messages.kind, "text"),
      ),
    )
    .orderBy(desc(outbox.seq))
    .limit(1);
  return rows[0] ?? null;
}

/** One row for each tool call of the reply. False: it stands already, or was taken back later. */
export async function giveFeedback(tx: Tx, feedback: Feedback): Promise<boolean> {
  const { at, ...row } = feedback;
  const calls = await tx
    .select({ id: agentToolCalls.id })
    .from(agentToolCalls)
    .where(
      and(
        eq(agentToolCalls.tenantId, feedback.tenantId),
        eq(agentToolCalls.messageId, feedback.messageId),
      ),
    );
  const ids = calls.length > 0 ? calls.map((call) => call.id) : [WITHOUT_CALL];
  const table = agentToolCallFeedback;
  const given = await tx
    .insert(table)
    .values(
      ids.map((toolCallId) => ({
        ...row,
        id: newId(),
        toolCallId,
        source: "reaction" as const,
        createdAt: at,
      })),
    )
    .onConflictDoUpdate({
      target: [
        table.tenantId,
        table.messageId,
        table.toolCallId,
        table.staffId,
        table.label,
        table.source,
      ],
      set: { retractedAt: null, createdAt: at },
      setWhere: lte(table.retractedAt, at),
    })
    .returning({ id: table.id });
  return given.length > 0;
}

/** The reply came without a tool call. */
const WITHOUT_CALL = "";

/** False: there is nothing to take back, or it was given anew later. */
export async function retractFeedback(tx: Tx, feedback: Feedback): Promise<boolean> {
  const table = agentToolCallFeedback;
  const retracted = await tx
    .update(table)
    .set({ retractedAt: feedback.at })
    .where(
      and(
        eq(table.tenantId, feedback.tenantId),
        eq(table.messageId, feedback.messageId),
        eq(table.staffId, feedback.staffId),
        eq(table.label, feedback.label),
        eq(table.source, "reaction"),
        isNull(table.retractedAt),
        lte(table.createdAt, feedback.at),
      ),
    )
    .returning({ id: table.id });
  return retracted.length > 0;
}
