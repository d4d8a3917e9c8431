import { and, desc, eq, lt, sql } from "drizzle-orm";
import { ACTIONABLE_LABELS, type ActionableLabel } from "../domain/feedback.ts";
import { newId } from "../domain/ids.ts";
import type { CoachSuggestion, Shadow } from "../domain/quality.ts";
import type { ListQuery } from "./admin-reads.ts";
import { nextNumber } from "./counters.ts";
import { queryRows, type Tx } from "./db.ts";
import { coachProposals } from "./schema/quality.ts";
import { storable } from "./storable.ts";

export type CoachProposalRow = typeof coachProposals.$inferSelect;

/** A reply that a person has judged wrong. */
export interface Defect {
  feedbackId: string;
  label: ActionableLabel;
  note: string | null;
  /** null, as the next two: the reply came without a call. */
  tool: string | null;
  args: unknown;
  result: unknown;
  /** The client's last words before the reply. */
  client: string;
  reply: string;
}

/** Behind labels that stand and say what to change, on replies in one style; newest first. */
export function defectsOf(
  tx: Tx,
  of: { tenantId: string; styleId: string; limit: number },
): Promise<Defect[]> {
  const { tenantId, styleId, limit } = of;
  return queryRows<Defect>(
    tx,
    sql`select f.id as "feedbackId", f.label, f.note, c.tool_name as tool, c.args, c.result,
          m.text as reply,
          coalesce((select w.text from messages w
            where w.tenant_id = m.tenant_id and w.conversation_id = m.conversation_id
              and w.author = 'lead' and w.kind = 'text' and w.seq < m.seq and w.text <> ''
            order by w.seq desc limit 1), '') as client
        from agent_tool_call_feedback f
        join messages m on m.tenant_id = f.tenant_id and m.id = f.message_id
        join runs r on r.tenant_id = m.tenant_id and r.id = m.run_id
        left join agent_tool_calls c on c.tenant_id = f.tenant_id and c.id = f.tool_call_id
        where f.tenant_id = ${tenantId} and f.retracted_at is null
          and f.label in ${[...ACTIONABLE_LABELS]} and r.style_id = ${styleId}
        order by f.created_at desc, f.id desc limit ${limit}`,
  );
}

/** Nothing is decided on it yet; its number is the tenant's next. */
export async function insertCoachProposal(
  tx: Tx,
  made: Pick<
    CoachProposalRow,
    "tenantId" | "styleId" | "modelId" | "baseVersion" | "feedbackIds" | "createdBy" | "createdAt"
  > & { suggestion: CoachSuggestion },
): Promise<CoachProposalRow> {
  const { suggestion, ...rest } = made;
  const number = await nextNumber(tx, made.tenantId, { name: "coach_proposal", first: 1 });
  const [row] = await tx
    .insert(coachProposals)
    .values(
      storable({ id: newId(), number, status: "pending", suggestionJson: suggestion, ...rest }),
    )
    .returning();
  if (!row) throw new Error("a proposal could not be written");
  return row;
}

/** Newest first. */
export function listCoachProposals(
  tx: Tx,
  query: ListQuery<number> & { status?: CoachProposalRow["status"] | undefined },
): Promise<CoachProposalRow[]> {
  const { tenantId, status, after, limit } = query;
  return tx
    .select()
    .from(coachProposals)
    .where(
      and(
        eq(coachProposals.tenantId, tenantId),
        status && eq(coachProposals.status, status),
        after === null ? undefined : lt(coachProposals.number, after),
      ),
    )
    .orderBy(desc(coachProposals.number))
    .limit(limit);
}

/** By id or number, held until the transaction ends; null: there is none. */
export async function lockCoachProposal(
  tx: Tx,
  tenantId: string,
  which: string | number,
): Promise<CoachProposalRow | null> {
  const isWanted =
    typeof which === "number" ? eq(coachProposals.number, which) : eq(coachProposals.id, which);
  const [row] = await tx
    .select()
    .from(coachProposals)
    .where(and(eq(coachProposals.tenantId, tenantId), isWanted))
    .for("update");
  return row ?? null;
}

/** Suggestions whose evals are under way, held until the transaction ends. */
export async function lockShadowsUnderWay(tx: Tx, tenantId: string) {
  const isRunning = sql`${coachProposals.shadowJson} ->> 'state' = 'running'`;
  const rows = await tx
    .select()
    .from(coachProposals)
    .where(and(eq(coachProposals.tenantId, tenantId), isRunning))
    .for("update");
  return rows.flatMap((row) =>
    row.shadowJson?.state === "running" ? [{ row, shadow: row.shadowJson }] : [],
  );
}

/** Of a row that the transaction holds. */
export async function changeCoachProposal(
  tx: Tx,
  row: Pick<CoachProposalRow, "tenantId" | "id">,
  set: { shadowJson: Shadow } | Pick<CoachProposalRow, "status" | "decidedBy" | "decidedAt">,
): Promise<CoachProposalRow> {
  const [changed] = await tx
    .update(coachProposals)
    .set(storable(set))
    .where(and(eq(coachProposals.tenantId, row.tenantId), eq(coachProposals.id, row.id)))
    .returning();
  if (!changed) throw new Error(`proposal ${row.id} is gone`);
  return changed;
}
