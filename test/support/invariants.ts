import type { Played } from "./played-world.ts";

/**
 * What must be true of a conversation whenever everything has come to rest. Each check takes the
 * trace as the admin API shows it, and gives one sentence for each thing that is wrong.
 */
export function brokenRules(trace: Played): string[] {
  return [
    ...lostApprovals(trace),
    ...doubleDecisions(trace),
    ...wrongExecutions(trace),
    ...unendedWork(trace),
    ...repeatedReplies(trace),
  ];
}

const OPEN = ["pending", "frozen"];
const ENDED = ["approved", "rejected", "superseded", "expired", "cancelled"];

const isOpen = (approval: Played): boolean => OPEN.includes(approval.status);

/** No approval is lost: each is open and stands on a card, or has ended. */
export function lostApprovals({ approvals, outbox }: Played): string[] {
  return approvals.flatMap((one: Played) => {
    if (ENDED.includes(one.status)) return [];
    if (!isOpen(one)) return [`${nameOf(one)} is ${one.status}`];
    const cards = outbox.filter(
      (row: Played) =>
        row.purpose === "card" &&
        row.approval_id === one.id &&
        ["sent", "uncertain"].includes(row.status),
    );
    return cards.length > 0 ? [] : [`${nameOf(one)} is ${one.status} and stands on no card`];
  });
}

/**
 * One decision for an approval. Only a client's objection opens a decided one again; who lifts it
 * restores the decision that stood.
 */
export function doubleDecisions({ approvals, votes, audit }: Played): string[] {
  return approvals.flatMap((one: Played) => {
    const events = audit
      .filter((line: Played) => line.refs?.approval === one.id)
      .map((line: Played) => line.event_type);
    return [...wrongOrder(one, events), ...wrongVotes(one, votes)];
  });
}

function wrongOrder(one: Played, events: readonly string[]): string[] {
  const wrong: string[] = [];
  let isDecided = false;
  let stoodBefore = false;
  for (const event of events) {
    if (event === "approval.decided" || event === "approval.cancelled") {
      if (isDecided) wrong.push(`${nameOf(one)} was decided twice: ${events.join(", ")}`);
      isDecided = true;
    }
    if (event === "approval.frozen") {
      stoodBefore = isDecided;
      isDecided = false;
    }
    if (event === "approval.unfrozen") isDecided = stoodBefore;
  }
  if (isDecided === isOpen(one))
    wrong.push(`${nameOf(one)} is ${one.status}, its trail says: ${events.join(", ")}`);
  return wrong;
}

/** As many people as were needed said yes, each once; one no is enough. */
function wrongVotes(one: Played, votes: readonly Played[]): string[] {
  const standing = votes.filter((vote) => vote.approval_id === one.id && !vote.voided_at);
  const people = new Set(standing.map(({ staff_id }) => staff_id));
  const count = (decision: string) => standing.filter((vote) => vote.decision === decision).length;
  const [yes, no] = [count("approve"), count("reject")];
  const wrong = people.size === standing.length ? [] : [`${nameOf(one)}: somebody counts twice`];
  const needed: number = one.approvals_required;
  const isRight =
    (one.status === "approved" && yes === needed && no === 0) ||
    (one.status === "rejected" && no === 1) ||
    (!["approved", "rejected"].includes(one.status) && no === 0 && yes <= needed);
  return isRight ? wrong : [...wrong, `${nameOf(one)} is ${one.status} by ${yes} yes, ${no} no`];
}

/** What was approved has one execution, and nothing else has any. */
export function wrongExecutions({ approvals, executions }: Played): string[] {
  return approvals.flatMap((one: Played) => {
    if (one.requested_action === "unknown_outcome") return [];
    const own = executions.filter((row: Played) => row.approval_id === one.id);
    const ran = own.filter(({ status }: Played) => status === "completed").length;
    const most = one.status === "approved" || own.some(isHeld) ? 1 : 0;
    if (own.length > 1) return [`${nameOf(one)} has ${own.length} executions`];
    if (one.status === "approved" && own.length === 0)
      return [`${nameOf(one)} was not carried out`];
    return ran > most ? [`${nameOf(one)} is ${one.status} and was carried out`] : [];
  });
}

