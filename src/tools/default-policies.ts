import type { JsonObject } from "../domain/json.ts";
import type { PolicyRow } from "../domain/policy-row.ts";
import { CHANGE_AUTHORITY } from "./change-authority/tool-name.ts";

const SMALL = 2_000;
const LARGE = 8_000;
const READ = 20_000;
const WRITTEN = 50_000;

/** The rules a new tenant starts with: reading and drafts run, money, letters and rights need a person. */
export function defaultPolicies(): PolicyRow[] {
  return [
    allowed("search_knowledge_base", { calls: 10, bytes: READ }),
    allowed("offer_booking_link", { calls: 2 }),
    allowed("handoff_to_operator", { calls: 2, bytes: LARGE }),
    allowed("read_customer_profile", {
      ...{ calls: 5, bytes: READ, role: "support" },
      when: { same_account: true },
    }),
    allowed("create_task_draft", { calls: 3, bytes: WRITTEN, role: "support" }),
    approved("send_email", {
      ...{ calls: 1, bytes: WRITTEN, role: "support" },
      when: { recipient_verified: true },
    }),
    // beside whatever an admin allows: nobody writes to an address that no person has confirmed
    forbidden("send_email", { id: "to-unverified", when: { recipient_verified: { $ne: true } } }),
    approved("update_crm_field", { calls: 3, bytes: LARGE, role: "support" }),
    forbidden("delete_customer"),
    allowed("compute_exchange_quote", { calls: 4 }),
    allowed("check_exchange_verification", { calls: 3 }),
    allowed("create_exchange_order", { calls: 3, bytes: LARGE }),
    allowed("fetch_exchange_requisites", { calls: 3 }),
    allowed("verify_exchange_payment", { calls: 3, bytes: LARGE }),
    allowed("cancel_exchange_order", { calls: 2 }),
    allowed("get_exchange_business_info", { calls: 3 }),
    approved("change_payout_destination", { calls: 2 }),
    approved("issue_exchange_payout", { calls: 2 }),
    approved("set_kyc_status", { calls: 2, bytes: LARGE }),
    approved("confirm_fiat_payment", { calls: 2, bytes: LARGE }),
    { ...approved(CHANGE_AUTHORITY, { calls: 1, bytes: WRITTEN }), approver_role: "admin" },
  ];
}

interface Limits {
  calls: number;
  bytes?: number;
  role?: string;
  when?: JsonObject;
}

function allowed(toolName: string, limits: Limits): PolicyRow {
  const { calls, bytes = SMALL, role = "*", when = {} } = limits;
  return {
    id: `default-${toolName}`,
    tool_name: toolName,
    role,
    condition_json: when,
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

/** Any deny is stronger than every other row. */
function forbidden(
  toolName: string,
  { id = "", when = {} }: { id?: string; when?: JsonObject } = {},
) {
  const row = allowed(toolName, { calls: 0, bytes: 0, when });
  return { ...row, id: id === "" ? row.id : `${row.id}-${id}`, allow_call: false };
}
