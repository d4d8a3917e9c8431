import { takesEffectAlone } from "../domain/approval.ts";
import { NEW_WAITING, nextStepAt } from "../domain/approval-steps.ts";
import { type ApprovalRow, lockApproval, OPEN_APPROVALS, setApproval } from "../store/approvals.ts";
import { adminsBeside } from "../store/authority.ts";
import { standsWithOperators } from "../store/card-places.ts";
import type { Tx } from "../store/db.ts";
import { type ShowDeps, showCards } from "./show-approval.ts";

/** One admin alone: so long everybody can end it. Product time. */
const DELAY_MS = 10 * 60_000;
/** Whoever made himself the only admin waits longer. */
const LONG_DELAY_MS = 86_400_000;

/** After how long a change that this person asks for takes effect; null: another admin decides. */
export async function delayOf(
  tx: Tx,
  { tenantId, by, now }: { tenantId: string; by: string; now: number },
): Promise<number | null> {
  const others = await adminsBeside(tx, { tenantId, staffId: by });
  if (others.active > 0) return null;
  const isOwnDoing =
    others.lastSuspendedAt !== null && now - others.lastSuspendedAt < LONG_DELAY_MS;
  return isOwnDoing ? LONG_DELAY_MS : DELAY_MS;
}

/**
 * A card of the request was delivered. Where operators can end it there, the time begins after which
 * it takes effect by itself; for any other request this does nothing. In the delivery's transaction.
 */
export async function startDelay(
  tx: Tx,
  deps: ShowDeps,
  card: { tenantId: string; approvalId: string | null },
): Promise<void> {
  const { tenantId, approvalId } = card;
  if (approvalId === null || !(await standsWithOperators(tx, { tenantId, approvalId }))) return;
  const approval = await lockApproval(tx, tenantId, approvalId);
  if (!approval || !isWaitingForCard(approval)) return;
  const now = deps.clock.now();
  const delayMs = await delayOf(tx, { tenantId, by: approval.requestedBy, now });
  const set = delayMs === null ? ASK_OTHERS : startingAt(approval, now + delayMs);
  await setApproval(tx, { tenantId, id: approvalId, ...set });
  await showCards(tx, deps, { ...approval, ...set }, { votes: 0, outcome: null });
}

/** Another admin is there by now: that one decides. */
const ASK_OTHERS = { decidedVia: null };

function startingAt({ expiresAt }: ApprovalRow, approvesItselfAt: number) {
  const end = Math.max(expiresAt ?? 0, approvesItselfAt);
  return { approvesItselfAt, expiresAt: end, nextStepAt: approvesItselfAt };
}

/** It would take effect by itself, and no card of it has been delivered. */
export function isWaitingForCard(
  approval: Pick<ApprovalRow, "status" | "decidedVia" | "approvesItselfAt">,
): boolean {
  const { status, approvesItselfAt } = approval;
  return OPEN_APPROVALS.includes(status) && takesEffectAlone(approval) && approvesItselfAt === null;
}

/** Its time is over and nobody could see it: it waits for a card again, as long as a new one. */
export async function waitForCard(
  tx: Tx,
  deps: ShowDeps & { dress: { defaultTtlMs: number } },
  approval: ApprovalRow,
): Promise<void> {
  const { tenantId, id } = approval;
  const now = deps.clock.now();
  const waits = { approvesItselfAt: null, expiresAt: now + deps.dress.defaultTtlMs };
  const due = nextStepAt({ ...NEW_WAITING, ...waits }, now);
  const set = { ...waits, decidedVia: "delay" as const, nextStepAt: due };
  await setApproval(tx, { tenantId, id, ...set });
  await showCards(tx, deps, { ...approval, ...set }, { votes: 0, outcome: null });
}
