import type { Json, JsonObject } from "./json.ts";

/**
 * What a tool may do to the world, mildest first as a rule of thumb; `policy/risk.ts` says which
 * classes people have to approve whatever the rows of a policy say.
 */
export const RISK_CLASSES = [
  "read_only",
  "draft_only",
  "write_internal",
  "external_write",
  "send_message",
  "payment",
  "permission_change",
  "delete",
] as const;
/** Belongs to the tool's code: neither a policy row nor an argument can change it. */
export type RiskClass = (typeof RISK_CLASSES)[number];

/** Why a call did not do its work. Each has a human text in Russian and English. */
export const TOOL_ERROR_CODES = [
  "INVALID_ARGUMENTS",
  "POLICY_DENIED",
  "APPROVAL_REJECTED",
  "PERMISSION_DENIED",
  "TIMEOUT",
  "RATE_LIMITED",
  "DUPLICATE_KEY",
  "NOT_FOUND",
  "PROVIDER_ERROR",
  "RESULT_INVALID",
] as const;
/**
 * A model reads it as well as people: it may go by it, so that a code never changes its meaning.
 */
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

/** What a tool returns: plain facts. `ok` with nothing found is not a failure. */
export interface ToolResult {
  ok: boolean;
  resource_type: string;
  resource_id: string | null;
  /** How a service outside calls what it made; left out where `resource_id` is that already. */
  external_id?: string;
  /** One English line for logs and cards; holds no secret. */
  summary: string;
  data: JsonObject;
  error?: { code: ToolErrorCode; message: string };
}

/** What is kept beside a result to find the same outside. */
export function externalIdOf({ external_id, resource_id }: ToolResult): string | null {
  return external_id ?? resource_id;
}

/**
 * The single tool message of a call, always its latest state: `completed`, `failed`, `denied`,
 * `waiting_approval`, `unknown`, `declined` …
 */
export interface ToolReply {
  ok: boolean;
  status: string;
  approval?: string;
  resource_type?: string;
  resource_id?: string | null;
  summary?: string;
  data?: Json;
  error?: { code: string; message: string };
}
