import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { CandidateSource, CandidateStatus, ExecutionStatus } from "../../domain/candidate.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { RiskClass, ToolReply } from "../../domain/tool.ts";
import { id, instant, mac, tenantId } from "./columns.ts";

export const toolRegistry = pgTable(
  "tool_registry",
  {
    id: id(),
    tenantId: tenantId(),
    toolName: text("tool_name").notNull(),
    displayName: text("display_name").notNull(),
    description: text("description").notNull(),
    toolType: text("tool_type").notNull(),
    riskLevel: text("risk_level").$type<RiskClass>().notNull(),
    sideEffectType: text("side_effect_type").notNull(),
    owner: text("owner").notNull(),
    isActive: boolean("is_active").notNull(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [uniqueIndex("tool_registry_name").on(t.tenantId, t.toolName)],
);

/** Shared by all tenants: a schema is a fact of the code. */
export const toolSchemaVersions = pgTable(
  "tool_schema_versions",
  {
    id: id(),
    toolName: text("tool_name").notNull(),
    schemaVersion: integer("schema_version").notNull(),
    schemaHash: text("schema_hash").notNull(),
    inputSchemaJson: jsonb("input_schema_json").$type<JsonObject>().notNull(),
    outputSchemaJson: jsonb("output_schema_json").$type<JsonObject>().notNull(),
    status: text("status").$type<"active" | "retired">().notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [uniqueIndex("tool_schema_versions_number").on(t.toolName, t.schemaVersion)],
);

export const toolPolicy = pgTable(
  "tool_policy",
  {
    tenantId: tenantId(),
    id: text("id").notNull(),
    toolName: text("tool_name").notNull(),
    role: text("role").notNull(),
    conditionJson: jsonb("condition_json").$type<JsonObject>().notNull(),
    allowCall: boolean("allow_call").notNull(),
    requiresApproval: boolean("requires_approval").notNull(),
    approvalsRequired: integer("approvals_required").notNull(),
    approverRole: text("approver_role").$type<"operator" | "admin">().notNull(),
    approvalTtlS: integer("approval_ttl_s"),
    maxCallsPerRun: integer("max_calls_per_run").notNull(),
    maxPayloadSize: integer("max_payload_size").notNull(),
    isActive: boolean("is_active").notNull(),
    mac: mac(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.id] })],
);

/** One proposed call. `message_id` and `ordinal` are our call id; the provider's is never a key. */
export const toolCallCandidates = pgTable(
  "tool_call_candidates",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    /** null: a change that the desk itself asks for. */
    conversationId: text("conversation_id"),
    messageId: text("message_id"),
    ordinal: integer("ordinal").notNull(),
    cycle: integer("cycle").notNull(),
    modelCallId: text("model_call_id"),
    source: text("source").$type<CandidateSource>().notNull(),
    /** The contact whose message caused the proposal, or the staff member. */
    maker: text("maker").notNull(),
    toolName: text("tool_name").notNull(),
    argumentsRaw: text("arguments_raw").notNull(),
    argumentsJson: jsonb("arguments_json").$type<Json>(),
    argumentsHash: text("arguments_hash").notNull(),
    actionJson: jsonb("action_json").$type<JsonObject>(),
    actionDigest: text("action_digest"),
    businessKey: text("business_key"),
    schemaVersion: integer("schema_version").notNull(),
    confidence: text("confidence"),
    status: text("status").$type<CandidateStatus>().notNull(),
    code: text("code"),
    /** The latest state of the call as the model is shown it. */
    reply: jsonb("reply").$type<ToolReply>(),
    createdAt: instant("created_at").notNull(),
    settledAt: instant("settled_at"),
  },
  (t) => [
    index("candidates_conversation").on(t.tenantId, t.conversationId, t.createdAt),
    index("candidates_run").on(t.tenantId, t.runId),
    uniqueIndex("candidates_call")
      .on(t.tenantId, t.messageId, t.ordinal)
      .where(sql`message_id is not null`),
  ],
);

