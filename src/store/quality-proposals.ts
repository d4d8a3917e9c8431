import { and, eq, sql } from "drizzle-orm";
import { ACTIONABLE_LABELS, type ActionableLabel } from "../domain/feedback.ts";
import { newId } from "../domain/ids.ts";
import { KIND_OF_LABEL, type ProposalKind, type ProposalResolution } from "../domain/quality.ts";
import type { ListQuery } from "./admin-reads.ts";
import { nextNumber } from "./counters.ts";
import { queryRows, type Tx } from "./db.ts";
import { agentToolCallImprovementProposals as proposals } from "./schema/quality.ts";

export type ProposalRow = typeof proposals.$inferSelect;
export type ProposalStatus = ProposalRow["status"];

/**
 * Labels that stand and say what to change, each with its tool and with the decision that has
 * answered it; given once more, a label has another time and is answered no longer. An empty tool:
 * the reply had no call. Grouped, not joined: a planner that takes a tenant's labels for few would
 * compare each with each.
 */
function marked(tenantId: string, messageId?: string) {
  return sql`
    select id, at, max(tool_name) as tool_name, max(label) as label, max(decided) as answered_by
    from (
      select f.id, ${epochMs(sql`f.created_at`)} as at, coalesce(c.tool_name, '') as tool_name,
        f.label, null::text as decided
      from agent_tool_call_feedback f
      left join agent_tool_calls c on c.tenant_id = f.tenant_id and c.id = f.tool_call_id
      where f.tenant_id = ${tenantId} and f.retracted_at is null
        and f.label in ${[...ACTIONABLE_LABELS]}
        ${messageId === undefined ? sql`` : sql`and f.message_id = ${messageId}`}
      union all
      select x.key, x.value::bigint, null, null, d.id
      from agent_tool_call_improvement_proposals d
      cross join lateral jsonb_each_text(d.resolution_json -> 'labels') x
      where d.tenant_id = ${tenantId} and d.status <> 'pending'
    ) both_sides
    group by id, at having max(tool_name) is not null`;
}

/** Which label each proposal rests on; `marked` has to be there. */
function evidence(tenantId: string) {
  return sql`
    select coalesce(m.answered_by, p.id) as proposal_id, m.id, m.at
    from marked m
    left join agent_tool_call_improvement_proposals p on p.tenant_id = ${tenantId}
      and p.status = 'pending' and p.tool_name = m.tool_name and p.label = m.label
      and m.answered_by is null`;
}

function epochMs(column: ReturnType<typeof sql>) {
  return sql`round(extract(epoch from ${column}) * 1000)::bigint`;
}

/**
 * Opens what is missing: one proposal for each tool and label about which a label stands that no
 * decision has answered. Of one reply, or of all that there is. Doing it twice does nothing.
 */
export async function openProposals(
  tx: Tx,
  of: { tenantId: string; now: number; messageId?: string },
): Promise<void> {
  const { tenantId, now } = of;
  const missing = await queryRows<{ toolName: string; label: ActionableLabel }>(
    tx,
    sql`with marked as (${marked(tenantId, of.messageId)})
        select distinct m.tool_name as "toolName", m.label from marked m
        where m.answered_by is null and not exists (
          select 1 from agent_tool_call_improvement_proposals p
          where p.tenant_id = ${tenantId} and p.status = 'pending'
            and p.tool_name = m.tool_name and p.label = m.label)
        order by 1, 2`,
  );
  for (const { toolName, label } of missing) {
    const number = await nextNumber(tx, tenantId, { name: "improvement_proposal", first: 1 });
    await tx
      .insert(proposals)
      .values({
        ...{ id: newId(), tenantId, number, kind: KIND_OF_LABEL[label], label, toolName },
        ...{ status: "pending", resolutionJson: null, createdAt: now, updatedAt: now },
      })
      .onConflictDoNothing(); // somebody else's label has just opened it
  }
}

