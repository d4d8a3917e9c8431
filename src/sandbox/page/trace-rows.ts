import { z } from "zod";

/** The rows of a trace that the page reads, in the words of the admin API; other fields pass. */
const text = z.string();
const maybe = z.string().nullish();
const rowsOf = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.array(z.looseObject(shape)).default([]);

/** The rows that the page reads of a conversation's trace; others may come along. */
export const traceSchema = z.looseObject({
  conversation: z.looseObject({ id: text, stage: text, mode: text }),
  messages: rowsOf({
    id: text,
    seq: z.number(),
    author: text,
    kind: text,
    text,
    media: z.array(z.looseObject({ kind: text })).default([]),
    status: text,
    run_id: maybe,
    created_at: text,
  }),
  outbox: rowsOf({ message_id: maybe, purpose: text, status: text }),
  runs: rowsOf({
    id: text,
    kind: text,
    status: text,
    seen_seq: z.number().nullish(),
    approval_id: maybe,
    outcome: maybe,
    created_at: text,
  }),
  model_calls: rowsOf({
    run_id: maybe,
    operation: text,
    model_id: text,
    status: text,
    latency_ms: z.number().nullish(),
    input_tokens: z.number().nullish(),
    output_tokens: z.number().nullish(),
    error: maybe,
  }),
  candidates: rowsOf({
    id: text,
    run_id: maybe,
    source: text,
    tool_name: text,
    arguments_raw: maybe,
    arguments_json: z.unknown(),
    status: text,
    code: maybe,
    reply: z.unknown(),
    created_at: text,
  }),
  checks: rowsOf({
    candidate_id: text,
    schema_version: z.number().nullish(),
    is_valid: z.boolean(),
    errors_json: z.unknown(),
  }),
  gate_log: rowsOf({
    candidate_id: text,
    policy_result: text,
    matched_policy_id: maybe,
    block_reason: maybe,
    moment: text,
    facts_json: z
      .looseObject({
        tool: z.looseObject({ risk: text }).partial().default({}),
        known: z.record(z.string(), z.unknown()).default({}),
      })
      .partial()
      .default({}),
  }),
  executions: rowsOf({
    id: text,
    candidate_id: maybe,
    status: text,
    attempts: z.number(),
    look_ups: z.number(),
    resent: z.boolean().default(false),
    business_key: maybe,
    idempotency_key: maybe,
  }),
  results: rowsOf({ execution_id: text, status: text, result_summary: maybe }),
  approvals: rowsOf({
    id: text,
    number: z.number(),
    candidate_id: maybe,
    status: text,
    approvals_required: z.number(),
    approver: maybe,
    decided_via: maybe,
    rejected_reason: maybe,
    action_digest: maybe,
  }),
  votes: rowsOf({ approval_id: text, staff_id: text, decision: text, via: text, reason: maybe }),
  audit: rowsOf({
    run_id: maybe,
    candidate_id: maybe,
    event_type: text,
    decision: maybe,
    summary: text,
    user_id: maybe,
    created_at: text,
  }),
  orders: rowsOf({
    number: z.number(),
    status: text,
    asset: text,
    amount_from: text,
    quote_asset: text,
    amount_to: text,
  }),
  staff: rowsOf({ id: text, name: text }),
});

export type Trace = z.infer<typeof traceSchema>;
