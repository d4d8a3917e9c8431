import type { ShownTrace } from "./shown-trace.ts";
import type { Entry, Telling } from "./timeline-entry.ts";
import { stateTone } from "./tones.ts";

/** What people were asked and said, what was agreed on, and the trail. */
export function deskEntries(trace: ShownTrace, telling: Telling): Entry[] {
  return [
    ...decisions(trace, telling),
    ...deals(trace, telling),
    ...handoffs(trace, telling),
    ...audit(trace),
  ];
}

function decisions(trace: ShownTrace, { t, names }: Telling): Entry[] {
  const approvals = trace.approvals.map(
    (row): Entry => ({
      at: row.created_at,
      kind: "approval",
      runId: row.run_id,
      tone: stateTone(row.status),
      line: t("line.approval", {
        name: `A-${row.number}`,
        tool: row.tool_name,
        state: t.word("approval", row.status),
        needed: `${row.approvals_required} × ${t.word("role", row.approver_role)}`,
      }),
      said: row.payload_summary,
      href: `/admin/approvals/A-${row.number}`,
      row,
    }),
  );
  const votes = trace.votes.map((row): Entry => {
    const approval = trace.approvals.find(({ id }) => id === row.approval_id);
    return {
      at: row.created_at,
      kind: "vote",
      runId: approval?.run_id ?? null,
      tone: stateTone(row.decision),
      line: t("line.vote", {
        name: `A-${approval?.number ?? "?"}`,
        who: names(row.staff_id),
        decision: t.word("vote", row.decision),
        via: row.via,
      }),
      ...(row.reason ? { said: row.reason } : {}),
      row,
    };
  });
  return [...approvals, ...votes];
}

function deals(trace: ShownTrace, { t }: Telling): Entry[] {
  const named = [
    ...trace.quotes.map((row) => ({ row, name: `Q-${row.number}` })),
    ...trace.orders.map((row) => ({ row, name: `EX-${row.number}` })),
  ];
  return named.map(({ row, name }) => ({
    at: row.created_at,
    kind: "deal",
    runId: runAround(trace, row.created_at),
    tone: "plain",
    line: t("line.deal", {
      name,
      from: `${row.amount_from} ${row.asset}`,
      to: `${row.amount_to} ${row.quote_asset}`,
      state: t.word("order", row.status),
    }),
    row,
  }));
}

/** Quotes and orders do not name the run that made them; the one that was at work then did. */
function runAround({ runs }: ShownTrace, at: string): string | null {
  return runs.findLast((run) => run.created_at <= at && at <= (run.ended_at ?? at))?.id ?? null;
}

function handoffs(trace: ShownTrace, { t }: Telling): Entry[] {
  const rows = [
    ...trace.handoffs.map((row) => ({ row, name: t("line.handoff"), said: row.reason })),
    ...trace.tasks.map((row) => ({ row, name: t("line.task"), said: row.title })),
  ];
  return rows.map(({ row, name, said }) => ({
    at: row.created_at,
    kind: "handoff",
    runId: null,
    tone: "plain",
    line: row.status ? `${name} · ${t.word("state", row.status)}` : name,
    ...(said ? { said } : {}),
    row,
  }));
}

function audit(trace: ShownTrace): Entry[] {
  return trace.audit.map((row) => ({
    at: row.created_at,
    kind: "audit",
    runId: row.run_id,
    tone: "plain",
    line: row.event_type,
    said: row.summary,
    row,
  }));
}
