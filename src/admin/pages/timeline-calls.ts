import type { ShownTrace } from "./shown-trace.ts";
import type { Entry, Telling } from "./timeline-entry.ts";
import { stateTone } from "./tones.ts";

/** A proposed call's way: candidate, schema, gate, execution, what was asked outside, result. */
export function callEntries(trace: ShownTrace, telling: Telling): Entry[] {
  return [...judged(trace, telling), ...carriedOut(trace, telling), ...troubles(trace, telling)];
}

function judged(trace: ShownTrace, { t }: Telling): Entry[] {
  const candidates = trace.candidates.map(
    (row): Entry => ({
      at: row.created_at,
      kind: "candidate",
      runId: row.run_id,
      tone: stateTone(row.status),
      line: t("line.candidate", {
        tool: row.tool_name,
        source: t.word("source", row.source),
        state: t.word("state", row.status),
        code: row.code ? ` (${row.code})` : "",
      }),
      row,
    }),
  );
  const checks = trace.checks.map(
    (row): Entry => ({
      at: row.created_at,
      kind: "check",
      runId: row.run_id,
      tone: row.is_valid ? "ok" : "no",
      line: t(row.is_valid ? "line.checkOk" : "line.checkFailed", {
        tool: row.tool_name,
        version: row.schema_version,
      }),
      ...(row.is_valid ? {} : { said: JSON.stringify(row.errors_json) }),
      row,
    }),
  );
  const gates = trace.gate_log.map(
    (row): Entry => ({
      at: row.created_at,
      kind: "gate",
      runId: row.run_id,
      tone: stateTone(row.policy_result),
      line: t("line.gate", {
        tool: row.tool_name,
        result: t.word("policy", row.policy_result),
        rule: row.matched_policy_id ?? "—",
        reason: row.block_reason ? ` · ${row.block_reason}` : "",
        moment: t.word("moment", row.moment),
      }),
      facts: row.facts_json,
      row,
    }),
  );
  return [...candidates, ...checks, ...gates];
}

function carriedOut(trace: ShownTrace, { t }: Telling): Entry[] {
  const executions = trace.executions.map(
    (row): Entry => ({
      at: row.started_at ?? row.created_at,
      kind: "execution",
      runId: row.run_id,
      tone: stateTone(row.status),
      line: t("line.execution", {
        tool: row.tool_name,
        state: t.word("state", row.status),
        n: row.attempts,
      }),
      row,
    }),
  );
  const outside = trace.outside_calls.map(
    (row): Entry => ({
      at: row.created_at,
      kind: "outside",
      runId: row.run_id,
      tone: row.response_status !== null && row.response_status < 400 ? "ok" : "no",
      line: t("line.outside", {
        provider: row.provider,
        call: `${row.method} ${row.endpoint}`,
        status: row.response_status ?? t("line.noAnswer"),
        ms: row.latency_ms,
      }),
      row,
    }),
  );
  const results = trace.results.map(
    (row): Entry => ({
      at: row.created_at,
      kind: "result",
      runId: row.run_id,
      tone: stateTone(row.status),
      line: t("line.result", { tool: row.tool_name, state: t.word("state", row.status) }),
      said: row.result_summary,
      row,
    }),
  );
  return [...executions, ...outside, ...results];
}

function troubles(trace: ShownTrace, { t }: Telling): Entry[] {
  const retries = trace.retries.map(
    (row): Entry => ({
      at: row.created_at,
      kind: "retry",
      runId: row.run_id,
      tone: "wait",
      line: t("line.retry", {
        tool: row.tool_name,
        n: row.attempt,
        at: row.next_run_at.slice(0, 19).replace("T", " "),
      }),
      said: row.retry_reason,
      row,
    }),
  );
  const errors = trace.errors.map(
    (row): Entry => ({
      at: row.created_at,
      kind: "error",
      runId: row.run_id,
      tone: "no",
      line: t("line.error", { component: row.component, code: row.error_code, n: row.attempt }),
      said: row.error_message,
      row,
    }),
  );
  return [...retries, ...errors];
}
