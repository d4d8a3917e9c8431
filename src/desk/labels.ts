import type { FeedbackLabel } from "../domain/feedback.ts";
import type { MessengerName, ReactionEvent } from "../domain/inbound.ts";
import { writeAudit } from "../store/audit.ts";
import type { AuditEvent } from "../store/audit-events.ts";
import type { Tx } from "../store/db.ts";
import { type Feedback, giveFeedback, replyShownAs, retractFeedback } from "../store/feedback.ts";
import { openProposals } from "../store/quality-proposals.ts";
import { rateReply } from "../store/reply-ratings.ts";
import { findStaffByIdentity } from "../store/staff.ts";
import type { DeskDeps } from "./deps.ts";

/** What staff mean by an emoji. Telegram's list is closed; Slack's have names. */
const LABELS: Record<MessengerName, Record<string, FeedbackLabel>> = {
  telegram: {
    "👍": "good_reply",
    "👎": "other",
    "🤔": "wrong_tool",
    "🤷": "missing_tool",
    "🤷‍♂": "missing_tool",
    "🤷‍♀": "missing_tool",
    "✍": "bad_args",
  },
  slack: {
    "+1": "good_reply",
    "-1": "other",
    thinking_face: "wrong_tool",
    shrug: "missing_tool",
    "man-shrugging": "missing_tool",
    "woman-shrugging": "missing_tool",
    writing_hand: "bad_args",
  },
};

/**
 * A staff member's reaction to a reply is a label on it and on the tool calls it came with; taking
 * the reaction back takes the label back. Anybody else's, and any other emoji, mean nothing.
 */
export async function noteReaction(
  tx: Tx,
  deps: Pick<DeskDeps, "clock" | "ratingsChanged">,
  given: { tenantId: string; reaction: ReactionEvent },
): Promise<void> {
  const { tenantId, reaction } = given;
  const added = labelsOf(reaction.messenger, reaction.added);
  // 🤷 changed to 🤷‍♂ is no change
  const removed = labelsOf(reaction.messenger, reaction.removed).filter(
    (label) => !added.includes(label),
  );
  if (added.length + removed.length === 0 || reaction.person.isBot) return;
  const { messenger, person } = reaction;
  const who = { tenantId, messenger, teamId: person.teamId, userId: person.id };
  const staff = await findStaffByIdentity(tx, who);
  if (staff?.status !== "active") return;
  const { channelId, chatId, messageId } = reaction;
  const reply = await replyShownAs(tx, { tenantId, channelId, chatId, externalId: messageId });
  if (!reply) return;
  const about = { ...reply, tenantId, staffId: staff.id, at: reaction.sentAt };
  const now = deps.clock.now();
  for (const label of added) {
    const feedback: Feedback = { ...about, label };
    if (!(await giveFeedback(tx, feedback))) continue;
    await openProposals(tx, { tenantId, messageId: reply.messageId, now });
    await writeAudit(tx, [auditRow(feedback, "feedback.given", now)]);
  }
  for (const label of removed) {
    const feedback: Feedback = { ...about, label };
    if (await retractFeedback(tx, feedback))
      await writeAudit(tx, [auditRow(feedback, "feedback.retracted", now)]);
  }
  if (await rateReply(tx, { tenantId, messageId: reply.messageId, now })) deps.ratingsChanged(tx);
}

/** An emoji may come with the mark that asks for its coloured form. */
function labelsOf(messenger: MessengerName, emoji: readonly string[]): FeedbackLabel[] {
  const known = new Map(Object.entries(LABELS[messenger]));
  const labels = emoji.map((one) => known.get(one.replaceAll("\u{FE0F}", "")));
  return [...new Set(labels)].filter((label) => label !== undefined);
}

function auditRow(feedback: Feedback, eventType: AuditEvent, createdAt: number) {
  const { tenantId, conversationId, messageId, staffId, label } = feedback;
  return {
    tenantId,
    eventType,
    summary: `${label} on reply ${messageId} by ${staffId}`,
    createdAt,
    conversationId,
    userId: staffId,
    decision: label,
    refs: { messageId },
  };
}
