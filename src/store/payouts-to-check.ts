import { sql } from "drizzle-orm";
import { approvalName } from "../domain/approval.ts";
import { canonicalDecimal } from "../domain/money.ts";
import { approvalById } from "./approvals.ts";
import { queryRows, type Tx } from "./db.ts";
import { orderName } from "./orders.ts";
import { standingOf } from "./standing-votes.ts";

/** Money that is on its way, or may be: what people look through before payouts go on. */
export interface PayoutToCheck {
  kind: "execution" | "order" | "approval";
  /** As people say it: EX-20418 or A-17. */
  name: string;
  status: string;
  client: string;
  /** What it is about: the sum, or the card's summary. */
  about: string;
  since: number;
  /** Of what is approved and not sent: whose vote counts no more. It waits for people again then. */
  fallen?: string[];
}

/** In the order in which they are to be looked through. */
export interface PayoutsToCheck {
  items: PayoutToCheck[];
  /** With those beyond the limit. */
  total: number;
}

interface Row {
  kind: PayoutToCheck["kind"];
  number: number;
  status: string;
  client: string;
  about: string | null;
  amount: string | null;
  asset: string | null;
  since: string | Date;
  approval_id: string | null;
  total: number;
}

/**
 * The surest to have moved money come first: what was being sent, orders that were paid, payouts that
 * wait for a decision, and orders that may have been paid since.
 */
export async function payoutsToCheck(
  tx: Tx,
  of: { tenantId: string; limit: number },
): Promise<PayoutsToCheck> {
  const { tenantId, limit } = of;
  const rows = await queryRows<Row>(
    tx,
    sql`select *, count(*) over ()::int as total from (
        select 'execution' as kind, a.number, e.status, e.conversation_id as place,
            a.payload_summary as about, null as amount, null as asset, e.created_at as since, 0 as rank,
            a.id as approval_id
          from tool_execution_queue e
          join approval_queue a on a.tenant_id = e.tenant_id and a.id = e.approval_id
          where e.tenant_id = ${tenantId} and a.risk_level = 'payment'
            and e.status in ('queued', 'running', 'unknown', 'waiting_approval', 'retry_scheduled')
        union all
        select 'order', number, status, conversation_id, null, amount_to::text, quote_asset, created_at,
            case when status = 'awaiting_payment' then 3 else 1 end, null
          from exchange_orders
          where tenant_id = ${tenantId} and status in ('paid', 'payout', 'awaiting_payment')
        union all
        select 'approval', number, status, conversation_id, payload_summary, null, null, created_at, 2, id
          from approval_queue
          where tenant_id = ${tenantId} and risk_level = 'payment' and status in ('pending', 'frozen')
      ) found
      join lateral (
        select k.name as client from conversations c
          join contacts k on k.tenant_id = c.tenant_id and k.id = c.contact_id
          where c.tenant_id = ${tenantId} and c.id = found.place
      ) of_client on true
      order by rank, since, number limit ${limit}`,
  );
  const items: PayoutToCheck[] = [];
  for (const row of rows) items.push({ ...shown(row), ...(await fallenOf(tx, tenantId, row)) });
  return { items, total: rows[0]?.total ?? 0 };
}

async function fallenOf(tx: Tx, tenantId: string, { kind, status, approval_id: id }: Row) {
  const isUnsent = status === "queued" || status === "retry_scheduled";
  if (kind !== "execution" || !isUnsent || id === null) return {};
  const approval = await approvalById(tx, tenantId, id);
  const fallen = approval ? (await standingOf(tx, approval)).fallen : [];
  return fallen.length === 0 ? {} : { fallen: fallen.map(({ name }) => name) };
}

function shown({ kind, number, status, client, since, ...row }: Row): PayoutToCheck {
  const name = kind === "order" ? orderName({ number }) : approvalName(number);
  const sum = row.amount === null ? "" : `${canonicalDecimal(row.amount)} ${row.asset}`;
  return { kind, name, status, client, about: row.about ?? sum, since: new Date(since).getTime() };
}
