import { describe, expect, test } from "vitest";
import { shapeTimeline } from "../../src/sandbox/page/timeline.ts";

const AT = "2026-03-01T10:00:00.000Z";

describe("the page's timeline", () => {
  test("tells who asked what, which rule decided, who approved and what came of it", () => {
    const [turn] = shapeTimeline(trace({})).turns;
    expect(turn).toMatchObject({
      kind: "message",
      asked: [{ text: "pay me out", media: [] }],
      origin: "model",
      replies: [{ text: "An operator is checking.", status: "sent" }],
    });
    expect(turn?.calls[0]?.steps).toMatchObject([
      { kind: "proposed", state: "ok", source: "model" },
      { kind: "schema", state: "ok", version: 1, errors: [] },
      { kind: "policy", state: "ok", result: "approval", rule: "default-payout" },
      { kind: "approval", state: "ok", name: "A-7", people: [{ who: "Bob", via: "slack" }] },
      { kind: "executed", state: "ok", summary: "paid", tries: { attempts: 1, wasUnknown: false } },
    ]);
  });

  test("a call that the policy denies ends there, with the reason", () => {
    const denied = { ...GATE, policy_result: "deny", block_reason: "call_limit" };
    const rows = { gate_log: [denied], approvals: [], votes: [], executions: [], results: [] };
    const steps = shapeTimeline(trace(rows)).turns[0]?.calls[0]?.steps;
    expect(steps?.at(-1)).toMatchObject({ kind: "policy", state: "no", reason: "call_limit" });
  });

  test("arguments that do not fit the schema name the field", () => {
    const check = { ...CHECK, is_valid: false, errors_json: ["amount: not a decimal"] };
    const [, schema] = shapeTimeline(trace({ checks: [check] })).turns[0]?.calls[0]?.steps ?? [];
    expect(schema).toMatchObject({ state: "no", errors: ["amount: not a decimal"] });
  });

  test("a press without right is a step, and the approval waits on", () => {
    const refused = { ...LINE, candidate_id: "c1", event_type: "approval.refused" };
    const pending = { ...APPROVAL, status: "pending" };
    const rows = {
      audit: [{ ...refused, summary: "A-7 payout: forbidden", user_id: null }],
      approvals: [pending],
      votes: [],
      executions: [],
    };
    const steps = shapeTimeline(trace(rows)).turns[0]?.calls[0]?.steps;
    expect(steps?.slice(-2)).toMatchObject([
      { kind: "refused", state: "no", who: null, reason: "forbidden" },
      { kind: "approval", state: "wait", people: [] },
    ]);
  });

  test("an outcome that nobody knew is told after it was looked up, too", () => {
    const unknown = { ...LINE, candidate_id: "c1", event_type: "execution.unknown" };
    const step = shapeTimeline(trace({ audit: [unknown] })).turns[0]?.calls[0]?.steps.at(-1);
    expect(step).toMatchObject({ kind: "executed", state: "ok", tries: { wasUnknown: true } });
  });

  test("a later run answers only what came after the one before", () => {
    const messages = [
      { ...SAID, seq: 1, text: "first" },
      { ...SAID, id: "m2", seq: 2, text: "", media: [{ kind: "photo" }] },
    ];
    const runs = [
      { ...RUN, seen_seq: 1 },
      { ...RUN, id: "r2", seen_seq: 2, created_at: "2026-03-01T10:01:00.000Z" },
    ];
    const { turns } = shapeTimeline(trace({ messages, runs }));
    expect(turns.map(({ asked }) => asked)).toEqual([
      [{ text: "first", media: [] }],
      [{ text: "", media: ["photo"] }],
    ]);
  });

  test("what the desk itself started stands apart", () => {
    const { turns } = shapeTimeline(trace({ candidates: [{ ...CALL, run_id: null }] }));
    expect(turns.map(({ kind, calls }) => [kind, calls.length])).toEqual([
      ["message", 0],
      ["desk", 1],
    ]);
  });

  test("refuses what is no trace", () => {
    expect(() => shapeTimeline({ runs: [] })).toThrow();
  });
});

const RUN = { id: "r1", kind: "message", status: "completed", seen_seq: 1, created_at: AT };
const SAID = {
  id: "m1",
  seq: 1,
  author: "lead",
  kind: "text",
  text: "pay me out",
  status: "kept",
  created_at: AT,
};
const REPLY = { ...SAID, id: "m9", seq: 9, author: "bot", text: "An operator is checking." };
const CALL = {
  id: "c1",
  run_id: "r1",
  source: "model",
  tool_name: "payout",
  arguments_json: {},
  status: "executed",
  reply: {},
  created_at: AT,
};
const CHECK = { candidate_id: "c1", schema_version: 1, is_valid: true, errors_json: [] };
const GATE = {
  candidate_id: "c1",
  policy_result: "approval",
  matched_policy_id: "default-payout",
  moment: "proposal",
  facts_json: { tool: { risk: "payment" }, known: { kyc: "verified" } },
};
const APPROVAL = {
  id: "a1",
  number: 7,
  candidate_id: "c1",
  status: "approved",
  approvals_required: 1,
};
const VOTE = { approval_id: "a1", staff_id: "s1", decision: "approve", via: "slack" };
const EXECUTION = { id: "e1", candidate_id: "c1", status: "completed", attempts: 1, look_ups: 0 };
const LINE = { summary: "", created_at: AT, event_type: "" };

function trace(rows: object) {
  const queued = { ...LINE, run_id: "r1", event_type: "reply.queued", decision: "model" };
  return {
    conversation: { id: "k1", stage: "payment_verified", mode: "bot" },
    messages: [SAID, { ...REPLY, run_id: "r1" }],
    outbox: [{ message_id: "m9", purpose: "reply", status: "sent" }],
    runs: [RUN],
    candidates: [CALL],
    checks: [CHECK],
    gate_log: [GATE],
    approvals: [APPROVAL],
    votes: [VOTE],
    executions: [EXECUTION],
    results: [{ execution_id: "e1", status: "completed", result_summary: "paid" }],
    audit: [{ ...queued, summary: "reply from model" }],
    staff: [{ id: "s1", name: "Bob" }],
    ...rows,
  };
}
