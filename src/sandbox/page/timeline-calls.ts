import type { Trace } from "./trace-rows.ts";

/** One proposed call, step by step. A step that was never reached is not in the list. */
export interface Call {
  id: string;
  runId: string | null;
  at: string;
  tool: string;
  source: string;
  status: string;
  code: string | null;
  risk: string | null;
  arguments: unknown;
  /** What the model was told; null while the call is under way. */
  result: unknown;
  steps: Step[];
}

/** How a step ended: done, refused, still open, or nobody knows yet. */
export type StepState = "ok" | "no" | "wait" | "unknown";

/** A station of a call, in the order in which it came to it. */
export type Step = { state: StepState } & (
  | { kind: "proposed"; source: string }
  | { kind: "schema"; version: number | null; errors: string[] }
  | { kind: "policy"; result: string; rule: string | null; reason: string | null; facts: object }
  | { kind: "approval"; name: string; status: string; required: number; people: Decision[] }
  | { kind: "refused"; who: string | null; at: string; reason: string }
  | { kind: "executed"; status: string; summary: string | null; tries: Tries }
);

/** `who`: the person's name as staff know it; `reason`: null: none was given. */
export interface Decision {
  who: string;
  decision: string;
  via: string;
  reason: string | null;
}

/** How often a provider was asked, and in which way; `key`: the idempotency key, null for reads. */
export interface Tries {
  attempts: number;
  /** The provider's answer was lost, so it was asked by key what became of the call. */
  wasUnknown: boolean;
  lookUps: number;
  resent: boolean;
  key: string | null;
}

/** One entry for each proposed call, whatever became of it. */
export function callsOf(trace: Trace): Call[] {
  return trace.candidates.map((candidate) => {
    const gate = trace.gate_log.find((line) => line.candidate_id === candidate.id);
    return {
      id: candidate.id,
      runId: candidate.run_id ?? null,
      at: candidate.created_at,
      tool: candidate.tool_name,
      source: candidate.source,
      status: candidate.status,
      code: candidate.code ?? null,
      risk: gate?.facts_json.tool?.risk ?? null,
      arguments: candidate.arguments_json ?? candidate.arguments_raw ?? null,
      result: candidate.reply ?? null,
      steps: [
        { kind: "proposed", state: "ok", source: candidate.source },
        ...schemaSteps(trace, candidate.id),
        ...policySteps(trace, candidate.id),
        ...refusalSteps(trace, candidate.id),
        ...approvalSteps(trace, candidate.id),
        ...executionSteps(trace, candidate),
      ],
    };
  });
}

function schemaSteps({ checks }: Trace, id: string): Step[] {
  const check = checks.find((row) => row.candidate_id === id);
  if (!check) return [];
  const errors = check.is_valid ? [] : listTexts(check.errors_json);
  const state = check.is_valid ? "ok" : "no";
  return [{ kind: "schema", state, version: check.schema_version ?? null, errors }];
}

/** The decision on the proposal, and that before the dispatch when it said something else. */
function policySteps({ gate_log }: Trace, id: string): Step[] {
  const lines = gate_log.filter((line) => line.candidate_id === id);
  const told = lines.filter((line, index) => {
    return index === 0 || line.policy_result !== lines[index - 1]?.policy_result;
  });
  return told.map((line) => ({
    kind: "policy",
    state: line.policy_result === "deny" ? "no" : "ok",
    result: line.policy_result,
    rule: line.matched_policy_id ?? null,
    reason: line.block_reason ?? null,
    facts: line.facts_json.known ?? {},
  }));
}

const APPROVAL_STATES: Record<string, StepState> = {
  pending: "wait",
  frozen: "wait",
  approved: "ok",
};

function approvalSteps(trace: Trace, id: string): Step[] {
  return trace.approvals
    .filter((approval) => approval.candidate_id === id)
    .map((approval) => ({
      kind: "approval",
      state: APPROVAL_STATES[approval.status] ?? "no",
      name: `A-${approval.number}`,
      status: approval.status,
      required: approval.approvals_required,
      people: trace.votes
        .filter((vote) => vote.approval_id === approval.id)
        .map((vote) => ({
          who: nameOf(trace, vote.staff_id) ?? vote.staff_id,
          decision: vote.decision,
          via: vote.via,
          reason: vote.reason ?? approval.rejected_reason ?? null,
        })),
    }));
}

/** People who pressed and had no right to. */
function refusalSteps(trace: Trace, id: string): Step[] {
  return trace.audit
    .filter((line) => line.candidate_id === id && line.event_type === "approval.refused")
    .map((line) => ({
      kind: "refused",
      state: "no",
      who: nameOf(trace, line.user_id),
      at: line.created_at,
      reason: line.summary.split(": ").at(-1) ?? "",
    }));
}

const EXECUTION_STATES: Record<string, StepState> = {
  completed: "ok",
  failed: "no",
  cancelled: "no",
  unknown: "unknown",
  waiting_approval: "unknown",
};

function executionSteps(trace: Trace, { id, status }: Trace["candidates"][number]): Step[] {
  const wasUnknown = trace.audit.some(
    (line) => line.candidate_id === id && line.event_type === "execution.unknown",
  );
  return trace.executions
    .filter((execution) => execution.candidate_id === id)
    .map((execution) => ({
      kind: "executed",
      // a tool that ran and said no has run, but has not done it
      state: status === "failed" ? "no" : (EXECUTION_STATES[execution.status] ?? "wait"),
      status: execution.status,
      summary: summaryOf(trace, execution.id),
      tries: {
        attempts: execution.attempts,
        wasUnknown,
        lookUps: execution.look_ups,
        resent: execution.resent,
        key: execution.business_key ?? null,
      },
    }));
}

function summaryOf({ results }: Trace, executionId: string): string | null {
  return results.findLast((row) => row.execution_id === executionId)?.result_summary ?? null;
}

function nameOf({ staff }: Trace, id: string | null | undefined): string | null {
  return staff.find((person) => person.id === id)?.name ?? null;
}

function listTexts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((entry) => (typeof entry === "string" ? entry : JSON.stringify(entry)));
}
