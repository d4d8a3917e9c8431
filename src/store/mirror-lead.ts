import type { Tx } from "./db.ts";
import { mirrorRows } from "./mirror.ts";
import { type WriteOutgoing, writeOutgoing } from "./outbox.ts";

/**
 * Shows the staff what the lead wrote and no reply of the bot will follow: a person speaks, or the
 * lead has blocked the bot. What stands in the thread already is not shown again.
 */
export async function mirrorLead(
  tx: Tx,
  write: WriteOutgoing,
  lead: { conversationId: string; upToSeq: number },
): Promise<void> {
  const { tenantId, now } = write;
  const rows = await mirrorRows(tx, {
    tenantId,
    conversationId: lead.conversationId,
    turn: { upToSeq: lead.upToSeq, calls: [] },
    said: null,
    messageId: null,
    now,
  });
  await writeOutgoing(tx, write, rows);
}