export const toolArgumentChecks = pgTable(
  "tool_argument_checks",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    candidateId: text("candidate_id").notNull(),
    toolName: text("tool_name").notNull(),
    schemaVersion: integer("schema_version").notNull(),
    isValid: boolean("is_valid").notNull(),
    errorsJson: jsonb("errors_json").$type<Json>().notNull(),
    normalizedArgumentsJson: jsonb("normalized_arguments_json").$type<Json>(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("argument_checks_candidate").on(t.tenantId, t.candidateId)],
);

export const policyGateLog = pgTable(
  "policy_gate_log",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    candidateId: text("candidate_id").notNull(),
    toolName: text("tool_name").notNull(),
    userId: text("user_id"),
    role: text("role").notNull(),
    policyResult: text("policy_result").$type<"allow" | "approval" | "deny">().notNull(),
    matchedPolicyId: text("matched_policy_id"),
    requiresApproval: boolean("requires_approval").notNull(),
    blockReason: text("block_reason"),
    factsJson: jsonb("facts_json").$type<JsonObject>().notNull(),
    /** `proposal` or `dispatch`. */
    moment: text("moment").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("policy_gate_log_candidate").on(t.tenantId, t.candidateId)],
);

export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    id: id(),
    tenantId: tenantId(),
    idempotencyKey: text("idempotency_key").notNull(),
    runId: text("run_id"),
    toolName: text("tool_name").notNull(),
    /** Digest of the action: the same key with another action is a conflict. */
    argumentsHash: text("arguments_hash").notNull(),
    status: text("status").$type<"reserved" | "completed" | "unknown" | "freed">().notNull(),
    resultRef: text("result_ref"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at"),
  },
  (t) => [
    uniqueIndex("idempotency_keys_live")
      .on(t.tenantId, t.idempotencyKey)
      .where(sql`status <> 'freed'`),
  ],
);

export const toolExecutionQueue = pgTable(
  "tool_execution_queue",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    /** null: a change that the desk itself asks for. */
    conversationId: text("conversation_id"),
    candidateId: text("candidate_id").notNull(),
    approvalId: text("approval_id"),
    toolName: text("tool_name").notNull(),
    /** The effective action. */
    payloadJson: jsonb("payload_json").$type<JsonObject>().notNull(),
    actionDigest: text("action_digest").notNull(),
    idempotencyKey: text("idempotency_key"),
    businessKey: text("business_key"),
    hasSideEffect: boolean("has_side_effect").notNull(),
    status: text("status").$type<ExecutionStatus>().notNull(),
    attempts: integer("attempts").notNull(),
    lookUps: integer("look_ups").notNull().default(0),
    resent: boolean("resent").notNull().default(false),
    runAfter: instant("run_after").notNull(),
    leaseOwner: text("lease_owner"),
    leaseToken: text("lease_token"),
    /** Real time. */
    leaseUntil: instant("lease_until"),
    createdAt: instant("created_at").notNull(),
    startedAt: instant("started_at"),
    finishedAt: instant("finished_at"),
  },
  (t) => [
    uniqueIndex("executions_candidate").on(t.tenantId, t.candidateId),
    uniqueIndex("executions_business_key")
      .on(t.tenantId, t.businessKey)
      .where(
        sql`has_side_effect and business_key is not null and status in ('queued', 'running', 'unknown', 'waiting_approval', 'retry_scheduled', 'completed')`,
      ),
    index("executions_open")
      .on(t.runAfter)
      .where(sql`status in ('queued', 'running', 'unknown', 'retry_scheduled')`),
  ],
);

export const toolResultLog = pgTable(
  "tool_result_log",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    executionId: text("execution_id").notNull(),
    toolName: text("tool_name").notNull(),
    status: text("status").notNull(),
    resultJson: jsonb("result_json").$type<Json>(),
    resultSummary: text("result_summary").notNull(),
    externalId: text("external_id"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("tool_result_log_execution").on(t.tenantId, t.executionId)],
);

export const toolRetryLog = pgTable("tool_retry_log", {
  id: id(),
  tenantId: tenantId(),
  runId: text("run_id"),
  executionId: text("execution_id").notNull(),
  toolName: text("tool_name").notNull(),
  attempt: integer("attempt").notNull(),
  retryReason: text("retry_reason").notNull(),
  nextRunAt: instant("next_run_at").notNull(),
  createdAt: instant("created_at").notNull(),
});