export interface ListedProposal {
  id: string;
  number: number;
  kind: ProposalKind;
  label: ActionableLabel;
  toolName: string;
  status: ProposalStatus;
  resolution: ProposalResolution | null;
  /** Labels that stand. */
  labels: number;
  /** null: those that it answered were taken back. */
  lastLabelledAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Newest first. A pending one whose labels were all taken back is left out. */
export function listProposals(
  tx: Tx,
  query: ListQuery<number> & { status?: ProposalStatus | undefined; id?: string },
): Promise<ListedProposal[]> {
  const { tenantId, status, after, id } = query;
  return queryRows<ListedProposal>(
    tx,
    sql`with marked as (${marked(tenantId)}), counted as (
          select e.proposal_id, count(*)::int as labels, max(e.at)::float8 as newest
          from (${evidence(tenantId)}) e group by e.proposal_id)
        select p.id, p.number, p.kind, p.label, p.tool_name as "toolName", p.status,
          p.resolution_json as resolution, coalesce(e.labels, 0) as labels,
          e.newest as "lastLabelledAt",
          ${epochMs(sql`p.created_at`)}::float8 as "createdAt",
          ${epochMs(sql`p.updated_at`)}::float8 as "updatedAt"
        from agent_tool_call_improvement_proposals p
        left join counted e on e.proposal_id = p.id
        where p.tenant_id = ${tenantId} and (p.status <> 'pending' or e.labels > 0)
          ${status === undefined ? sql`` : sql`and p.status = ${status}`}
          ${id === undefined ? sql`` : sql`and p.id = ${id}`}
          ${after === null ? sql`` : sql`and p.number < ${after}`}
        order by p.number desc limit ${query.limit}`,
  );
}

/** A label that a proposal rests on. */
export interface Evidence {
  proposalId: string;
  feedbackId: string;
  /** null: the reply came without a call. */
  toolCallId: string | null;
  toolCallNumber: number | null;
  messageId: string;
  conversationId: string;
  note: string | null;
  staffId: string;
  createdAt: number;
}

/** Of each proposal the newest `most`, newest first. */
export async function evidenceOf(
  tx: Tx,
  of: { tenantId: string; proposalIds: string[]; most: number },
): Promise<Evidence[]> {
  const { tenantId, proposalIds, most } = of;
  if (proposalIds.length === 0) return [];
  return queryRows<Evidence>(
    tx,
    sql`with marked as (${marked(tenantId)}), ranked as (
          select e.*, row_number() over (
            partition by e.proposal_id order by e.at desc, e.id desc) as place
          from (${evidence(tenantId)}) e where e.proposal_id in ${proposalIds})
        select r.proposal_id as "proposalId", f.id as "feedbackId", c.id as "toolCallId",
          c.number::float8 as "toolCallNumber", f.message_id as "messageId",
          f.conversation_id as "conversationId", f.note, f.staff_id as "staffId",
          r.at::float8 as "createdAt"
        from ranked r
        join agent_tool_call_feedback f on f.tenant_id = ${tenantId} and f.id = r.id
        left join agent_tool_calls c on c.tenant_id = ${tenantId} and c.id = f.tool_call_id
        where r.place <= ${most} order by r.proposal_id, r.place`,
  );
}

/** By id or number, held until the transaction ends; null: there is none. */
export async function lockProposal(
  tx: Tx,
  tenantId: string,
  which: string | number,
): Promise<ProposalRow | null> {
  const isWanted =
    typeof which === "number" ? eq(proposals.number, which) : eq(proposals.id, which);
  const [row] = await tx
    .select()
    .from(proposals)
    .where(and(eq(proposals.tenantId, tenantId), isWanted))
    .for("update");
  return row ?? null;
}

/** False: it is decided already. */
export async function decideProposal(
  tx: Tx,
  decision: {
    tenantId: string;
    id: string;
    status: "dismissed" | "applied";
    resolution: ProposalResolution;
  },
): Promise<boolean> {
  const { tenantId, id, status, resolution } = decision;
  const decided = await tx
    .update(proposals)
    .set({ status, resolutionJson: resolution, updatedAt: resolution.at })
    .where(
      and(eq(proposals.tenantId, tenantId), eq(proposals.id, id), eq(proposals.status, "pending")),
    )
    .returning({ id: proposals.id });
  return decided.length > 0;
}
