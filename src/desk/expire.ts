import { approvalName } from "../domain/approval.ts";
import type { JobRef } from "../domain/jobs.ts";
import { lockApproval, setApproval } from "../store/approvals.ts";
import { withTenant } from "../store/db.ts";
import { recordOutcome } from "../store/outcomes.ts";
import { setCandidate } from "../store/proposals.ts";
import { stateReply } from "../tools/replies.ts";
import { note, showCards } from "./decide.ts";
import type { DeskDeps } from "./deps.ts";
import { DESK_TEXTS } from "./texts.ts";
import { undoAsking } from "./undo-asking.ts";

/** Handler of `approval` jobs: ends a request that nobody decided in time, honestly. */
export async function handleApproval(deps: DeskDeps, ref: JobRef): Promise<void> {
  const { tenantId, id } = ref;
  await withTenant(deps.db, tenantId, async (tx) => {
    const approval = await lockApproval(tx, tenantId, id);
    const now = deps.clock.now();
    if (approval?.status !== "pending" || approval.expiresAt === null || approval.expiresAt > now)
      return;
    await setApproval(tx, { tenantId, id, status: "expired", decidedAt: now });
    await setCandidate(tx, {
      tenantId,
      id: approval.candidateId,
      status: "failed",
      code: "EXPIRED",
      reply: stateReply("expired", "nobody decided in time; it was not done", approval.number),
      settledAt: now,
    });
    await undoAsking(tx, approval, now);
    const outcome = DESK_TEXTS[deps.dress.staffLanguage].outcomeExpired;
    await showCards(tx, deps, approval, { votes: 0, outcome });
    await note(tx, deps, approval, {
      eventType: "approval.decided",
      by: null,
      decision: "expired",
    });
    await recordOutcome(tx, deps.dress.jobs, {
      tenantId,
      conversationId: approval.conversationId,
      approvalId: id,
      line: `${approvalName(approval.number)} (${approval.toolName}) is now expired, not done; tell the lead; do not call it again.`,
      now,
      waitMs: 0,
    });
  });
}
