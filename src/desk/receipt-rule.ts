import type { Language } from "../domain/language.ts";
import { paysOut } from "../domain/pays-out.ts";
import { type ApprovalRow, approversOf } from "../store/approvals.ts";
import { partyOf } from "../store/conversations.ts";
import type { Tx } from "../store/db.ts";
import { eligibleFor } from "../store/makers.ts";
import type { StaffMember } from "../store/staff.ts";
import { joinsOf } from "../store/staff-accounts.ts";
import { standingOf } from "../store/standing-votes.ts";
import { CONFIRM_TOOL } from "../tools/exchange/tools/fiat-receipt.ts";
import { DECISION_TEXTS } from "./decision-texts.ts";

/**
 * Whoever confirmed that an order's money came does not approve its payout while enough others may.
 * Answers whether this person must leave it to them.
 */
export async function isLeftToOthers(
  tx: Tx,
  staff: StaffMember,
  approval: ApprovalRow,
): Promise<boolean> {
  const confirmers = await confirmersOf(tx, approval);
  if (!confirmers.includes(staff.id)) return false;
  const { tenantId, conversationId, approverRole: role, approvalsRequired } = approval;
  const { contactId } = await partyOf(tx, tenantId, conversationId);
  const makers = [approval.requestedBy, contactId];
  const people = await eligibleFor(tx, { tenantId, role, makers });
  return people.filter(({ id }) => !confirmers.includes(id)).length >= approvalsRequired;
}

/** For the card: who approved although the same person confirmed the receipt; null: nobody. */
export async function exceptionText(
  tx: Tx,
  approval: ApprovalRow,
  language: Language,
): Promise<string | null> {
  const confirmers = await confirmersOf(tx, approval);
  if (confirmers.length === 0) return null;
  const { votes } = await standingOf(tx, approval);
  const both = votes.filter(({ personId }) => confirmers.includes(personId));
  if (both.length === 0) return null;
  return DECISION_TEXTS[language].exception(both.map(({ name }) => name).join(", "));
}

async function confirmersOf(tx: Tx, approval: ApprovalRow): Promise<string[]> {
  const { tenantId, conversationId, toolName, riskLevel } = approval;
  const { orderId } = approval.proposedActionJson;
  if (conversationId === null || typeof orderId !== "string") return [];
  if (!paysOut({ name: toolName, risk: riskLevel })) return [];
  const which = { tenantId, conversationId, toolName: CONFIRM_TOOL, orderId };
  const approvers = await approversOf(tx, which);
  const joins = await joinsOf(tx, tenantId);
  return [...new Set([...approvers, ...approvers.map(joins.into)])];
}
