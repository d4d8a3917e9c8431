import type { PolicyRow } from "../domain/policy-row.ts";

const SMALL = 2_000;
const LARGE = 8_000;

/** The rules a new tenant starts with: reading and drafts run, money and rights need a person. */
export function defaultPolicies(): PolicyRow[] {
  return [
    allowed("search_knowledge_base", { calls: 4, bytes: LARGE }),
    allowed("offer_booking_link", { calls: 2 }),
    allowed("handoff_to_operator", { calls: 2, bytes: LARGE }),
    allowed("compute_exchange_quote", { calls: 4 }),
    allowed("check_exchange_verification", { calls: 3 }),
    allowed("create_exchange_order", { calls: 3, bytes: LARGE }),
    allowed("fetch_exchange_requisites", { calls: 3 }),
    allowed("verify_exchange_payment", { calls: 3, bytes: LARGE }),
    allowed("cancel_exchange_order", { calls: 2 }),
    allowed("get_exchange_business_info", { calls: 3 }),
    approved("issue_exchange_payout", { calls: 2 }),
    approved("set_kyc_status", { calls: 2, bytes: LARGE }),
    approved("confirm_fiat_payment", { calls: 2, bytes: LARGE }),
  ];
}

interface Limits {
  calls: number;
  bytes?: number;
}

function allowed(toolName: string, { calls, bytes = SMALL }: Limits): PolicyRow {
  return {
    id: `default-${toolName}`,
    tool_name: toolName,
    role: "*",
    condition_json: {},
    allow_call: true,
    requires_approval: false,
    approvals_required: 1,
    approver_role: "operator",
    approval_ttl_s: null,
    max_calls_per_run: calls,
    max_payload_size: bytes,
    is_active: true,
  };
}

function approved(toolName: string, limits: Limits): PolicyRow {
  return { ...allowed(toolName, limits), requires_approval: true };
}
