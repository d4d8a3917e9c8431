import { and, eq, gt, gte, inArray } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { workingRun } from "./runs.ts";
import { messages, reviewThreads } from "./schema/chat.ts";

/**
 * Has anybody acted on what the lead wrote up to here: a run at work, an answer, a call, a mirror
 * for the staff? Until then a message may still be changed; from then on it is history. The caller
 * holds the lock of the conversation.
 */
export async function isTakenIn(
  tx: Tx,
  message: { tenantId: string; conversationId: string; seq: number },
): Promise<boolean> {
  const { tenantId, conversationId, seq } = message;
  if (await workingRun(tx, tenantId, conversationId)) return true;
  const answers = await tx
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, conversationId),
        gt(messages.seq, seq),
        inArray(messages.author, ["bot", "staff"]),
        eq(messages.status, "kept"),
      ),
    )
    .limit(1);
  if (answers.length > 0) return true;
  const mirrors = await tx
    .select({ id: reviewThreads.id })
    .from(reviewThreads)
    .where(
      and(
        eq(reviewThreads.tenantId, tenantId),
        eq(reviewThreads.conversationId, conversationId),
        gte(reviewThreads.mirroredSeq, seq),
      ),
    )
    .limit(1);
  return mirrors.length > 0;
}
