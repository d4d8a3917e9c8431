import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { ChatFault } from "../../domain/chat-model.ts";
import type { FailureClass } from "../../domain/failure.ts";
import type { FeedbackLabel } from "../../domain/feedback.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { AttemptStatus } from "../../domain/model-attempt.ts";
import type { RunKind, RunStatus } from "../../domain/run.ts";
import type { RiskClass } from "../../domain/tool.ts";
import { id, instant, tenantId } from "./columns.ts";

/** One piece of the engine's work: answering a lead, or telling an outcome (`continuation`). */
export const runs = pgTable(
  "runs",
  {
    id: id(),
    tenantId: tenantId(),
    conversationId: text("conversation_id").notNull(),
    kind: text("kind").$type<RunKind>().notNull(),
    status: text("status").$type<RunStatus>().notNull(),
    /** The last message (seq) of the lead that the run has taken in. */
    seenSeq: bigint("seen_seq", { mode: "number" }).notNull().default(0),
    cycle: integer("cycle").notNull().default(0),
    attempts: integer("attempts").notNull().default(0),
    /** How often a worker was lost. */
    restarts: integer("restarts").notNull().default(0),
    modelFailures: integer("model_failures").notNull().default(0),
    supersededDrafts: integer("superseded_drafts").notNull().default(0),
    /** Active work only, real milliseconds; waiting for people or retries does not count. */
    activeMs: integer("active_ms").notNull().default(0),
    /** Cost of the run so far, USD. */
    spent: numeric("spent").notNull().default("0"),
    approvalId: text("approval_id"),
    /** The style that the run's reply is written in. */
    styleId: text("style_id").notNull().default("default"),
    dueAt: instant("due_at").notNull(),
    firstMessageAt: instant("first_message_at").notNull(),
    leaseOwner: text("lease_owner"),
    leaseToken: text("lease_token"),
    /** Real time. */
    leaseUntil: instant("lease_until"),
    outcome: text("outcome"),
    createdAt: instant("created_at").notNull(),
    endedAt: instant("ended_at"),
  },
  (t) => [
    uniqueIndex("runs_queued_message")
      .on(t.tenantId, t.conversationId)
      .where(sql`status = 'queued' and kind = 'message'`),
    uniqueIndex("runs_continuation")
      .on(t.tenantId, t.approvalId)
      .where(sql`approval_id is not null`),
    index("runs_open").on(t.dueAt).where(sql`status in ('queued', 'running', 'waiting_retry')`),
    index("runs_conversation").on(t.tenantId, t.conversationId, t.createdAt),
  ],
);

/** One attempt at one model, also a failed one. The scope of a call is its tenant. */
export const modelCallLog = pgTable(
  "model_call_log",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    /** Ties the attempts of one task together; of a run its id. */
    traceId: text("trace_id"),
    operation: text("operation").notNull(),
    /** The model's name in MODELS_FILE. */
    provider: text("provider").notNull(),
    modelId: text("model_id").notNull(),
    promptVersion: text("prompt_version"),
    /** Within its call, from 1. */
    attempt: integer("attempt").notNull().default(1),
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    /** USD; null: no price or no count is known. */
    cost: numeric("cost"),
    status: text("status").$type<AttemptStatus>().notNull(),
    finishReason: text("finish_reason"),
    hadToolCall: boolean("had_tool_call").notNull(),
    cut: boolean("cut").notNull().default(false),
    failure: text("failure").$type<FailureClass>(),
    fault: text("fault").$type<ChatFault>(),
    httpStatus: integer("http_status"),
    error: text("error"),
    latencyMs: integer("latency_ms").notNull(),
    /** The newest verdict, 0 to 1; null: nobody judged it. */
    score: doublePrecision("score"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("model_call_log_run").on(t.tenantId, t.runId),
    index("model_call_log_trace").on(t.tenantId, t.traceId),
    index("model_call_log_time").on(t.tenantId, t.createdAt),
  ],
);

/** What brokers of all processes know of failing models and keys. Product time. Not a tenant table. */
export const modelCooldowns = pgTable("model_cooldowns", {
  key: text("key").primaryKey(),
  until: instant("until").notNull(),
  setAt: instant("set_at").notNull(),
  /** In a row. */
  failures: integer("failures").notNull(),
  cause: text("cause").notNull(),
  returns: boolean("returns").notNull(),
});

/** Verdicts on a model at an operation, over all tenants. Not a tenant table. */
export const modelRatings = pgTable(
  "model_ratings",
  {
    llmName: text("llm_name").notNull(),
    operation: text("operation").notNull(),
    sum: doublePrecision("sum").notNull(),
    count: doublePrecision("count").notNull(),
  },
  (t) => [primaryKey({ columns: [t.llmName, t.operation] })],
);

/** Calls under way at a model with a cap, over all processes. Not a tenant table. */
export const modelPlaces = pgTable(
  "model_places",
  {
    id: id(),
    llmName: text("llm_name").notNull(),
    /** Real time: one that is left is free from here on. */
    until: instant("until").notNull(),
  },
  (t) => [index("model_places_name").on(t.llmName)],
);

