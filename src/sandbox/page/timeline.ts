import { type Call, callsOf } from "./timeline-calls.ts";
import { type Trace, traceSchema } from "./trace-rows.ts";

/** One conversation as the page tells it: what was asked, what the backend decided, what was said. */
export interface Timeline {
  stage: string;
  /** `bot`, or a person has taken over. */
  mode: string;
  order: { name: string; status: string; from: string; to: string } | null;
  turns: Turn[];
}

/** One run, with what it answered and did. */
export interface Turn {
  id: string;
  /** `message` answers the lead, `continuation` tells an outcome, `desk` belongs to no run. */
  kind: string;
  status: string;
  at: string;
  asked: { text: string; media: string[] }[];
  /** Of a continuation: the approval whose outcome it tells. */
  approval: string | null;
  models: { name: string; operation: string; status: string; latencyMs: number; tokens: number }[];
  calls: Call[];
  /** Where the words come from (model, repaired, template), and what the guard stopped. */
  origin: string | null;
  guard: string | null;
  replies: { text: string; status: string }[];
}

/** Shapes what `ProductView.trace` gives. Throws when it is no trace. */
export function shapeTimeline(raw: unknown): Timeline {
  const trace = traceSchema.parse(raw);
  const calls = callsOf(trace);
  const turns = trace.runs.map((run, index) => turnOf(trace, calls, index, run));
  const apart = calls.filter((call) => !trace.runs.some((run) => run.id === call.runId));
  if (apart.length > 0) turns.push(deskTurn(apart));
  turns.sort((a, b) => a.at.localeCompare(b.at));
  const { stage, mode } = trace.conversation;
  return { stage, mode, order: orderOf(trace), turns };
}

type Run = Trace["runs"][number];

function turnOf(trace: Trace, calls: readonly Call[], index: number, run: Run): Turn {
  const own = trace.messages.filter((message) => message.run_id === run.id);
  const said = own.filter(({ author, kind }) => author === "bot" && kind === "text");
  const queued = trace.audit.find(
    (line) => line.run_id === run.id && line.event_type === "reply.queued",
  );
  return {
    id: run.id,
    kind: run.kind,
    status: run.status,
    at: run.created_at,
    asked: askedBefore(trace, index),
    approval: approvalName(trace, run.approval_id),
    models: trace.model_calls
      .filter((call) => call.run_id === run.id)
      .map((call) => ({
        name: call.model_id,
        operation: call.operation,
        status: call.status,
        latencyMs: call.latency_ms ?? 0,
        tokens: (call.input_tokens ?? 0) + (call.output_tokens ?? 0),
      })),
    calls: calls.filter((call) => call.runId === run.id),
    origin: queued?.decision ?? null,
    guard: /guard found: (.+)$/.exec(queued?.summary ?? "")?.[1] ?? null,
    replies: said.map(({ id, text, status }) => ({
      text,
      status: status === "kept" ? deliveryOf(trace, id) : status,
    })),
  };
}

/** What the lead wrote since the run before; a run has seen all up to `seen_seq`. */
function askedBefore({ runs, messages }: Trace, index: number): Turn["asked"] {
  const run = runs[index];
  if (run?.kind !== "message") return [];
  const before = runs.slice(0, index).filter((earlier) => earlier.kind === "message");
  const from = Math.max(0, ...before.map((earlier) => earlier.seen_seq ?? 0));
  const to = run.seen_seq ?? Number.POSITIVE_INFINITY;
  return messages
    .filter(({ author, seq }) => author === "lead" && seq > from && seq <= to)
    .map(({ text, media }) => ({ text, media: media.map(({ kind }) => kind) }));
}

function approvalName({ approvals }: Trace, id: string | null | undefined): string | null {
  const found = approvals.find((approval) => approval.id === id);
  return found ? `A-${found.number}` : null;
}

function deliveryOf({ outbox }: Trace, messageId: string): string {
  return outbox.find((row) => row.message_id === messageId)?.status ?? "kept";
}

function deskTurn(calls: Call[]): Turn {
  return {
    id: "desk",
    kind: "desk",
    status: "completed",
    at: calls[0]?.at ?? "",
    asked: [],
    approval: null,
    models: [],
    calls,
    origin: null,
    guard: null,
    replies: [],
  };
}

function orderOf({ orders }: Trace): Timeline["order"] {
  const order = orders.at(-1);
  if (!order) return null;
  return {
    name: `EX-${order.number}`,
    status: order.status,
    from: `${order.amount_from} ${order.asset}`,
    to: `${order.amount_to} ${order.quote_asset}`,
  };
}
