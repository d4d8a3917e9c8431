import {
  type ApprovalRow,
  countStandingVotes,
  lockApproval,
  OPEN_APPROVALS,
  pendingApprovals,
} from "../store/approvals.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { chatsWithoutCard, postCardIn } from "../store/unposted-cards.ts";
import { approvalCard } from "../tools/approval-card.ts";
import { cardOf } from "../tools/ask-approval.ts";
import type { DeskDeps } from "./deps.ts";
import { showCards } from "./show-approval.ts";

/**
 * Nobody was there for a while: requests whose cards could not be posted are posted anew, and cards
 * that name an hour show the later one. Each in a transaction of its own.
 */
export async function bringCardsUpToDate(
  deps: DeskDeps,
  after: { tenantId: string; isShifted: boolean },
): Promise<void> {
  const { tenantId, isShifted } = after;
  const open = await withTenant(deps.db, tenantId, (tx) => pendingApprovals(tx, tenantId));
  for (const { id } of open)
    await withTenant(deps.db, tenantId, async (tx) => {
      const approval = await lockApproval(tx, tenantId, id);
      if (!approval || !OPEN_APPROVALS.includes(approval.status)) return;
      const votes = await countStandingVotes(tx, tenantId, id);
      if (isShifted && approval.expiresAt !== null)
        await showCards(tx, deps, approval, { votes, outcome: null });
      await postMissing(tx, deps, approval, votes);
    });
}

async function postMissing(
  tx: Tx,
  deps: DeskDeps,
  approval: ApprovalRow,
  votes: number,
): Promise<void> {
  const { tenantId, conversationId, id: approvalId } = approval;
  const places = await chatsWithoutCard(tx, { tenantId, approvalId });
  if (places.length === 0) return;
  const { jobs, staffLanguage: language, sandbox } = deps.dress;
  const card = approvalCard(cardOf(approval, { votes, outcome: null }), { language, sandbox });
  const write = { jobs, tenantId, now: deps.clock.now(), approvalId, conversationId, card };
  await postCardIn(tx, write, places);
}