/** Approved, objected to before it was begun, and decided once more. */
const isHeld = ({ status }: Played): boolean => ["queued", "cancelled"].includes(status);

/** Nothing is left half done, except what waits for people. */
export function unendedWork({ approvals, candidates, executions, runs, outbox }: Played): string[] {
  const calls = ["executed", "failed", "schema_failed", "blocked_by_policy"];
  const waiting = new Set(approvals.filter(isOpen).map((one: Played) => one.candidate_id));
  const names = new Set(approvals.map(({ number }: Played) => `A-${number}`));
  // an equal call has no request of its own: it goes on to show what became of the first one's
  const points = (row: Played) =>
    ["ALREADY_WAITING", "SAME_CALL"].includes(row.code) && names.has(row.reply?.approval);
  const free = (rows: Played[]) =>
    rows.filter((row) => !waiting.has(row.candidate_id ?? row.id) && !points(row));
  return [
    ...leftIn("call", free(candidates), calls),
    ...leftIn("execution", free(executions), ["completed", "failed", "cancelled"]),
    ...leftIn("run", runs, ["completed", "superseded", "exhausted", "failed", "cancelled"]),
    ...leftIn("message out", outbox, ["sent", "uncertain", "failed", "cancelled"]),
  ];
}

function leftIn(what: string, rows: readonly Played[], ends: readonly string[]): string[] {
  return rows
    .filter(({ status }) => !ends.includes(status))
    .map(({ id, status }) => `the ${what} ${id} is ${status}`);
}

/** A turn has one reply: one message of its own, handed out once. */
export function repeatedReplies({ runs, messages, outbox }: Played): string[] {
  const replies = outbox.filter((row: Played) => row.purpose === "reply");
  const said = messages.filter(
    (one: Played) => one.author === "bot" && one.kind === "text" && one.status === "kept",
  );
  const sentOf = (id: string) =>
    replies.filter((row: Played) => row.message_id === id).map(({ status }: Played) => status);
  return runs.flatMap((run: Played) => {
    if (!["completed", "exhausted", "failed"].includes(run.status)) return [];
    const own = said.filter((one: Played) => one.run_id === run.id);
    if (own.length !== 1) return [`the run ${run.id} (${run.outcome}) said ${own.length} things`];
    const ends: string[] = sentOf(own[0].id);
    const isOnce = ends.length === 1 && ["sent", "uncertain"].includes(ends[0] ?? "");
    return isOnce ? [] : [`the reply of run ${run.id} went out as: ${ends.join(", ")}`];
  });
}

/** The order's money left once when its payout was carried out, else not at all. */
export function wrongPayouts(
  { executions, orders }: Played,
  payouts: readonly { order_id: string; amount: string }[],
): string[] {
  const done = executions.filter(
    (one: Played) => one.tool_name === "issue_exchange_payout" && one.status === "completed",
  );
  const names = orders.map(({ number }: Played) => `EX-${number}`);
  const left = payouts.filter(({ order_id }) => names.includes(order_id));
  return left.length === done.length && left.length <= names.length
    ? []
    : [`${done.length} payouts were carried out, and the gateway paid ${left.length} times`];
}

/** Calls of a request to the model that have no result, or more than one, right after them. */
export function wrongCalls(messages: readonly Played[]): string[] {
  const open = new Set<string>();
  const wrong: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const id = message.tool_call_id ?? message.toolCallId;
      if (!open.delete(id)) wrong.push(`${id} unasked`);
      continue;
    }
    wrong.push(...open);
    open.clear();
    for (const { id } of message.tool_calls ?? message.toolCalls ?? []) open.add(id);
  }
  return [...wrong, ...open];
}

function nameOf({ number, tool_name }: Played): string {
  return `A-${number} (${tool_name})`;
}
