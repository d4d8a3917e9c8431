import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { markKycRejected } from "../store/kyc.ts";
import { lockOrder, orderByName } from "../store/orders.ts";
import { dropReceipt } from "../tools/exchange/tools/fiat-receipt.ts";

/** What was put aside for the question goes back, so that new documents or a new receipt may come. */
export async function undoAsking(tx: Tx, approval: ApprovalRow, now: number): Promise<void> {
  const { tenantId, toolName, proposedActionJson: action } = approval;
  if (toolName === "set_kyc_status" && typeof action.contactId === "string")
    await markKycRejected(tx, { tenantId, contactId: action.contactId });
  if (toolName !== "confirm_fiat_payment" || typeof action.orderId !== "string") return;
  const named = await orderByName(tx, tenantId, action.orderId);
  const order = named && (await lockOrder(tx, tenantId, named.id));
  if (order) await dropReceipt(tx, order, now);
}
