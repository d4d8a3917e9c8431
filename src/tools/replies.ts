import { approvalName } from "../domain/approval.ts";
import type { Json } from "../domain/json.ts";
import type { ToolReply, ToolResult } from "../domain/tool.ts";
import type { BlockReason } from "../policy/evaluate.ts";
import type { GateReason } from "../policy/permit.ts";
import { cleanLine } from "./normalise.ts";
import type { ArgumentError } from "./parse-arguments.ts";
import { shortened } from "./shorten.ts";

/** Longest `data` a model is shown; more is cut visibly. */
const MAX_DATA_CHARS = 12_000;

/** Nothing found is `ok` with empty data; a denial and a time-out are told apart by status and code. */
export function resultReply(result: ToolResult): ToolReply {
  const { ok, error } = result;
  const denied = error?.code === "PERMISSION_DENIED";
  return {
    ok,
    status: ok ? "completed" : denied ? "denied" : "failed",
    resource_type: result.resource_type,
    resource_id: result.resource_id,
    summary: cleanLine(result.summary),
    data: shortened(result.data, MAX_DATA_CHARS),
    ...(error ? { error: { code: error.code, message: cleanLine(error.message) } } : {}),
  };
}

/** At most five errors: a model mends them together and calls again. */
export function schemaReply(errors: readonly ArgumentError[]): ToolReply {
  const message = errors
    .slice(0, 5)
    .map((error) => (error.path ? `${error.path}: ${error.message}` : error.message))
    .join("; ");
  return { ok: false, status: "failed", error: { code: "INVALID_ARGUMENTS", message } };
}

/** Another's and nobody's look the same: a lead must not learn what others have. */
export function notOwnReply(errors: readonly ArgumentError[]): ToolReply {
  const what = errors.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const message = `${what.join("; ")}; ask the client which one is meant`;
  return { ok: false, status: "denied", error: { code: "NOT_FOUND", message } };
}

/** Lists what is offered now, so that the model does not guess on. */
export function unknownToolReply(name: string, offered: readonly string[]): ToolReply {
  const message = `there is no tool "${name.slice(0, 64)}"; the tools are: ${offered.join(", ")}`;
  return { ok: false, status: "failed", error: { code: "NOT_FOUND", message } };
}

/**
 * `data` carries what the model may use of a refusal, e.g. the tools that the stage allows. What has
 * become another's meanwhile looks like nobody's here, too.
 */
export function blockedReply(reason: GateReason, data?: Json): ToolReply {
  const code = reason === "resource_access" ? "NOT_FOUND" : "POLICY_DENIED";
  const error = { code, message: BLOCK_TEXTS[reason] };
  const shown = data ?? (reason === "payouts_stopped" ? { reason } : undefined);
  return { ok: false, status: "denied", error, ...(shown === undefined ? {} : { data: shown }) };
}

/** `ok`, as nothing has failed. It is replaced by the outcome once people have decided. */
export function waitingReply(number: number): ToolReply {
  return {
    ok: true,
    status: "waiting_approval",
    approval: approvalName(number),
    summary: "an operator is asked; tell the lead that a person is checking; do not call it again",
  };
}

/** `reason`: what the person wrote who declined; null: nothing. */
export function declinedReply(number: number, reason: string | null): ToolReply {
  const why = reason ? `: ${reason}` : "";
  const message = `declined by the operator${why}; do not retry`;
  const error = { code: "APPROVAL_REJECTED", message };
  return { ok: false, status: "declined", approval: approvalName(number), error };
}

/** Not `ok`: the client said no, so that the model must not speak of it as under way. */
export function frozenReply(number: number): ToolReply {
  const summary =
    "the client objected, so it is on hold; nothing is done unless an operator lets it go on; say so; do not call it again";
  return stateReply("frozen", summary, number);
}

/**
 * Terms of an approved action that ended while people decided; nobody is to blame, and a new one
 * helps.
 */
export function quoteExpiredReply(): ToolReply {
  const message =
    "approved, but the quote had ended before it was carried out; nothing was done; offer the client a new quote";
  return { ok: false, status: "failed", error: { code: "QUOTE_EXPIRED", message } };
}

/**
 * For what is neither a result nor an error: approved, frozen, cancelled, expired, not known yet.
 * Never `ok`, so that no model takes it for done.
 */
export function stateReply(status: string, summary: string, number?: number): ToolReply {
  const approval = number === undefined ? {} : { approval: approvalName(number) };
  return { ok: false, status, ...approval, summary };
}

/** `status`: of the execution that has the business key. */
export function busyReply(status: string): ToolReply {
  const done = status === "completed";
  const message = done
    ? "this was already done; do not call it again"
    : "this is already under way; wait for its outcome, do not call it again";
  return { ok: false, status: "denied", error: { code: "DUPLICATE_KEY", message } };
}

/** Of a read or a draft, which write only with their result: nothing of it was done. */
export function brokenOffReply(): ToolReply {
  const message =
    "the work on it broke off before there was a result; nothing was done; it may be called again";
  return { ok: false, status: "failed", error: { code: "PROVIDER_ERROR", message } };
}

/** The key of an action was used for another one: they never share it. */
export function keyConflictReply(): ToolReply {
  const message =
    "its key was used before for another action, or for the same one, which is done; nothing was sent; do not call it again";
  return { ok: false, status: "denied", error: { code: "DUPLICATE_KEY", message } };
}

const BLOCK_TEXTS: Record<GateReason, string> = {
  tool_inactive: "the tool is switched off",
  stage_not_allowed: "the tool does not run at this stage of the deal",
  role_not_allowed: "the policy does not allow this call",
  resource_access: "this client has no such thing; ask the client which one is meant",
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
  tool_withdrawn:
    "operators declined several of these in a row; do not ask for it again in this turn",
  outcome_unknown: "the outcome of exactly this action is not known yet; it is being checked",
  condition_error: "a rule of the policy cannot be evaluated",
  policy_forged: "the rules about this cannot be trusted; hand the client over to an operator",
  digest_mismatch: "the action differs from what was approved",
  schema_changed: "the tool has changed meanwhile; do not call it again in this turn",
  lease_lost: "another worker took over",
  not_approved: "the approval is missing",
  approval_forged: "the approval cannot be trusted; hand the client over to an operator",
} satisfies Record<BlockReason | GateReason, string>;
