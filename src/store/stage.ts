import { and, eq } from "drizzle-orm";
import type { Tx } from "./db.ts";
import type { ConversationRef } from "./orders.ts";
import { conversations } from "./schema/chat.ts";

/**
 * The one place where the stage of a conversation changes. `move` decides on the stage that
 * stands in the locked row.
 */
export async function changeStage(
  tx: Tx,
  which: ConversationRef & { now: number },
  move: (stage: string) => string,
): Promise<{ from: string; to: string }> {
  const here = and(
    eq(conversations.tenantId, which.tenantId),
    eq(conversations.id, which.conversationId),
  );
  const rows = await tx
    .select({ stage: conversations.stage })
    .from(conversations)
    .where(here)
    .for("update");
  const from = rows[0]?.stage;
  if (from === undefined) throw new Error(`conversation ${which.conversationId} does not exist`);
  const to = move(from);
  if (to !== from)
    await tx.update(conversations).set({ stage: to, updatedAt: which.now }).where(here);
  return { from, to };
}
