import type { JsonObject } from "./json.ts";
import type { Verified } from "./verified.ts";

/** A rule of a tenant about calls of a tool, as people write it and as the gate reads it. */
export interface PolicyRow {
  id: string;
  tool_name: string;
  /** A role, or `*` for every role. */
  role: string;
  /** A query over the facts of the call; `{}` matches always. */
  condition_json: JsonObject;
  allow_call: boolean;
  requires_approval: boolean;
  approvals_required: number;
  approver_role: "operator" | "admin";
  /** Seconds; null: the default time. */
  approval_ttl_s: number | null;
  max_calls_per_run: number;
  /** Bytes of the arguments. */
  max_payload_size: number;
  is_active: boolean;
}

/** The rules of a tenant, as its store vouches for them. */
export interface Policies {
  rows: readonly Verified<PolicyRow>[];
  /** Each rule's id -> its tool: a rule that somebody deleted is missed. null: nobody can tell. */
  list: Verified<{ rows: Readonly<Record<string, string>> }> | null;
  /** Tools that rows name which somebody else wrote; `*` for all. */
  forgedTools: readonly string[];
}
