import { approvalName } from "../domain/approval.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import type { AuditEvent } from "../store/audit-events.ts";
import { editCards } from "../store/cards.ts";
import type { Tx } from "../store/db.ts";
import { approvalCard } from "../tools/approval-card.ts";
import { showInDigest } from "../tools/approval-digest.ts";
import { cardOf } from "../tools/ask-approval.ts";
import type { DeskDeps } from "./deps.ts";

/** So little that suspending people can bring cards up to date as well. */
export type ShowDeps = Pick<DeskDeps, "dress" | "clock">;

/** All cards of the approval, wherever they stand, show this state. */
export async function showCards(
  tx: Tx,
  deps: ShowDeps,
  approval: ApprovalRow,
  state: { votes: number; outcome: string | null; isOneOfMany?: boolean | undefined },
): Promise<void> {
  const { jobs, staffLanguage: language, sandbox } = deps.dress;
  const { tenantId, conversationId } = approval;
  const { votes, outcome, isOneOfMany } = state;
  const card = approvalCard(cardOf(approval, { votes, outcome }), { language, sandbox });
  const now = deps.clock.now();
  const approvalId = approval.id;
  await editCards(tx, { jobs, tenantId, approvalId, conversationId, card, now });
  if (!isOneOfMany)
    await showInDigest(tx, deps.dress, { tenantId, now, approvalIds: [approvalId] });
}

/** A row of the trail about a request. `by`: staff id; null: nobody, time itself or the client. */
export async function note(
  tx: Tx,
  deps: ShowDeps,
  approval: ApprovalRow,
  said: { eventType: AuditEvent; by: string | null; decision: string | null },
): Promise<void> {
  await writeAudit(tx, [
    {
      tenantId: approval.tenantId,
      eventType: said.eventType,
      summary: `${approvalName(approval.number)} ${approval.toolName}: ${said.decision ?? said.eventType}`,
      decision: said.decision,
      createdAt: deps.clock.now(),
      runId: approval.runId,
      conversationId: approval.conversationId,
      candidateId: approval.candidateId,
      userId: said.by,
      toolName: approval.toolName,
      refs: { approval: approval.id, digest: approval.actionDigest },
    },
  ]);
}
