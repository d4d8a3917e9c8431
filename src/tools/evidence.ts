import type { LeadFile } from "../domain/messenger.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { leadFiles } from "../store/lead-messages.ts";

/** Where the action of a tool names the messages whose files its card is about. */
const NAMED_IN: Readonly<Record<string, string>> = {
  set_kyc_status: "documents",
  confirm_fiat_payment: "receipts",
};

/** The lead's files that a decision on the request is about; none for most tools. */
export async function evidenceOf(
  tx: Tx,
  approval: Pick<ApprovalRow, "tenantId" | "conversationId" | "toolName" | "proposedActionJson">,
): Promise<LeadFile[]> {
  const { tenantId, conversationId, toolName, proposedActionJson: action } = approval;
  const field = Object.hasOwn(NAMED_IN, toolName) ? NAMED_IN[toolName] : undefined;
  const named = field === undefined ? null : action[field];
  if (conversationId === null || !Array.isArray(named)) return [];
  const ids = named.filter((one) => typeof one === "string");
  return leadFiles(tx, { tenantId, conversationId }, ids);
}
