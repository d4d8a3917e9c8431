import { type SQL, sql } from "drizzle-orm";
import type { Problem } from "./audit-chain.ts";
import { placeOf } from "./audit-chain.ts";
import type { AuditEvent } from "./audit-events.ts";
import { queryRows, type Tx } from "./db.ts";

interface Expectation {
  /** What is missing, for people; its id follows. */
  what: string;
  /** Rows of work: `id` (its place in time), `key`, `n` rows of the trail that it needs. */
  things: (tenantId: string, since: string) => SQL;
  events: readonly AuditEvent[];
  /** What of a row of the trail names the thing: an expression of ours. */
  key: string;
}

const CANDIDATE = "candidate_id";
const EXECUTION = "refs->>'execution'";

/** Every step of a call leaves its row in the trail; who keeps one out is found by the other tables. */
const EXPECTATIONS: readonly Expectation[] = [
  {
    what: "the proposal of candidate",
    events: ["candidate.proposed"],
    key: CANDIDATE,
    things: (tenantId, since) => sql`select id, id as key, 1 as n from tool_call_candidates
      where tenant_id = ${tenantId} and created_at >= ${since}::timestamptz`,
  },
  {
    what: "an argument check of candidate",
    events: ["arguments.checked"],
    key: CANDIDATE,
    things: (tenantId, since) => counted("tool_argument_checks", CANDIDATE, { tenantId, since }),
  },
  {
    what: "a gate decision of candidate",
    events: ["gate.decided"],
    key: CANDIDATE,
    things: (tenantId, since) => counted("policy_gate_log", CANDIDATE, { tenantId, since }),
  },
  {
    what: "the request of approval for candidate",
    events: ["approval.requested"],
    key: CANDIDATE,
    things: (tenantId, since) => counted("approval_queue", CANDIDATE, { tenantId, since }),
  },
  {
    what: "the decision on the approval for candidate",
    events: ["approval.decided", "approval.cancelled"],
    key: CANDIDATE,
    things: (tenantId, since) => sql`select candidate_id as key, 1 as n,
        coalesce((select max(v.id) from approval_votes v
          where v.tenant_id = a.tenant_id and v.approval_id = a.id), id) as id
      from approval_queue a where tenant_id = ${tenantId} and created_at >= ${since}::timestamptz
        and status not in ('pending', 'frozen') and decided_at is not null`,
  },
  {
    what: "a vote on the approval (approval and staff id)",
    events: ["approval.voted", "approval.decided"],
    key: "(refs->>'approval') || ' ' || user_id",
    things: (tenantId, since) => sql`select max(id) as id, approval_id || ' ' || staff_id as key,
        1 as n from approval_votes
      where tenant_id = ${tenantId} and created_at >= ${since}::timestamptz group by 2`,
  },
  {
    what: "the queuing of the execution of candidate",
    events: ["execution.queued"],
    key: CANDIDATE,
    things: (tenantId, since) => counted("tool_execution_queue", CANDIDATE, { tenantId, since }),
  },
  {
    what: "the end of the execution of candidate",
    events: ["execution.completed", "execution.failed", "execution.stopped", "execution.answered"],
    key: CANDIDATE,
    things: (tenantId, since) => sql`select id, candidate_id as key, 1 as n
      from tool_execution_queue where tenant_id = ${tenantId}
        and created_at >= ${since}::timestamptz and status in ('completed', 'failed', 'cancelled')`,
  },
  {
    what: "the result that was returned for candidate",
    events: ["result.returned"],
    key: CANDIDATE,
    things: (tenantId, since) => sql`select id, id as key, 1 as n from tool_call_candidates
      where tenant_id = ${tenantId} and created_at >= ${since}::timestamptz
        and settled_at is not null`,
  },
  {
    what: "a result of execution",
    events: ["execution.completed", "execution.failed", "execution.pending"],
    key: EXECUTION,
    things: (tenantId, since) => counted("tool_result_log", "execution_id", { tenantId, since }),
  },
  {
    what: "a retry of execution",
    events: ["execution.retry_scheduled"],
    key: EXECUTION,
    things: (tenantId, since) => counted("tool_retry_log", "execution_id", { tenantId, since }),
  },
];

const MOST_OF_A_KIND = 20;

/**
 * Work of the tenant that has no row in its trail although it is newer than the sealing itself. Each
 * is written in one transaction with its row, so that a statement sees both or neither.
 */
export async function findMissing(
  tx: Tx,
  of: { tenantId: string; since: number; after: number },
): Promise<Problem[]> {
  const { tenantId } = of;
  const since = new Date(of.since).toISOString();
  const problems: Problem[] = [];
  for (const expected of EXPECTATIONS) {
    const rows = await queryRows<{ id: string; key: string }>(
      tx,
      missing(expected, tenantId, since),
    );
    for (const { id, key } of rows) {
      const index = (await placeOf(tx, tenantId, id)) ?? of.after + 1;
      problems.push({ index, what: `${expected.what} ${key} has no row in the trail` });
    }
  }
  return problems;
}

function missing({ things, events, key }: Expectation, tenantId: string, since: string): SQL {
  const names = sql.join(
    events.map((event) => sql`${event}`),
    sql`, `,
  );
  return sql`select t.id, t.key from (${things(tenantId, since)}) t
    left join (
      select ${sql.raw(key)} as key, count(*) as n from audit_log
      where tenant_id = ${tenantId} and event_type in (${names}) group by 1
    ) a on a.key = t.key
    where t.n > coalesce(a.n, 0) order by t.id limit ${MOST_OF_A_KIND}`;
}

/** Names of tables and columns are ours. */
function counted(table: string, key: string, of: { tenantId: string; since: string }): SQL {
  return sql`select max(id) as id, ${sql.raw(key)} as key, count(*) as n from ${sql.raw(table)}
    where tenant_id = ${of.tenantId} and created_at >= ${of.since}::timestamptz group by 2`;
}
