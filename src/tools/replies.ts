import { approvalName } from "../domain/approval.ts";
import type { Json } from "../domain/json.ts";
import type { ToolReply, ToolResult } from "../domain/tool.ts";
import type { BlockReason } from "../policy/evaluate.ts";
import type { GateReason } from "../policy/permit.ts";
import type { ArgumentError } from "./check-arguments.ts";

/** Longest `data` a model is shown; more is cut visibly. */
const MAX_DATA_CHARS = 12_000;

export function resultReply(result: ToolResult): ToolReply {
  return {
    ok: result.ok,
    status: result.ok ? "completed" : "failed",
    resource_type: result.resource_type,
    resource_id: result.resource_id,
    summary: result.summary,
    data: shortened(result.data),
    ...(result.error ? { error: result.error } : {}),
  };
}

export function schemaReply(errors: readonly ArgumentError[]): ToolReply {
  const message = errors
    .slice(0, 5)
    .map((error) => (error.path ? `${error.path}: ${error.message}` : error.message))
    .join("; ");
  return { ok: false, status: "failed", error: { code: "INVALID_ARGUMENTS", message } };
}

export function unknownToolReply(name: string, offered: readonly string[]): ToolReply {
  const message = `there is no tool "${name.slice(0, 64)}"; the tools are: ${offered.join(", ")}`;
  return { ok: false, status: "failed", error: { code: "NOT_FOUND", message } };
}

/** `data` carries what the model may use of a refusal, e.g. the tools that the stage allows. */
export function blockedReply(reason: GateReason, data?: Json): ToolReply {
  const code = reason === "resource_access" ? "PERMISSION_DENIED" : "POLICY_DENIED";
  const error = { code, message: BLOCK_TEXTS[reason] };
  const shown = data ?? (reason === "payouts_stopped" ? { reason } : undefined);
  return { ok: false, status: "denied", error, ...(shown === undefined ? {} : { data: shown }) };
}

export function waitingReply(number: number): ToolReply {
  return {
    ok: true,
    status: "waiting_approval",
    approval: approvalName(number),
    summary: "an operator is asked; tell the lead that a person is checking; do not call it again",
  };
}

export function declinedReply(number: number, reason: string | null): ToolReply {
  const why = reason ? `: ${reason}` : "";
  const message = `declined by the operator${why}; do not retry`;
  const error = { code: "APPROVAL_REJECTED", message };
  return { ok: false, status: "declined", approval: approvalName(number), error };
}

export function stateReply(status: string, summary: string, number?: number): ToolReply {
  const approval = number === undefined ? {} : { approval: approvalName(number) };
  return { ok: false, status, ...approval, summary };
}

export function busyReply(status: string): ToolReply {
  const done = status === "completed";
  const message = done
    ? "this was already done; do not call it again"
    : "this is already under way; wait for its outcome, do not call it again";
  return { ok: false, status: "denied", error: { code: "DUPLICATE_KEY", message } };
}

const BLOCK_TEXTS: Record<GateReason, string> = {
  tool_inactive: "the tool is switched off",
  stage_not_allowed: "the tool does not run at this stage of the deal",
  role_not_allowed: "the policy does not allow this call",
  resource_access: "the call is about something that is not the client's own",
  call_limit: "the tool was called too often in this turn",
  payload_too_large: "the arguments are too long",
  risk_class: "this kind of action is never done by the bot",
  side_effect_not_allowed: "only reading is allowed now",
  payouts_stopped:
    "payouts are stopped for now and a person was asked; tell the client that an operator takes care of the payout; do not call it again in this turn, and call it anew when the client asks again later",
  cost_limit: "the cost limit is reached",
  idempotency_key_missing: "the action has no key that keeps it from happening twice",
  budget_exhausted: "no calls are left in this turn; answer with what you have",
  too_few_approvers: "too few people may approve this; hand the client over to an operator",
  rejected_before: "an operator declined exactly this before; do not ask again",
  outcome_unknown: "the outcome of exactly this action is not known yet; it is being checked",
  condition_error: "a rule of the policy cannot be evaluated",
  digest_mismatch: "the action differs from what was approved",
  schema_changed: "the tool has changed since it was approved",
  lease_lost: "another worker took over",
  not_approved: "the approval is missing",
} satisfies Record<BlockReason | GateReason, string>;

function shortened(data: Json): Json {
  const text = JSON.stringify(data);
  if (text.length <= MAX_DATA_CHARS) return data;
  return { truncated: true, excerpt: text.slice(0, MAX_DATA_CHARS) };
}
