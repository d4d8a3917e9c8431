import { and, asc, eq, getTableColumns, gt, gte, inArray, isNull, or, sql } from "drizzle-orm";
import { FEEDBACK_LABELS, type FeedbackLabel } from "../domain/feedback.ts";
import { newId } from "../domain/ids.ts";
import { queryRows, type Tx } from "./db.ts";
import { agentToolCalls, agentToolCallFeedback as feedback } from "./schema/runs.ts";

const { tenantId: _tenant, ...columns } = getTableColumns(feedback);

/** What one person says of one call, or of a reply that came without one. */
export type LabelRow = Omit<typeof feedback.$inferSelect, "tenantId">;

/** Said again, it stands anew, with the newest note. */
export async function labelCall(
  tx: Tx,
  given: {
    tenantId: string;
    call: { id: string; conversationId: string; messageId: string | null };
    staffId: string;
    label: FeedbackLabel;
    note: string | null;
    now: number;
  },
): Promise<LabelRow> {
  const { tenantId, call, staffId, label, note, now } = given;
  const [row] = await tx
    .insert(feedback)
    .values({
      ...{ id: newId(), tenantId, conversationId: call.conversationId, toolCallId: call.id },
      ...{ messageId: call.messageId ?? "", label, note, source: "api", staffId, createdAt: now },
    })
    .onConflictDoUpdate({
      target: [
        feedback.tenantId,
        feedback.messageId,
        feedback.toolCallId,
        feedback.staffId,
        feedback.label,
        feedback.source,
      ],
      set: { note, createdAt: now, retractedAt: null },
    })
    .returning(columns);
  if (!row) throw new Error("a label could not be written");
  return row;
}

/** Those that stand, oldest first, of all the given calls. */
export function labelsOfCalls(
  tx: Tx,
  of: { tenantId: string; callIds: string[] },
): Promise<LabelRow[]> {
  return tx
    .select(columns)
    .from(feedback)
    .where(
      and(
        eq(feedback.tenantId, of.tenantId),
        inArray(feedback.toolCallId, of.callIds),
        isNull(feedback.retractedAt),
      ),
    )
    .orderBy(asc(feedback.createdAt), asc(feedback.id));
}

/** The last label seen. */
export interface LabelKey {
  at: number;
  id: string;
}

/** Those that stand, oldest first, with their calls; null: the reply came without one. */
export function labelsAfter(
  tx: Tx,
  query: { tenantId: string; since: number; after: LabelKey | null; limit: number },
) {
  const { tenantId, since, after, limit } = query;
  return tx
    .select({ label: columns, call: agentToolCalls })
    .from(feedback)
    .leftJoin(
      agentToolCalls,
      and(eq(agentToolCalls.tenantId, tenantId), eq(agentToolCalls.id, feedback.toolCallId)),
    )
    .where(
      and(
        eq(feedback.tenantId, tenantId),
        isNull(feedback.retractedAt),
        gte(feedback.createdAt, since),
        after === null
          ? undefined
          : or(
              gt(feedback.createdAt, after.at),
              and(eq(feedback.createdAt, after.at), gt(feedback.id, after.id)),
            ),
      ),
    )
    .orderBy(asc(feedback.createdAt), asc(feedback.id))
    .limit(limit);
}

/** How many labels stand, of each kind; one that nobody has given is 0. */
export async function labelCounts(
  tx: Tx,
  of: { tenantId: string; since: number },
): Promise<Record<FeedbackLabel, number>> {
  const rows = await tx
    .select({ label: feedback.label, count: sql<number>`count(*)::int` })
    .from(feedback)
    .where(
      and(
        eq(feedback.tenantId, of.tenantId),
        isNull(feedback.retractedAt),
        gte(feedback.createdAt, of.since),
      ),
    )
    .groupBy(feedback.label);
  const counts = new Map(rows.map((row) => [row.label, row.count]));
  const entries = FEEDBACK_LABELS.map((label) => [label, counts.get(label) ?? 0]);
  return Object.fromEntries(entries) as Record<FeedbackLabel, number>; // one for every label
}

export interface FailingTool {
  toolName: string;
  /** Labels that say what to change, on calls of the tool. */
  actionable: number;
  /** Calls that came to an error. */
  errors: number;
  calls: number;
}

/** Tools with labels or errors since a moment, worst first. */
export function failingTools(
  tx: Tx,
  of: { tenantId: string; since: number; limit: number },
): Promise<FailingTool[]> {
  const { tenantId, limit } = of;
  const since = sql`${new Date(of.since).toISOString()}::timestamptz`;
  return queryRows<FailingTool>(
    tx,
    sql`with made as (
          select tool_name, count(*)::int as calls, (count(*) filter (where is_error))::int as errors
          from agent_tool_calls where tenant_id = ${tenantId} and created_at >= ${since}
          group by tool_name
        ), judged as (
          select c.tool_name, count(*)::int as actionable
          from agent_tool_call_feedback f
          join agent_tool_calls c on c.tenant_id = f.tenant_id and c.id = f.tool_call_id
          where f.tenant_id = ${tenantId} and f.retracted_at is null and f.created_at >= ${since}
            and f.label in ('wrong_tool', 'missing_tool', 'bad_args')
          group by c.tool_name
        )
        select tool_name as "toolName", coalesce(actionable, 0) as actionable,
          coalesce(errors, 0) as errors, coalesce(calls, 0) as calls
        from made full join judged using (tool_name)
        where coalesce(actionable, 0) + coalesce(errors, 0) > 0
        order by 2 desc, 3 desc, 1 limit ${limit}`,
  );
}
