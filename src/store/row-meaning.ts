import type { Json } from "../domain/json.ts";
import { canonicalDecimal } from "../domain/money.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import type { approvalQueue, approvalVotes } from "./schema/approvals.ts";
import type { contactIdentities, conversations, inbox } from "./schema/chat.ts";
import type { exchangeOrders, exchangeSettings } from "./schema/exchange.ts";
import type {
  apiTokens,
  destinations,
  rowLists,
  staff,
  staffIdentities,
  tenants,
} from "./schema/tenancy.ts";

export interface SignedRows {
  api_tokens: typeof apiTokens.$inferSelect;
  approval_queue: typeof approvalQueue.$inferSelect;
  approval_votes: typeof approvalVotes.$inferSelect;
  contact_identities: typeof contactIdentities.$inferSelect;
  conversations: typeof conversations.$inferSelect;
  destinations: typeof destinations.$inferSelect;
  exchange_orders: typeof exchangeOrders.$inferSelect;
  exchange_settings: typeof exchangeSettings.$inferSelect;
  inbox: typeof inbox.$inferSelect;
  row_lists: typeof rowLists.$inferSelect;
  staff: typeof staff.$inferSelect;
  staff_identities: typeof staffIdentities.$inferSelect;
  tenants: typeof tenants.$inferSelect;
  tool_policy: PolicyRow & { tenantId: string; mac: string };
}
export type SignedTable = keyof SignedRows;

/**
 * What gives a row its power; the rest of it may change without a new hash. A column that is added
 * here must be null in older rows, or its migration signs them anew.
 */
const MEANING = {
  api_tokens: ["kind", "staffId", "tokenHash", "expiresAt", "revokedAt"],
  approval_queue: [
    ...["number", "conversationId", "candidateId", "toolName", "requestedAction", "riskLevel"],
    ...["requestedBy", "clientSays", "status", "proposedActionJson", "approvedActionJson"],
    ...["effectiveActionJson", "materialJson", "actionDigest", "businessKey", "schemaVersion"],
    ...["approvalsRequired", "approverRole", "approver", "decidedVia", "decidedAt", "editedBy"],
    ...["editableFields", "approvesItselfAt"],
  ],
  approval_votes: ["approvalId", "staffId", "decision", "via", "actionDigest", "voidedAt"],
  contact_identities: ["contactId", "messenger", "teamId", "userId"],
  conversations: ["contactId", "channelId", "messenger", "chatId"],
  destinations: ["channelId", "messenger", "chatId", "purpose", "source", "movedFrom"],
  exchange_orders: [
    ...["number", "conversationId", "contactId", "quoteId", "status", "asset", "network"],
    ...["quoteAsset", "amountMode", "amountFrom", "amountTo", "rate", "paymentMethod"],
    ...["paymentRail", "sourceBank", "payerName", "thirdPartyApproved", "payoutMethod"],
    ...["payoutLocation", "payoutDestinationJson", "requisitesJson", "proofJson", "riskJson"],
    ...[
      "verificationId",
      "amountReceived",
      "amountPaidOut",
      "expiresAt",
      "quoteLockedAt",
      "paidAt",
    ],
  ],
  exchange_settings: [
    ...["quoteAsset", "rateRefreshSec", "feedStaleSec", "riskAmountThreshold"],
    ...["riskFirstDealReview", "riskDailyLimit", "payoutProviders", "operatorDailyCap"],
    "bulkApprovalLimit",
  ],
  inbox: ["channelId", "eventKey", "kind", "payload"],
  row_lists: ["rows"],
  staff: ["name", "role", "status", "suspendedAt", "suspendedBy"],
  staff_identities: ["staffId", "messenger", "teamId", "userId"],
  tenants: ["state", "agentRole", "payoutsStoppedAt", "ordersStoppedAt"],
  tool_policy: [
    ...["tool_name", "role", "condition_json", "allow_call", "requires_approval"],
    ...["approvals_required", "approver_role", "approval_ttl_s", "max_calls_per_run"],
    ...["max_payload_size", "is_active"],
  ],
} as const satisfies { [T in SignedTable]: readonly (keyof SignedRows[T])[] };

type Field<T extends SignedTable> = (typeof MEANING)[T][number] & keyof SignedRows[T];

/** A row as it is stored, or as it is about to be: what is left out is null then. */
export type Meaning<T extends SignedTable> = {
  [F in Field<T>]?: SignedRows[T][F] | null | undefined;
} & Partial<Record<"id" | "tenantId" | "tableName", string | null>>;

const DECIMALS: ReadonlySet<string> = new Set([
  ...["amountFrom", "amountTo", "rate", "amountReceived", "amountPaidOut"],
  ...["riskAmountThreshold", "riskDailyLimit", "operatorDailyCap", "bulkApprovalLimit"],
]);

/** What is signed: table, tenant and id with it, so that no row stands for another. */
export function meaningOf<T extends SignedTable>(table: T, row: Meaning<T>): Json {
  const of = row as Readonly<Record<string, unknown>>; // read by the names above
  const means: Record<string, Json> = {};
  for (const field of MEANING[table]) {
    const value = of[field];
    if (value !== null && value !== undefined) means[field] = plain(field, value);
  }
  return { ...placeOf(row), table, means };
}

/** A row that has no id is the only one of its kind in the tenant; a tenant's own row is its id. */
export function placeOf(row: Meaning<SignedTable>): { tenantId: string | null; id: string | null } {
  const { id, tenantId, tableName } = row;
  return { tenantId: tenantId ?? null, id: id ?? tableName ?? null };
}

/** As it comes back from the database: decimals without zeros at the end, JSON without gaps. */
function plain(field: string, value: unknown): Json {
  if (DECIMALS.has(field)) return canonicalDecimal(String(value));
  return typeof value === "object" ? JSON.parse(JSON.stringify(value)) : (value as Json);
}
