import type { FeedbackLabel } from "../domain/feedback.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { codesOfConversations } from "../store/payout-codes.ts";
import { findToolCall } from "../store/quality-calls.ts";
import { type LabelRow, labelCall } from "../store/quality-labels.ts";
import { openProposals } from "../store/quality-proposals.ts";
import { rateReply } from "../store/reply-ratings.ts";
import type { Secrets } from "../store/secrets.ts";
import { keptText } from "./kept-words.ts";

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
    secrets: Secrets;
    /** What people think of models has changed in this transaction. */
    ratingsChanged(tx: Tx): void;
  },
): Promise<LabelRow | null> {
  const { tenantId, staffId, now, which, label } = given;
  const call = await findToolCall(tx, tenantId, which);
  if (!call) return null;
  const note = given.note && (await keptNote(tx, given.note, { ...given, call }));
  const row = await labelCall(tx, { tenantId, call, staffId, label, note, now });
  await openProposals(tx, { tenantId, now, messageId: row.messageId });
  if (await rateReply(tx, { tenantId, now, messageId: row.messageId })) given.ratingsChanged(tx);
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

async function keptNote(
  tx: Tx,
  note: string,
  of: { tenantId: string; secrets: Secrets; call: { conversationId: string } },
): Promise<string> {
  const { tenantId, secrets, call } = of;
  const conversationIds = [call.conversationId];
  const codes = await codesOfConversations(tx, secrets, { tenantId, conversationIds });
  return keptText(note, codes.get(call.conversationId));
}
