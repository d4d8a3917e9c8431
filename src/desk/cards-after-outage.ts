import {
  type ApprovalRow,
  lockApproval,
  OPEN_APPROVALS,
  pendingApprovals,
} from "../store/approvals.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { countStandingVotes } from "../store/standing-votes.ts";
import {
  approvalsWithoutCard,
  chatsWithoutCard,
  postCardIn,
  requeueOpenCards,
} from "../store/unposted-cards.ts";
import { approvalCard } from "../tools/approval-card.ts";
import { cardOf, wholeTextsOf } from "../tools/ask-approval.ts";
import { evidenceOf } from "../tools/evidence.ts";
import type { DeskDeps } from "./deps.ts";
import { type ShowDeps, showCards } from "./show-approval.ts";

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
      const votes = await countStandingVotes(tx, approval);
      if (isShifted && approval.expiresAt !== null)
        await showCards(tx, deps, approval, { votes, outcome: null });
      await postMissing(tx, deps, approval, votes);
    });
}

const MOST_AT_ONCE = 50;

/**
 * Cards that did not get to the operators are tried again, ever more seldom, as long as somebody has
 * to see them: of requests that are open, of questions and of calls for a person.
 */
export async function repostCards(deps: DeskDeps, tenantIds: readonly string[]): Promise<void> {
  for (const tenantId of tenantIds) {
    const now = deps.clock.now();
    const write = { jobs: deps.dress.jobs, tenantId, now, limit: MOST_AT_ONCE };
    const ids = await withTenant(deps.db, tenantId, async (tx) => {
      await requeueOpenCards(tx, write);
      return approvalsWithoutCard(tx, write);
    });
    for (const id of ids)
      await withTenant(deps.db, tenantId, async (tx) => {
        const approval = await lockApproval(tx, tenantId, id);
        if (!approval || !OPEN_APPROVALS.includes(approval.status)) return;
        await postMissing(tx, deps, approval, await countStandingVotes(tx, approval));
      });
  }
}

/** Before a line that names them: where a card of one is not known to stand, it comes with the line. */
export async function showWhereMissing(
  tx: Tx,
  deps: ShowDeps,
  approvals: readonly ApprovalRow[],
): Promise<void> {
  for (const approval of approvals)
    await postMissing(tx, deps, approval, await countStandingVotes(tx, approval));
}

/**
 * The card, with what stands above it, goes to every chat of the operators where none of the request
 * is known to stand.
 */
export async function postMissing(
  tx: Tx,
  deps: ShowDeps,
  approval: ApprovalRow,
  votes: number,
): Promise<void> {
  const { tenantId, conversationId, id: approvalId } = approval;
  const places = await chatsWithoutCard(tx, { tenantId, approvalId });
  if (places.length === 0) return;
  const { jobs, staffLanguage: language, sandbox } = deps.dress;
  const card = approvalCard(cardOf(approval, { votes, outcome: null }), { language, sandbox });
  const write = { jobs, tenantId, now: deps.clock.now(), approvalId, conversationId, card };
  const files = await evidenceOf(tx, approval);
  const wholeTexts = wholeTextsOf(approval, language);
  await postCardIn(tx, { ...write, files, wholeTexts }, places);
}