/** What tools ran for a reply, for people who judge replies. One row a call. */
export const agentToolCalls = pgTable(
  "agent_tool_calls",
  {
    id: id(),
    tenantId: tenantId(),
    /** As exports name it. */
    number: bigint("number", { mode: "number" }).notNull().generatedByDefaultAsIdentity(),
    conversationId: text("conversation_id").notNull(),
    contactId: text("contact_id").notNull(),
    messageId: text("message_id"),
    outboundId: text("outbound_id"),
    candidateId: text("candidate_id").notNull(),
    source: text("source").notNull(),
    toolName: text("tool_name").notNull(),
    args: jsonb("args").$type<unknown>(),
    result: jsonb("result").$type<unknown>(),
    isError: boolean("is_error").notNull(),
    cycle: integer("cycle").notNull(),
    toolCallIndex: integer("tool_call_index").notNull(),
    latencyMs: bigint("latency_ms", { mode: "number" }),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("agent_tool_calls_conversation").on(t.tenantId, t.conversationId, t.createdAt),
    index("agent_tool_calls_message").on(t.tenantId, t.messageId),
    uniqueIndex("agent_tool_calls_number").on(t.tenantId, t.number),
  ],
);

/** What staff think of a reply. One row for each person, label and tool call of the reply. */
export const agentToolCallFeedback = pgTable(
  "agent_tool_call_feedback",
  {
    id: id(),
    tenantId: tenantId(),
    conversationId: text("conversation_id").notNull(),
    /** The reply. */
    messageId: text("message_id").notNull(),
    /** Empty: the reply came without a tool call. */
    toolCallId: text("tool_call_id").notNull().default(""),
    label: text("label").$type<FeedbackLabel>().notNull(),
    note: text("note"),
    source: text("source").$type<"reaction" | "api">().notNull(),
    staffId: text("staff_id").notNull(),
    createdAt: instant("created_at").notNull(),
    /** The reaction was taken back. */
    retractedAt: instant("retracted_at"),
  },
  (t) => [
    uniqueIndex("agent_tool_call_feedback_person").on(
      t.tenantId,
      t.messageId,
      t.toolCallId,
      t.staffId,
      t.label,
      t.source,
    ),
    index("agent_tool_call_feedback_time").on(t.tenantId, t.createdAt),
  ],
);

export const errorLog = pgTable(
  "error_log",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    executionId: text("execution_id"),
    toolName: text("tool_name"),
    /** `model`, `tool`, `look_up`, `run`. */
    component: text("component").notNull(),
    /** `timeout`, `policy_block` …: says whether it is tried again. */
    errorClass: text("error_class").notNull().default("transient"),
    errorCode: text("error_code").notNull(),
    errorMessage: text("error_message").notNull(),
    retryable: boolean("retryable").notNull(),
    attempt: integer("attempt").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("error_log_time").on(t.tenantId, t.createdAt)],
);

/** One request to somebody else's service. Hashes, not bodies: what was said stays out of logs. */
export const externalApiLog = pgTable(
  "external_api_log",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    executionId: text("execution_id"),
    toolName: text("tool_name"),
    provider: text("provider").notNull(),
    /** A template without secrets: `/wallet/{id}`. */
    endpoint: text("endpoint").notNull(),
    method: text("method").notNull(),
    requestHash: text("request_hash").notNull(),
    /** null: no answer came. */
    responseStatus: integer("response_status"),
    responseHash: text("response_hash"),
    latencyMs: integer("latency_ms").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("external_api_log_execution").on(t.tenantId, t.executionId)],
);

export const latencyLog = pgTable(
  "latency_log",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    /** `model`, `tool`, `queue`, `approval`. */
    component: text("component").notNull(),
    operation: text("operation").notNull(),
    /** A person may take months to approve: more than 32 bits of milliseconds. */
    latencyMs: bigint("latency_ms", { mode: "number" }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("latency_log_time").on(t.tenantId, t.createdAt)],
);

export const costLog = pgTable(
  "cost_log",
  {
    id: id(),
    tenantId: tenantId(),
    runId: text("run_id"),
    costType: text("cost_type").notNull(),
    provider: text("provider").notNull(),
    amount: numeric("amount").notNull(),
    currency: text("currency").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("cost_log_time").on(t.tenantId, t.createdAt)],
);

export const toolEvalCases = pgTable(
  "tool_eval_cases",
  {
    id: id(),
    tenantId: tenantId(),
    caseName: text("case_name").notNull(),
    inputJson: jsonb("input_json").$type<JsonObject>().notNull(),
    /** null: no tool may be called. */
    expectedTool: text("expected_tool"),
    expectedArgumentsJson: jsonb("expected_arguments_json").$type<JsonObject>(),
    forbiddenToolsJson: jsonb("forbidden_tools_json").$type<string[]>().notNull(),
    expectedPolicyResult: text("expected_policy_result").$type<
      "allow" | "approval" | "deny" | "schema_failed"
    >(),
    riskLevel: text("risk_level").$type<RiskClass>(),
    isActive: boolean("is_active").notNull(),
    /** A file that ships with the product, one that people gave, or REG-7. */
    source: text("source").notNull().default(""),
  },
  (t) => [uniqueIndex("tool_eval_cases_name").on(t.tenantId, t.caseName)],
);

export const toolEvalRuns = pgTable(
  "tool_eval_runs",
  {
    id: id(),
    tenantId: tenantId(),
    evalCaseId: text("eval_case_id").notNull(),
    /** All rows of one run of the evals. */
    batchId: text("batch_id").notNull().default(""),
    agentVersion: text("agent_version").notNull(),
    modelId: text("model_id").notNull(),
    actualTool: text("actual_tool"),
    actualArgumentsJson: jsonb("actual_arguments_json").$type<Json>(),
    policyResult: text("policy_result"),
    passed: boolean("passed").notNull(),
    failureReason: text("failure_reason"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("tool_eval_runs_case").on(t.tenantId, t.evalCaseId, t.createdAt),
    index("tool_eval_runs_batch").on(t.tenantId, t.batchId),
  ],
);
