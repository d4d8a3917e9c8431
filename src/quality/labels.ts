import type { FeedbackLabel } from "../domain/feedback.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { findToolCall } from "../store/quality-calls.ts";
import { type LabelRow, labelCall } from "../store/quality-labels.ts";
import { openProposals } from "../store/quality-proposals.ts";

/** A person's label on a call, with the proposal that it asks for. null: there is no such call. */
export async function giveLabel(
  tx: Tx,
  given: {
    tenantId: string;
    staffId: string;
    now: number;
    /** Id or number of the call. */
    which: string | number;
    label: FeedbackLabel;
    note: string | null;
  },
): Promise<LabelRow | null> {
  const { tenantId, staffId, now, which, label, note } = given;
  const call = await findToolCall(tx, tenantId, which);
  if (!call) return null;
  const row = await labelCall(tx, { tenantId, call, staffId, label, note, now });
  await openProposals(tx, { tenantId, now, messageId: row.messageId });
  const { conversationId, toolName, messageId } = { ...call, messageId: row.messageId };
  await writeAudit(tx, [
    {
      ...{ tenantId, eventType: "feedback.given", createdAt: now, conversationId, toolName },
      ...{ userId: staffId, decision: label, refs: { messageId, toolCallId: call.id } },
      summary: `${label} on call ${call.number} by ${staffId}`,
    },
  ]);
  return row;
}
