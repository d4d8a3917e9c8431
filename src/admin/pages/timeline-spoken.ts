import type { ShownTrace } from "./shown-trace.ts";
import type { Entry, Telling } from "./timeline-entry.ts";
import { stateTone } from "./tones.ts";

/** Messages, deliveries, what staff think of replies, and the runs that answer. */
export function spokenEntries(trace: ShownTrace, telling: Telling): Entry[] {
  return [
    ...trace.messages
      .filter(({ kind }) => kind !== "calls") // they stand there as candidates
      .map((one) => message(trace, telling, one)),
    ...deliveries(trace, telling),
    ...feedback(trace, telling),
    ...runs(trace, telling),
    ...modelCalls(trace, telling),
  ];
}

type Message = ShownTrace["messages"][number];

const KINDS = { lead: "lead", bot: "reply", staff: "staff", system: "event" } as const;

function message(trace: ShownTrace, { t }: Telling, one: Message): Entry {
  const kind = KINDS[one.author];
  const labels = (one.labels ?? []).map((label) => t.word("label", label)).join(", ");
  return {
    at: one.created_at,
    kind,
    runId: one.run_id ?? runThatSaw(trace, one),
    tone: one.status === "superseded" ? "unknown" : "plain",
    line: [t.word("entry", kind), one.status === "kept" ? "" : t.word("state", one.status), labels]
      .filter(Boolean)
      .join(" · "),
    said: [one.text, ...one.media.map((file) => `[${file.kind}]`)].filter(Boolean).join(" "),
    row: one,
  };
}

/** The first run that took the lead's message in. */
function runThatSaw({ runs: all }: ShownTrace, { author, seq }: Message): string | null {
  if (author !== "lead") return null;
  return all.find(({ kind, seen_seq }) => kind === "message" && seen_seq >= seq)?.id ?? null;
}

function deliveries(trace: ShownTrace, { t }: Telling): Entry[] {
  return trace.outbox.map((row) => {
    const said = trace.messages.find(({ id }) => id === row.message_id);
    const state = t.word("state", row.status);
    return {
      at: row.sent_at ?? row.created_at,
      kind: "delivery",
      runId: said?.run_id ?? null,
      tone: stateTone(row.status),
      line: t("line.delivery", { purpose: t.word("purpose", row.purpose), state, n: row.attempts }),
      ...(row.last_error ? { said: row.last_error } : {}),
      row,
    };
  });
}

function feedback(trace: ShownTrace, { t, names }: Telling): Entry[] {
  return trace.feedback.map((row) => ({
    at: row.created_at,
    kind: "feedback",
    runId: trace.messages.find(({ id }) => id === row.message_id)?.run_id ?? null,
    tone: row.label === "good_reply" ? "ok" : "no",
    line: t("line.feedback", { who: names(row.staff_id), label: t.word("label", row.label) }),
    ...(row.note ? { said: row.note } : {}),
    row,
  }));
}

function runs(trace: ShownTrace, { t }: Telling): Entry[] {
  return trace.runs.map((run) => ({
    at: run.created_at,
    kind: "run",
    runId: run.id,
    tone: stateTone(run.status),
    line: t("line.run", {
      kind: t.word("run", run.kind),
      state: t.word("state", run.status),
      n: run.cycle + 1,
    }),
    row: run,
  }));
}

function modelCalls(trace: ShownTrace, { t }: Telling): Entry[] {
  return trace.model_calls.map((call) => ({
    at: call.created_at,
    kind: "model",
    runId: call.run_id,
    tone: stateTone(call.status),
    line: t("line.model", {
      model: call.model_id,
      operation: call.operation,
      ms: call.latency_ms,
      tokens: (call.input_tokens ?? 0) + (call.output_tokens ?? 0),
    }),
    ...(call.error ? { said: call.error } : {}),
    row: call,
  }));
}
