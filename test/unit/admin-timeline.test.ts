import { describe, expect, it } from "vitest";
import { textsOf } from "../../src/admin/pages/language.ts";
import type { ShownTrace } from "../../src/admin/pages/shown-trace.ts";
import { timelineOf } from "../../src/admin/pages/timeline.ts";

const NONE: ShownTrace = {
  conversation: { id: "c", stage: "new", mode: "bot", language: "en", messenger: "telegram" },
  contact: null,
  ...{ messages: [], outbox: [], feedback: [], runs: [], model_calls: [], candidates: [] },
  ...{ checks: [], gate_log: [], executions: [], results: [], retries: [], outside_calls: [] },
  ...{ errors: [], approvals: [], votes: [], audit: [], quotes: [], orders: [], handoffs: [] },
  tasks: [],
};

/** Minute `n` of the conversation. */
const at = (n: number) => `2026-03-01T10:${String(n).padStart(2, "0")}:00.000Z`;

function run(id: string, n: number, seen: number) {
  const ended = { outcome: "model", ended_at: at(n), approval_id: null };
  return {
    id,
    kind: "message",
    status: "completed",
    seen_seq: seen,
    cycle: 0,
    ...ended,
    created_at: at(n),
  };
}

function said(seq: number, n: number, author: "lead" | "bot", runId: string | null) {
  const words = { kind: "text", text: `words ${seq}`, media: [], status: "kept" };
  return { id: `m${seq}`, seq, author, ...words, run_id: runId, created_at: at(n) };
}

function told(trace: Partial<ShownTrace>) {
  const names = (id: string | null | undefined) => id ?? "—";
  return timelineOf({ ...NONE, ...trace }, { t: textsOf("en"), names });
}

describe("the timeline of a conversation", () => {
  it("puts what a client wrote to the run that took it in", () => {
    const groups = told({
      runs: [run("r1", 2, 2), run("r2", 6, 3)],
      messages: [
        ...[said(1, 0, "lead", null), said(2, 1, "lead", null), said(3, 5, "lead", null)],
        ...[said(4, 3, "bot", "r1"), said(5, 7, "bot", "r2")],
      ],
    });
    expect(groups.map(({ run: of, entries }) => [of?.id, entries.map(({ kind }) => kind)])).toEqual(
      [
        ["r1", ["lead", "lead", "run", "reply"]],
        ["r2", ["lead", "run", "reply"]],
      ],
    );
  });

  it("keeps a vote with the run that asked for it, however late it comes", () => {
    const asked = { tool_name: "issue_exchange_payout", payload_summary: "", decided_at: at(30) };
    const terms = { approvals_required: 1, approver_role: "operator", status: "approved" };
    const groups = told({
      runs: [run("r1", 1, 1), run("r2", 9, 2)],
      approvals: [{ id: "a", run_id: "r1", number: 7, ...asked, ...terms, created_at: at(2) }],
      votes: [
        {
          ...{ id: "v", approval_id: "a", staff_id: "Alice", decision: "approve" },
          ...{ reason: null, via: "slack", created_at: at(30) },
        },
      ],
    });
    const [first] = groups;
    expect(first?.entries.at(-1)).toMatchObject({
      kind: "vote",
      line: "Alice on A-7: approved (slack)",
    });
    expect(groups).toHaveLength(2);
  });

  it("tells rows of one moment in the order in which one leads to the next", () => {
    const of = { run_id: "r1", tool_name: "send_email", created_at: at(1) };
    const groups = told({
      runs: [run("r1", 1, 0)],
      executions: [
        {
          ...{ ...of, id: "e", candidate_id: "k", status: "completed", attempts: 1 },
          ...{ has_side_effect: true, started_at: at(1), finished_at: at(1) },
        },
      ],
      gate_log: [
        {
          ...{ ...of, id: "g", candidate_id: "k", policy_result: "allow", matched_policy_id: "p" },
          ...{ block_reason: null, moment: "proposal", facts_json: { known: {} } },
        },
      ],
      checks: [
        { ...of, id: "s", candidate_id: "k", is_valid: true, schema_version: 1, errors_json: [] },
      ],
      candidates: [{ ...of, id: "k", status: "executed", code: null, source: "model", cycle: 0 }],
    });
    expect(groups[0]?.entries.map(({ kind }) => kind)).toEqual([
      ...["run", "candidate", "check", "gate", "execution"],
    ]);
  });

  it("shows what belongs to no run where it happened", () => {
    const kinds = { purpose: "notice", status: "sent", attempts: 1, last_error: null };
    const notice = (id: string, n: number) => ({
      ...{ id, message_id: null, ...kinds, sent_at: at(n), created_at: at(n) },
    });
    const groups = told({
      runs: [run("r1", 3, 0), run("r2", 8, 0)],
      outbox: [notice("o1", 1), notice("o2", 2), notice("o3", 5)],
    });
    expect(groups.map(({ run: of, entries }) => [of?.id ?? null, entries.length])).toEqual([
      [null, 2],
      ["r1", 1],
      [null, 1],
      ["r2", 1],
    ]);
  });
});
