/** A row of the trace as the API shows it; what the timeline reads of it is named, the rest is folded. */
interface Row {
  id: string;
  created_at: string;
  [field: string]: unknown;
}

interface OfRun extends Row {
  run_id: string | null;
}

interface OfTool extends OfRun {
  tool_name: string;
}

/** GET /conversations/:id */
export interface ShownTrace {
  conversation: { id: string; stage: string; mode: string; language: string; messenger: string };
  contact: { id: string; name: string } | null;
  messages: (OfRun & {
    seq: number;
    author: "lead" | "bot" | "staff" | "system";
    kind: string;
    text: string;
    media: { kind: string }[];
    status: string;
    labels?: string[];
  })[];
  outbox: (Row & {
    message_id: string | null;
    purpose: string;
    status: string;
    attempts: number;
    last_error: string | null;
    sent_at: string | null;
  })[];
  feedback: (Row & {
    message_id: string;
    label: string;
    note: string | null;
    staff_id: string;
    source: string;
  })[];
  runs: (Row & {
    kind: string;
    status: string;
    seen_seq: number;
    cycle: number;
    approval_id: string | null;
    outcome: string | null;
    ended_at: string | null;
  })[];
  model_calls: (OfRun & {
    operation: string;
    model_id: string;
    status: string;
    error: string | null;
    latency_ms: number;
    input_tokens: number | null;
    output_tokens: number | null;
  })[];
  candidates: (OfTool & { status: string; code: string | null; source: string; cycle: number })[];
  checks: (OfTool & {
    candidate_id: string;
    is_valid: boolean;
    schema_version: number;
    errors_json: unknown;
  })[];
  gate_log: (OfTool & {
    candidate_id: string;
    policy_result: string;
    matched_policy_id: string | null;
    block_reason: string | null;
    moment: string;
    facts_json: Record<string, unknown>;
  })[];
  executions: (OfTool & {
    candidate_id: string;
    status: string;
    attempts: number;
    has_side_effect: boolean;
    started_at: string | null;
    finished_at: string | null;
  })[];
  results: (OfTool & {
    execution_id: string;
    status: string;
    result_summary: string;
    external_id: string | null;
  })[];
  retries: (OfTool & { attempt: number; retry_reason: string; next_run_at: string })[];
  outside_calls: (OfRun & {
    provider: string;
    method: string;
    endpoint: string;
    response_status: number | null;
    latency_ms: number;
  })[];
  errors: (OfRun & {
    component: string;
    error_code: string;
    error_message: string;
    attempt: number;
  })[];
  approvals: (OfTool & {
    number: number;
    status: string;
    payload_summary: string;
    approvals_required: number;
    approver_role: string;
    decided_at: string | null;
  })[];
  votes: (Row & {
    approval_id: string;
    staff_id: string;
    decision: string;
    reason: string | null;
    via: string;
  })[];
  audit: (OfRun & { event_type: string; summary: string; user_id: string | null })[];
  quotes: (Row & {
    number: number;
    amount_from: string;
    asset: string;
    amount_to: string;
    quote_asset: string;
    status: string;
  })[];
  orders: (Row & {
    number: number;
    amount_from: string;
    asset: string;
    amount_to: string;
    quote_asset: string;
    status: string;
  })[];
  handoffs: (Row & { status?: string; reason?: string })[];
  tasks: (Row & { title?: string; status?: string })[];
}
