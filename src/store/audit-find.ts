import { type SQL, sql } from "drizzle-orm";
import { queryRows, type Tx } from "./db.ts";

const MOST_CALLS = 50;

/**
 * Ids of the calls that a name or id leads to, oldest first: a request (A-17), an order (EX-20418), a
 * task (T-3), or the id of a candidate, approval, execution, message, run, model call or row of the
 * trail. Whatever a person has.
 */
export async function findCalls(tx: Tx, tenantId: string, which: string): Promise<string[]> {
  const [, letters = "", digits = ""] = /^(A|EX|T)-(\d{1,9})$/.exec(which.toUpperCase()) ?? [];
  const found = digits === "" ? byId(tenantId, which) : byNumber(tenantId, letters, Number(digits));
  const rows = await queryRows<{ id: string }>(
    tx,
    sql`select c.id from tool_call_candidates c
      where c.tenant_id = ${tenantId} and c.id in (${found})
      order by c.created_at, c.ordinal, c.id limit ${MOST_CALLS}`,
  );
  return rows.map(({ id }) => id);
}

function byNumber(tenantId: string, letters: string, number: number): SQL {
  switch (letters) {
    case "A":
      return sql`select candidate_id from approval_queue
        where tenant_id = ${tenantId} and number = ${number}`;
    case "T":
      return sql`select candidate_id from tasks where tenant_id = ${tenantId} and number = ${number}`;
    default:
      return byOrder(tenantId, `EX-${number}`);
  }
}

/** What made the order, paid it out, or names it in its action or result. */
function byOrder(tenantId: string, name: string): SQL {
  return sql`select id from tool_call_candidates
      where tenant_id = ${tenantId} and conversation_id in (
          select conversation_id from exchange_orders
          where tenant_id = ${tenantId} and 'EX-' || number = ${name})
        and (action_json->>'orderId' = ${name} or business_key = ${`payout:${name}`}
          or reply->>'resource_id' = ${name} or reply->'data'->>'orderId' = ${name})`;
}

function byId(tenantId: string, id: string): SQL {
  return sql`select id from tool_call_candidates where tenant_id = ${tenantId}
      and (id = ${id} or message_id = ${id} or run_id = ${id} or model_call_id = ${id})
    union select candidate_id from approval_queue where tenant_id = ${tenantId} and id = ${id}
    union select candidate_id from tool_execution_queue where tenant_id = ${tenantId} and id = ${id}
    union select candidate_id from audit_log where tenant_id = ${tenantId} and id = ${id}
    union select c.id from messages m join tool_call_candidates c
      on c.tenant_id = m.tenant_id and c.run_id = m.run_id
      where m.tenant_id = ${tenantId} and m.id = ${id}`;
}
